"""The graph of a program: what the accelerator computes, over which maps, and the CPU beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.base.digest import digest
from core.base.frozen import replace
from core.base.ids import FmId, IslandId, OpRef, SubgraphId, TensorId, TensorRef
from core.emit.recover.found import Found, FoundOp
from core.emit.recover.maps import Atlas, MapKey
from core.ir.npugraph import (
    Activation,
    ActivationKind,
    CpuOp,
    Island,
    Lineage,
    NpuGraph,
    NpuOp,
    OpKind,
    Quant,
    SourceFate,
    Step,
    View,
)
from core.ir.program import Curve, DmaTransfer, Job, MapUse, NpuOperation, ScalarUse

KINDS: Mapping[Job, OpKind] = {
    Job.CONVOLUTION: OpKind.CONV_2D,
    Job.DEPTHWISE: OpKind.DEPTHWISE_CONV_2D,
    Job.MAX_POOL: OpKind.MAX_POOL,
    Job.AVERAGE_POOL: OpKind.AVERAGE_POOL,
    Job.REDUCE_SUM: OpKind.REDUCE_SUM,
    Job.MUL: OpKind.MUL,
    Job.ADD: OpKind.ADD,
    Job.SUB: OpKind.SUB,
    Job.MINIMUM: OpKind.MINIMUM,
    Job.MAXIMUM: OpKind.MAXIMUM,
    Job.LEAKY_RELU: OpKind.LEAKY_RELU,
    Job.ABS: OpKind.ABS,
    Job.COUNT_LEADING_ZEROS: OpKind.COUNT_LEADING_ZEROS,
    Job.SHIFT_RIGHT: OpKind.SHIFT_RIGHT,
    Job.SHIFT_LEFT: OpKind.SHIFT_LEFT,
}
_CURVES = {
    Curve.TANH: ActivationKind.TANH,
    Curve.SIGMOID: ActivationKind.SIGMOID,
    Curve.TABLE: ActivationKind.LUT,
}


def graph_of(found: Found, maps: Atlas) -> NpuGraph:
    """The graph of a program."""
    network = found.network
    islands = {part.study.part.op: IslandId(part.number) for part in found.parts}
    by_ref = {op.source: op for op in _cpu_ops(found, maps)}
    steps: list[list[Step]] = [[] for _ in network.subgraphs]
    for ref, _ in network.operators():
        steps[ref.subgraph].append(islands[ref] if ref in islands else by_ref[ref])
    return NpuGraph(
        network=digest(network),
        feature_maps=maps.maps,
        ops=tuple(_npu_op(found, maps, op) for op in found.ops),
        islands=tuple(_islands(found, maps)),
        steps=tuple(tuple(each) for each in steps),
        inputs=tuple(
            tuple(maps.ids[TensorRef(SubgraphId(at), tensor)] for tensor in graph.inputs)
            for at, graph in enumerate(network.subgraphs)
        ),
        outputs=tuple(
            tuple(maps.ids[TensorRef(SubgraphId(at), tensor)] for tensor in graph.outputs)
            for at, graph in enumerate(network.subgraphs)
        ),
        rejections=(),
        lineage=tuple(_lineage(found)),
        warnings=(),
    )


def _cpu_ops(found: Found, maps: Atlas) -> Iterator[CpuOp]:
    for ref, _, _ in found.cpu_ops:
        graph, op = found.network.subgraphs[ref.subgraph], found.network.operator(ref)
        name = graph.tensors[op.outputs[0]].name if op.outputs else ""
        yield CpuOp(
            source=ref,
            kind=op.title,
            name=name or f"{op.title} {ref.op}",
            inputs=tuple(_ids(maps, ref, op.inputs)),
            outputs=tuple(_ids(maps, ref, op.outputs)),
        )


def _ids(maps: Atlas, ref: OpRef, tensors: tuple[int | None, ...]) -> Iterator[FmId]:
    for tensor in tensors:
        if tensor is not None:
            yield maps.ids[_tensor(ref, tensor)]


def _tensor(ref: OpRef, tensor: int) -> TensorRef:
    return TensorRef(ref.subgraph, TensorId(tensor))


def _islands(found: Found, maps: Atlas) -> Iterator[Island]:
    for part in found.parts:
        ref = part.study.part.op
        inputs = tuple(item.tensor for item in part.study.part.inputs)
        outputs = tuple(item.tensor for item in part.study.part.outputs)
        yield Island(
            id=IslandId(part.number),
            subgraph=ref.subgraph,
            ops=tuple(op.id for op in part.ops),
            inputs=tuple(_ids(maps, ref, inputs)),
            outputs=tuple(_ids(maps, ref, outputs)),
        )


def _lineage(found: Found) -> Iterator[Lineage]:
    parts = {part.study.part.op: part for part in found.parts}
    for ref, _ in found.network.operators():
        part = parts.get(ref)
        if part is None:
            yield Lineage(op=ref, fate=SourceFate.CPU)
        else:
            yield Lineage(op=ref, fate=SourceFate.NPU, npu_ops=tuple(op.id for op in part.ops))


def _npu_op(found: Found, maps: Atlas, op: FoundOp) -> NpuOp:
    keys, sources = maps.of_op[op.id], (found.parts[op.part].study.part.op,)
    if op.first is None or op.whole is None:
        shape = maps.shapes[keys.ofm]
        return NpuOp(
            id=op.id,
            kind=OpKind.COPY,
            name=op.name,
            ifm=View(fm=maps.ids[keys.ifm], shape=shape),
            ofm=View(fm=maps.ids[keys.ofm], shape=shape),
            sources=sources,
        )
    first, whole = op.first, op.whole
    last = found.parts[op.part].study.part.stream.commands[op.steps.commands[-1]]
    bottom = last.padding.bottom if isinstance(last, NpuOperation) else 0
    ifm2 = None
    if keys.ifm2 is not None and first.ifm2 is not None and whole.ifm2 is not None:
        ifm2 = replace(_view(maps, keys.ifm2, first.ifm2), shape=whole.ifm2)
    return NpuOp(
        id=op.id,
        kind=KINDS[first.job],
        name=op.name,
        ifm=replace(_view(maps, keys.ifm, first.ifm), shape=whole.ifm),
        ofm=replace(_view(maps, keys.ofm, first.ofm), shape=whole.ofm),
        ifm2=ifm2,
        operands_swapped=first.operands_swapped,
        kernel=first.kernel,
        padding=replace(first.padding, bottom=bottom),
        resampling=first.upscale,
        activation=_activation(found, op),
        rounding=first.rounding,
        sources=sources,
    )


def _view(maps: Atlas, key: MapKey, use: MapUse | ScalarUse) -> View:
    return View(
        fm=maps.ids[key],
        shape=maps.shapes[key],
        quant=Quant(scale=None, zero_point=use.zero_point),
    )


def _activation(found: Found, op: FoundOp) -> Activation | None:
    """A curve, with its table where that is brought for this very operator."""
    if op.first is None or op.first.activation.curve not in _CURVES:
        return None
    study = found.parts[op.part].study
    table = None
    for at in op.steps.tables[-1:]:
        item = study.part.stream.commands[at]
        assert isinstance(item, DmaTransfer)
        table = study.part.constant_bytes(item.source.address, item.size_bytes)
    return Activation(kind=_CURVES[op.first.activation.curve], table=table)
