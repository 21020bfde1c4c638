"""The names that operators have in the reports of the ecosystem's compiler.

Scripts that read those reports, and comparisons of two runs, go by these names.
"""

from __future__ import annotations

from core.ir.npugraph import OpKind

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


def cpu_name(kind: str) -> str:
    """Name of an operator of the file format that stays on the CPU."""
    return _CPU.get(kind) or "".join(part.capitalize() for part in kind.split("_"))
