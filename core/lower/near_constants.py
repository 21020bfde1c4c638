"""Constants that are read again for each place of a map are brought to fast storage first.

x - numbers for each channel -> SUB      becomes   numbers -> COPY -> n,  x - n -> SUB

Where constants are stored, each of those reads takes a burst of a slow memory. A copy is one more
operator, and one more map beside those that pass: what could pass in stripes stays as it is.
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
    # From the end, so that the numbers of those that are still to come stay what they are.
    for op in reversed(graph.ops):
        second = op.ifm2
        if second is None or not _is_read_often(graph, op, second):
            continue
        is_whole = _is_whole(uses, op.ifm)
        size = second.shape.elements * graph.fm(second).dtype.size_bytes
        tried = RewriteTried(
            rewrite=Rewrite.CONSTANT_NEAR,
            sources=op.sources,
            measure=Measure.MOVED_BYTES,
            figure_without=_reads(op, second) * size,
            figure_with=size,
            reason=RewriteReason.READ_AGAIN if is_whole else RewriteReason.STRIPES_ARE_WORTH_MORE,
        )
        graph = replace(
            _with_copy(graph, op, second) if is_whole else graph,
            rewrites=(*graph.rewrites, tried),
        )
    return graph


def _is_read_often(graph: NpuGraph, op: NpuOp, second: View) -> bool:
    fm = graph.fm(second)
    is_map = fm.data is not None and not fm.is_scalar and second.offset is None
    return op.kind.is_elementwise and is_map and _reads(op, second) >= _MANY_READS


def _reads(op: NpuOp, second: View) -> int:
    """How often each element of a second input is read."""
    return op.ofm.touched.elements // second.shape.elements


def _is_whole(uses: Uses, view: View) -> bool:
    """Whether a map cannot come in stripes, whatever the operator reads besides."""
    return view.fm in uses.shared or len(uses.touching[view.fm]) > 2


def _with_copy(graph: NpuGraph, op: NpuOp, constant: View) -> NpuGraph:
    stored = graph.fm(constant)
    near = FmId(len(graph.feature_maps))
    made = replace(constant, fm=near)
    copy = NpuOp(
        id=op.id,
        kind=OpKind.COPY,
        name=f"{op.name}_near",
        ifm=constant,
        ofm=made,
        origin=op.origin,
        sources=op.sources,
    )
    fm = FeatureMap(
        id=near, name=f"{stored.name}_near", shape=stored.shape, dtype=stored.dtype, storage=near
    )
    at = op.id
    later = (replace(each, id=NpuOpId(each.id + 1)) for each in graph.ops[at + 1 :])
    reader = replace(op, id=NpuOpId(at + 1), ifm2=made)
    return replace(
        graph,
        feature_maps=(*graph.feature_maps, fm),
        ops=(*graph.ops[:at], copy, reader, *later),
        islands=tuple(_island(each, at) for each in graph.islands),
        lineage=tuple(
            replace(each, npu_ops=_renumbered(each.npu_ops, at)) for each in graph.lineage
        ),
        folds=tuple(
            replace(each, ops=tuple(NpuOpId(op + (op >= at)) for op in each.ops))
            for each in graph.folds
        ),
    )


def _island(island: Island, at: NpuOpId) -> Island:
    return replace(island, ops=_renumbered(island.ops, at))


def _renumbered(numbers: tuple[NpuOpId, ...], at: NpuOpId) -> tuple[NpuOpId, ...]:
    """The operators by their new numbers, the copy before its reader."""
    found = []
    for number in numbers:
        if number == at:
            found.append(at)
        found.append(NpuOpId(number + (number >= at)))
    return tuple(found)
