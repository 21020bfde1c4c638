"""One operator at a time: lowered by its rewrite, run by LiteRT, run on the miniature NPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from core.base.dtype import DType
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.ir.constdata import ConstData
from core.ir.freedoms import NONE, Freedoms
from core.ir.network import (
    FieldValue,
    Network,
    Operator,
    Quantization,
    Subgraph,
    Table,
    Tensor,
)
from core.ir.npugraph import NpuOp, View
from core.lower.draft import Draft, Pointwise, SliceRead, tensor_fms
from core.lower.fuse import fuse_clamps, fuse_tables, merges_tables
from core.lower.operands import put_main_operand_first
from core.lower.rewrites.table import Rewrite
from core.lower.scope import Scope
from core.lower.slices import read_slices_directly
from core.lower.source import SourceGraph
from core.target.families.first_architecture import LIMITS
from core.target.registry import accelerator_named
from core.tflite.writer import write
from tests.core.lower.rewrites.mininpu import MiniNpu
from tests.core.synth.oracle import execute

Array = npt.NDArray


def tensor(
    name: str,
    shape: Sequence[int],
    dtype: DType = DType.INT8,
    scale: float | None = 0.5,
    zero_point: int = 0,
    data: npt.ArrayLike | None = None,
    *,
    is_variable: bool = False,
) -> Tensor:
    """A tensor whose scale is what a file can hold: in single precision."""
    quantization = None
    if scale is not None:
        quantization = Quantization(scales=(float(np.float32(scale)),), zero_points=(zero_point,))
    array = None if data is None else np.asarray(data, dtype.numpy).reshape(tuple(shape))
    return Tensor(
        name=name,
        shape=tuple(shape),
        dtype=dtype,
        quantization=quantization,
        data=None if array is None else ConstData.of(array),
        is_variable=is_variable,
    )


def single(
    kind: str,
    inputs: Sequence[Tensor | None],
    output: Tensor,
    options: Mapping[str, FieldValue] | None = None,
    *,
    record: str = "",
    intermediates: Sequence[Tensor] = (),
    version: int = 1,
) -> Network:
    """A network of one operator."""
    given = [item for item in inputs if item is not None]
    tensors = (*given, output, *intermediates)
    ids = iter(range(len(given)))
    operator = Operator(
        kind=kind,
        inputs=tuple(None if item is None else TensorId(next(ids)) for item in inputs),
        outputs=(TensorId(len(given)),),
        intermediates=tuple(TensorId(len(given) + 1 + n) for n in range(len(intermediates))),
        options=Table(kind=record, fields=tuple((options or {}).items())) if record else None,
        version=version,
    )
    fed = [i for i, item in enumerate(given) if item.data is None and not item.is_variable]
    graph = Subgraph(
        name="",
        tensors=tensors,
        operators=(operator,),
        inputs=tuple(TensorId(index) for index in fed),
        outputs=operator.outputs,
    )
    return Network(subgraphs=(graph,))


def drafted(rewrite: Rewrite, network: Network, freedoms: Freedoms = NONE) -> Draft:
    """What a rewrite makes of the first operator."""
    graph = SourceGraph.of(network.main, SubgraphId(0))
    draft = Draft(SubgraphId(0))
    maps = tensor_fms(draft, graph.tensors, (TensorId(n) for n in range(len(graph.tensors))))
    source = (OpRef(SubgraphId(0), OpId(0)),)
    rewrite(Scope(draft, graph.ops[0], maps, source, LIMITS, freedoms=freedoms))
    draft.inputs = tuple(maps[item] for item in graph.inputs)
    draft.outputs = tuple(maps[item] for item in graph.outputs)
    return draft


def settled(draft: Draft, accelerator: str = "ethos-u55-256") -> Draft:
    """The draft after the passes that follow the rewrites."""
    if merges_tables(accelerator_named(accelerator), NONE):
        fuse_tables(draft)
    read_slices_directly(draft)
    fuse_clamps(draft)
    put_main_operand_first(draft)
    return draft


def on_npu(draft: Draft, feeds: Sequence[Array]) -> list[Array]:
    """The outputs that the miniature NPU computes."""
    npu = MiniNpu(draft)
    for fm, feed in zip(draft.inputs, feeds, strict=True):
        npu.store(fm, feed)
    npu.run()
    return [npu.load(fm) for fm in draft.outputs]


def both(
    rewrite: Rewrite, network: Network, feeds: Sequence[Array], freedoms: Freedoms = NONE
) -> tuple[Array, Array]:
    """What the miniature NPU computes, and what LiteRT's reference kernels compute."""
    ours = on_npu(drafted(rewrite, network, freedoms), feeds)[0]
    theirs = execute(network, list(feeds)).outputs()[0]
    return ours.astype(np.int64), theirs.astype(np.int64)


def both_shipped(rewrite: Rewrite, network: Network, feeds: Sequence[Array]) -> tuple[Array, Array]:
    """Like `both`, with the kernels that LiteRT ships, where its reference has none that works."""
    interpreter = Interpreter(
        model_content=write(network),
        experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    )
    interpreter.allocate_tensors()
    for detail, feed in zip(interpreter.get_input_details(), feeds, strict=True):
        interpreter.set_tensor(detail["index"], feed)
    interpreter.invoke()
    theirs = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    ours = on_npu(drafted(rewrite, network), feeds)[0]
    return ours.astype(np.int64), theirs.astype(np.int64)


def everything(dtype: DType) -> Array:
    """Every value of a type, as a row."""
    low, high = dtype.limits
    return np.arange(low, high + 1).astype(dtype.numpy).reshape(1, -1)


def noise(
    shape: Sequence[int], seed: int, dtype: DType = DType.INT8, most: int | None = None
) -> Array:
    """Values from all over a type, or up to a bound in size."""
    low, high = dtype.limits if most is None else (-most, most)
    generator = np.random.default_rng(seed)
    return generator.integers(low, high, tuple(shape), endpoint=True).astype(dtype.numpy)


def written(draft: Draft) -> str:
    """A draft as text: a line an operator."""
    lines = []
    for item in draft.items:
        if isinstance(item, SliceRead):
            lines.append(f"part: {_view(draft, item.ifm)} -> {_view(draft, item.ofm)}")
        elif isinstance(item, Pointwise):
            lines.append(f"{_op(draft, item.op)} (pointwise)")
        elif isinstance(item, NpuOp):
            lines.append(_op(draft, item))
    return "\n".join(lines) + "\n"


def _op(draft: Draft, op: NpuOp) -> str:
    inputs = [op.ifm] if op.ifm2 is None else [op.ifm, op.ifm2]
    text = f"{op.kind.value}: {' , '.join(_view(draft, view) for view in inputs)}"
    text += f" -> {_view(draft, op.ofm)}"
    if op.kernel.taps > 1:
        text += f" | kernel {op.kernel.h}x{op.kernel.w}"
    if op.weights is not None:
        taps = "x".join(map(str, op.weights.values.shape))
        text += f" | weights {taps}, bias {op.weights.bias.array.dtype}"
    if op.activation is not None:
        bounds = (op.activation.minimum, op.activation.maximum)
        limits = "" if bounds == (None, None) else " {} .. {}".format(*map(_number, bounds))
        text += f" | {op.activation.kind.value}{limits}"
    if op.scaling is not None:
        text += f" | x{op.scaling.multiplier} >>{op.scaling.shift}"
    if op.rounding is not None:
        text += f" | rounds {op.rounding.value}"
    return text + ("" if op.alpha is None else f" | alpha {_number(op.alpha)}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _view(draft: Draft, view: View) -> str:
    fm = draft.feature_maps[view.fm]
    text = f"{fm.name}:{fm.dtype.name.lower()}[{','.join(map(str, view.shape))}]"
    if fm.data is not None and fm.data.array.size == 1:
        text = f"{int(fm.data.array.reshape(-1)[0])}:{fm.dtype.name.lower()}"
    if view.offset is not None:
        text += f"@{','.join(map(str, view.offset))}+{','.join(map(str, view.touched))}"
    for label, value, usual in (
        ("step", (view.step_h, view.step_w), (1, 1)),
        ("base", view.base_offset_bytes, 0),
        ("turned", view.is_transposed, False),
    ):
        if value != usual:
            text += f" {label} {value}"
    return text + _quant(view)


def _quant(view: View) -> str:
    if view.quant is None or view.quant.scale is None:
        return ""
    zero_point = view.quant.zero_point
    return f" q{_number(view.quant.scale)}" + (f"{zero_point:+d}" if zero_point else "")
