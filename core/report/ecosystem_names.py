"""The names that things have in the reports of the ecosystem's compiler.

Scripts that read those reports, and comparisons of two runs, go by these names.
"""

from __future__ import annotations

from core.ir.network import Network
from core.ir.npugraph import Activation, ActivationKind, NpuGraph, OpKind
from core.target.shram import Accumulator
from core.target.target import Area

_NPU = {
    OpKind.CONV_2D: "Conv2DBias",
    OpKind.TRANSPOSE_CONV_2D: "Conv2DBackpropInputSwitchedBias",
    OpKind.DEPTHWISE_CONV_2D: "DepthwiseConv2DBias",
    OpKind.FULLY_CONNECTED: "FullyConnected",
    OpKind.AVERAGE_POOL: "AvgPool",
    OpKind.MAX_POOL: "MaxPool",
    OpKind.RESIZE_BILINEAR: "ResizeBilinear",
    OpKind.RESIZE_NEAREST: "ResizeNearestNeighbor",
    OpKind.REDUCE_SUM: "ReduceSum",
    OpKind.ADD: "Add",
    OpKind.SUB: "Sub",
    OpKind.MUL: "Mul",
    OpKind.MINIMUM: "Minimum",
    OpKind.MAXIMUM: "Maximum",
    OpKind.SHIFT_LEFT: "SHL",
    OpKind.SHIFT_RIGHT: "SHR",
    OpKind.ABS: "Abs",
    OpKind.LEAKY_RELU: "LeakyRelu",
    OpKind.COUNT_LEADING_ZEROS: "CLZ",
    OpKind.COPY: "Memcpy",
}

_WORDS = {name: kind.value for kind, name in _NPU.items()}

_CPU = {
    "AVERAGE_POOL_2D": "AvgPool",
    "BATCH_MATMUL": "BatchMatMul",
    "BATCH_TO_SPACE_ND": "BatchToSpaceND",
    "CONCATENATION": "ConcatTFLite",
    "CONV_2D": "Conv2DBias",
    "CONV_3D": "Conv3D",
    "CONV_3D_TRANSPOSE": "Conv3DTranspose",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DBias",
    "FAKE_QUANT": "FakeQuantWithMinMaxArgs",
    "GATHER": "GatherV2",
    "L2_NORMALIZATION": "L2Norm",
    "L2_POOL_2D": "L2Pool2D",
    "LOCAL_RESPONSE_NORMALIZATION": "LRN",
    "LOGISTIC": "Sigmoid",
    "LSH_PROJECTION": "LSHProjection",
    "MAX_POOL_2D": "MaxPool",
    "PADV2": "PadV2",
    "REDUCE_ANY": "Any",
    "REDUCE_MAX": "Max",
    "REDUCE_MIN": "Min",
    "REDUCE_PROD": "Prod",
    "SPACE_TO_BATCH_ND": "SpaceToBatchND",
    "TOPK_V2": "TopKV2",
    "TRANSPOSE_CONV": "Conv2DBackpropInput",
}


def npu_name(kind: OpKind) -> str:
    """Name of an NPU operator."""
    return _NPU[kind]


def kind_text(name: str) -> str:
    """What people call an NPU operator of such a name; the name itself where it is none of ours."""
    return _WORDS.get(name, name)


def cpu_name(kind: str) -> str:
    """Name of an operator of the file format that stays on the CPU."""
    return _CPU.get(kind) or "".join(part.capitalize() for part in kind.split("_"))


def activation_name(activation: Activation | None) -> str | None:
    """Name of a fused activation; a clamp goes by the source operator with its bounds."""
    if activation is None:
        return None
    if activation.kind is ActivationKind.CLAMP:
        return _CLAMPS.get((activation.minimum, activation.maximum), "Clip")
    return _ACTIVATIONS[activation.kind]


_CLAMPS: dict[tuple[float | None, float | None], str] = {
    (0.0, None): "Relu",
    (0.0, 1.0): "Relu0To1",
    (0.0, 6.0): "Relu6",
    (-1.0, 1.0): "ReluN1To1",
}
_ACTIVATIONS = {
    ActivationKind.TANH: "Tanh",
    ActivationKind.SIGMOID: "Sigmoid",
    ActivationKind.LUT: "LUT",
}


def island_names(network: Network, graph: NpuGraph) -> tuple[str, ...]:
    """Names of the islands: each the subgraph's name and its number there."""
    names = []
    for position, island in enumerate(graph.islands):
        before = graph.islands[:position]
        number = sum(other.subgraph == island.subgraph for other in before) + 1
        names.append(f"{network.subgraphs[island.subgraph].name}_split_{number}")
    return tuple(names)


ACCUMULATORS = {Accumulator.ACC16: "5", Accumulator.ACC32: "6", Accumulator.ACC40: "7"}

AREA_COLUMNS = {
    Area.SRAM: "sram",
    Area.DRAM: "dram",
    Area.ON_CHIP_FLASH: "on_chip_flash",
    Area.OFF_CHIP_FLASH: "off_chip_flash",
}
"""What columns about a memory begin with."""

AREA_TITLES = {
    Area.SRAM: "SRAM",
    Area.DRAM: "DRAM",
    Area.ON_CHIP_FLASH: "On-chip Flash",
    Area.OFF_CHIP_FLASH: "Off-chip Flash",
}
