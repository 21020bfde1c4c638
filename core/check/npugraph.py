"""Judges an NPU graph: what each operator touches exists, fits, and has been made before."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.geometry import ONE_ELEMENT, Resampling
from core.base.ids import FmId
from core.check.finding import Finding
from core.ir.npugraph import CpuOp, NpuGraph, NpuOp, OpKind, Step, View
from core.target.unit import Unit


def verify(graph: NpuGraph) -> tuple[Finding, ...]:
    """Everything that is wrong with the graph; where ids lead nowhere, only that."""
    lost = tuple(_ids(graph))
    if lost:
        return lost
    return (
        *(finding for op in graph.ops for finding in _operator(graph, op)),
        *_order(graph),
    )


def _ids(graph: NpuGraph) -> Iterator[Finding]:
    for position, fm in enumerate(graph.feature_maps):
        if fm.id != position or not 0 <= fm.storage < len(graph.feature_maps):
            yield Finding(f"feature map {position}", "its id or storage is out of place")
    for position, op in enumerate(graph.ops):
        if op.id != position:
            yield Finding(f"operator {position}", "its id is out of place")
        if any(not 0 <= view.fm < len(graph.feature_maps) for view in op.views):
            yield Finding(f"operator {position}", "it names a feature map that does not exist")
    listed = [number for island in graph.islands for number in island.ops]
    if sorted(listed) != list(range(len(graph.ops))):
        yield Finding("islands", "they do not hold each operator once")


def _operator(graph: NpuGraph, op: NpuOp) -> Iterator[Finding]:
    where = f"operator {op.id} '{op.name}'"
    for role, view in zip(("ifm", "ofm"), (op.ifm, op.ofm), strict=True):
        yield from _view(graph, f"{where} {role}", view)
    if op.kind.is_binary != (op.ifm2 is not None):
        yield Finding(where, "a binary operator has two inputs, and only that")
    if graph.fm(op.ofm).data is not None:
        yield Finding(where, "it writes a constant")
    yield from _places(where, op)
    yield from _weights(where, op)


def _places(where: str, op: NpuOp) -> Iterator[Finding]:
    """Who treats each element alike reads in the places in which it writes."""
    if op.is_in_place and (op.kind is not OpKind.AVERAGE_POOL or op.kernel != ONE_ELEMENT):
        yield Finding(where, "only a pooling of single elements may be in place")
    is_copy = op.kind in (OpKind.AVERAGE_POOL, OpKind.MAX_POOL) and op.kernel == ONE_ELEMENT
    if not (is_copy or op.kind.is_elementwise) or op.resampling is not Resampling.NONE:
        return
    for view in op.views[:-1]:
        pairs = zip(view.touched, op.ofm.touched, strict=True)
        is_spread = op.kind.is_binary and all(read in (1, made) for read, made in pairs)
        if view.touched != op.ofm.touched and not is_spread:
            yield Finding(where, f"reads {view.touched} to make {op.ofm.touched}")


def _view(graph: NpuGraph, where: str, view: View) -> Iterator[Finding]:
    fm = graph.fm(view)
    elements = 1
    for dim in fm.shape:
        elements *= dim
    if view.shape.elements != elements and not fm.is_scalar:
        yield Finding(where, f"{view.shape} is not the size of {fm.shape}")
    if (view.offset is None) != (view.extent is None):
        yield Finding(where, "an offset goes with an extent")
    steps = (1, abs(view.step_h), abs(view.step_w), 1)
    ends = [
        start + (size - 1) * step + 1
        for start, size, step in zip(view.start, view.touched, steps, strict=True)
    ]
    if (
        min(view.touched) < 1
        or min(view.start) < 0
        or any(end > dim for end, dim in zip(ends, view.shape, strict=True))
    ):
        yield Finding(where, f"{view.touched} from {view.start} is not inside {view.shape}")


def _weights(where: str, op: NpuOp) -> Iterator[Finding]:
    needs = op.kind.unit in (Unit.CONVOLUTION, Unit.DEPTHWISE, Unit.VECTOR_PRODUCT)
    if needs != (op.weights is not None):
        yield Finding(where, "weights belong to operators that multiply by them")
    if op.weights is None:
        return
    shape = op.weights.values.shape
    depth = 1 if op.kind is OpKind.DEPTHWISE_CONV_2D else op.ifm.touched.c
    expected = (op.ofm.touched.c, op.kernel.h, op.kernel.w, depth)
    if shape != expected:
        yield Finding(where, f"weights of {shape} where {expected} are needed")
    if op.weights.bias.shape != (expected[0],):
        yield Finding(where, f"{op.weights.bias.shape} biases for {expected[0]} channels")
    for name, items in (("scales", op.weights.scales), ("zeros", op.weights.zero_points)):
        if len(items) not in (1, expected[0]):
            yield Finding(where, f"{len(items)} {name} for {expected[0]} channels")


def _order(graph: NpuGraph) -> Iterator[Finding]:
    for subgraph, steps in enumerate(graph.steps):
        given, made = set(graph.inputs[subgraph]), _all_made(graph, steps)
        # Of what the CPU reads, what nobody makes is the interpreter's business: working memory of
        # custom operators.
        later = made - given
        never = {fm.id for fm in graph.feature_maps} - made - given
        for step in steps:
            if isinstance(step, CpuOp):
                yield from _read(graph, later, step.inputs, f"CPU operator {step.source.op}")
                later.difference_update(step.outputs)
                continue
            for number in graph.islands[step].ops:
                op = graph.ops[number]
                inputs = tuple(view.fm for view in (op.ifm, op.ifm2) if view is not None)
                yield from _read(graph, later, inputs, f"operator {number}")
                yield from _read(graph, never, inputs, f"operator {number}")
                later.discard(op.ofm.fm)
                storage = graph.fm(op.ofm).storage
                if storage not in {op.ofm.fm, *graph.islands[step].inputs}:
                    yield Finding(f"operator {number}", "nobody told where the state is kept")
        outputs = graph.outputs[subgraph]
        unmade = {fm for fm in outputs if fm not in given} - made
        yield from _read(graph, unmade, outputs, f"subgraph {subgraph}'s outputs")


def _made_by(graph: NpuGraph, step: Step) -> list[FmId]:
    if isinstance(step, CpuOp):
        return list(step.outputs)
    return [graph.ops[number].ofm.fm for number in graph.islands[step].ops]


def _all_made(graph: NpuGraph, steps: tuple[Step, ...]) -> set[FmId]:
    return {fm for step in steps for fm in _made_by(graph, step)}


def _read(
    graph: NpuGraph, missing: set[FmId], inputs: tuple[FmId, ...], where: str
) -> Iterator[Finding]:
    for fm in inputs:
        source = graph.feature_maps[fm]
        has_value = source.data is not None or source.is_variable or 0 in source.shape
        if fm in missing and not has_value:
            yield Finding(where, f"it reads feature map {fm} '{source.name}' before it is made")
