"""Constants that are read again for each place of a map are brought to fast storage first.

x - numbers for each channel -> SUB      becomes   numbers -> COPY -> n,  x - n -> SUB

Where constants are stored, each of those reads takes a burst of a slow memory. The copy stands
before all that may pass in stripes to its reader, which then reads it whole with each stripe.
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.ids import FmId, NpuOpId
from core.ir.npugraph import FeatureMap, Island, NpuGraph, NpuOp, OpKind, View
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.fold_prices import Uses

_MANY_READS = 64
"""From so many reads of an element on a copy pays: a burst is up to 128 bytes."""


def bring_constants_near(graph: NpuGraph) -> NpuGraph:
    """The same graph, with copies of such constants right before the operators that read them."""
    uses = Uses.of(graph)
    number = len(graph.ops)
    while number:
        number -= 1
        op = graph.ops[number]
        second = op.ifm2
        if second is None or not _is_read_often(graph, op, second):
            continue
        at = _place(graph, uses, op, second)
        size = second.shape.elements * graph.fm(second).dtype.size_bytes
        tried = RewriteTried(
            rewrite=Rewrite.CONSTANT_NEAR,
            sources=op.sources,
            measure=Measure.MOVED_BYTES,
            figure_without=_reads(op, second) * size,
            figure_with=size,
            reason=RewriteReason.STRIPES_ARE_WORTH_MORE if at is None else RewriteReason.READ_AGAIN,
        )
        graph = replace(
            graph if at is None else _with_copy(graph, op, second, at),
            rewrites=(*graph.rewrites, tried),
        )
        # What stands behind the copy has moved, and with it the next one to look at.
        number += at is not None and at < number
    return graph


def _is_read_often(graph: NpuGraph, op: NpuOp, second: View) -> bool:
    fm = graph.fm(second)
    is_map = fm.data is not None and not fm.is_scalar and second.offset is None
    return op.kind.is_elementwise and is_map and _reads(op, second) >= _MANY_READS


def _reads(op: NpuOp, second: View) -> int:
    """How often each element of a second input is read."""
    return op.ofm.touched.elements // second.shape.elements


def _place(graph: NpuGraph, uses: Uses, op: NpuOp, second: View) -> NpuOpId | None:
    """Where the copy goes: before all through which the first input may pass in stripes.

    Numbers for rows or columns would have to be cut as stripes are, and a single one is cheap.
    """
    if _is_whole(uses, op.ifm):
        return op.id
    if (second.shape.h, second.shape.w) != (1, 1) or second.shape.c == 1:
        return None
    maps, place = {op.ifm.fm}, op.id
    for before in reversed(graph.ops[: op.id]):
        if before.ofm.fm in maps:
            place = before.id
            if _is_whole(uses, before.ifm):
                break
            maps.add(before.ifm.fm)
    return place


def _is_whole(uses: Uses, view: View) -> bool:
    """Whether a map cannot come in stripes, whatever the operator reads besides."""
    return view.fm in uses.shared or len(uses.touching[view.fm]) > 2


def _with_copy(graph: NpuGraph, op: NpuOp, constant: View, at: NpuOpId) -> NpuGraph:
    stored = graph.fm(constant)
    near = FmId(len(graph.feature_maps))
    made = replace(constant, fm=near)
    copy = NpuOp(
        id=at,
        kind=OpKind.COPY,
        name=f"{op.name}_near",
        ifm=constant,
        ofm=made,
        origin=op.origin,
        sources=op.sources,
    )
    # A copy is in no command, so a single number has dimensions there.
    shape = stored.shape or tuple(constant.shape)
    fm = FeatureMap(
        id=near, name=f"{stored.name}_near", shape=shape, dtype=stored.dtype, storage=near
    )
    later = tuple(
        replace(each, id=NpuOpId(each.id + 1), ifm2=made if each.id == op.id else each.ifm2)
        for each in graph.ops[at:]
    )
    return replace(
        graph,
        feature_maps=(*graph.feature_maps, fm),
        ops=(*graph.ops[:at], copy, *later),
        islands=tuple(_island(each, at) for each in graph.islands),
        lineage=tuple(
            replace(each, npu_ops=_with_number(each.npu_ops, at, is_own=each.op in op.sources))
            for each in graph.lineage
        ),
        folds=tuple(
            replace(each, ops=_with_number(each.ops, at, is_own=False)) for each in graph.folds
        ),
    )


def _island(island: Island, at: NpuOpId) -> Island:
    return replace(island, ops=_with_number(island.ops, at, is_own=at in island.ops))


def _with_number(numbers: tuple[NpuOpId, ...], at: NpuOpId, *, is_own: bool) -> tuple[NpuOpId, ...]:
    """The operators by their new numbers, among them the copy if it is one of them."""
    moved = [NpuOpId(number + (number >= at)) for number in numbers]
    return tuple(sorted([*moved, at])) if is_own else tuple(moved)
