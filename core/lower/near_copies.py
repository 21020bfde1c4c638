"""Copies between fast storage and memories that move no less than a burst at a time.

x - numbers for each channel -> SUB      becomes   numbers -> COPY -> n,  x - n -> SUB

Where constants are stored, each of those reads takes a burst of a slow memory. The copy stands
before all that may pass in stripes to its reader, which then reads it whole with each stripe.

x - a -> SUB -> MUL by b -> y            becomes   (a, b) -> COPY -> n,  x - n[0] -> SUB -> ...

Numbers of small operators that no command has room for: each would wait once more for the memory.

x -> CONV_2D -> y for the CPU            becomes   x -> CONV_2D -> n -> COPY -> y for the CPU

Whoever writes rows of many channels writes the depth of a brick at a time, and each takes a burst
where the CPU reads them. Where both maps are in one memory, the copy is in place: nothing moves.
With one port that writes there is no other memory, and no copy.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.base.ids import FmId, NpuOpId, OpRef
from core.ir.constdata import ConstData
from core.ir.npugraph import FeatureMap, Island, NpuGraph, NpuOp, OpKind, View
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.fold_prices import Uses
from core.target.format import BRICK_DEPTH

_MANY_READS = 64
"""From so many reads of an element on a copy pays: a burst is up to 128 bytes."""
_MANY_NUMBERS = 3
"""From so many reads of single numbers on a copy pays, which waits for both memories."""
_LIVE_MAPS = 4
"""Where so many of the largest map that they make take less than the network's inputs, which live
as a whole, numbers beside them are not what takes most memory, unless inputs are kept elsewhere;
and operators are short enough to wait."""
_MANY_ELEMENTS = 4096
"""From so many elements on a copy pays: what is smaller is written in the time that one starts."""


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
    near = replace(constant, fm=FmId(len(graph.feature_maps)))
    copy = _copy(op, f"{op.name}_near", constant, near, at)
    return _with_near(graph, [replace(op, ifm2=near)], copy, near.fm)


def bring_numbers_near(graph: NpuGraph) -> NpuGraph:
    """The same graph, with one copy of all 32-bit numbers that operators of one source read."""
    groups: defaultdict[tuple[OpRef, ...], list[NpuOp]] = defaultdict(list)
    for op in graph.ops:
        if op.ifm2 is not None and _is_far_number(graph, op.ifm2):
            groups[op.sources].append(op)
    maps = graph.feature_maps
    whole_bytes = max(sum(_size_bytes(maps[fm]) for fm in fms) for fms in graph.inputs)
    # From the last one on, so that those before keep their numbers.
    for readers in sorted(groups.values(), key=lambda ops: ops[0].id, reverse=True):
        made_bytes = max(_size_bytes(graph.fm(op.ofm)) for op in readers)
        if len(readers) >= _MANY_NUMBERS and _LIVE_MAPS * made_bytes <= whole_bytes:
            graph = _with_numbers(graph, readers)
    return graph


def _is_far_number(graph: NpuGraph, view: View) -> bool:
    fm = graph.fm(view)
    is_number = fm.data is not None and fm.data.array.size == 1
    return is_number and fm.dtype is DType.INT32 and not fm.is_scalar


def _size_bytes(fm: FeatureMap) -> int:
    return math.prod(fm.shape) * fm.dtype.size_bytes


def _with_numbers(graph: NpuGraph, readers: Sequence[NpuOp]) -> NpuGraph:
    """A graph where these operators read columns of one map, which is copied before the first."""
    seconds = {op: op.ifm2 for op in readers if op.ifm2 is not None}
    values = {op: graph.fm(view).data for op, view in seconds.items()}
    columns = {data: column for column, data in enumerate(dict.fromkeys(values.values()))}
    array = np.concatenate([data.array.reshape(-1) for data in columns if data is not None])
    shape = Shape4(w=len(columns))
    stored = FeatureMap(
        id=FmId(len(graph.feature_maps)),
        name=f"{readers[0].name}_numbers",
        shape=tuple(shape),
        dtype=DType.INT32,
        data=ConstData.of(array.reshape(shape)),
        storage=FmId(len(graph.feature_maps)),
    )
    near = View(fm=FmId(stored.id + 1), shape=shape)
    changed = [
        replace(
            op,
            ifm2=replace(
                view,
                fm=near.fm,
                shape=shape,
                offset=Shape4(0, 0, columns[values[op]], 0),
                extent=Shape4(),
            ),
        )
        for op, view in seconds.items()
    ]
    graph = replace(graph, feature_maps=(*graph.feature_maps, stored))
    first = readers[0]
    copy = _copy(first, f"{stored.name}_near", replace(near, fm=stored.id), near, first.id)
    tried = RewriteTried(
        rewrite=Rewrite.NUMBERS_NEAR,
        sources=first.sources,
        measure=Measure.BYTES_TOGETHER,
        figure_without=stored.dtype.size_bytes,
        figure_with=_size_bytes(stored),
        reason=RewriteReason.READ_IN_PIECES,
    )
    graph = _with_near(graph, changed, copy, near.fm)
    return replace(graph, rewrites=(*graph.rewrites, tried))


def hand_out_by_copies(graph: NpuGraph) -> NpuGraph:
    """The same graph, with what the CPU reads in short pieces made in a map of its own first."""
    makers: defaultdict[FmId, list[NpuOp]] = defaultdict(list)
    for op in graph.ops:
        makers[op.ofm.fm].append(op)
    some = [fm for island in graph.islands for fm in _handed_out(graph, island, makers)]
    # From the last one on, so that those before keep their numbers.
    for fm in sorted(some, key=lambda fm: makers[fm][-1].id, reverse=True):
        graph = _with_copy_out(graph, makers[fm])
    return graph


def _handed_out(
    graph: NpuGraph, island: Island, makers: Mapping[FmId, Sequence[NpuOp]]
) -> Iterator[FmId]:
    """Maps that one island makes alone, and that nobody reads before they are made."""
    shared = Counter(fm.storage for fm in graph.feature_maps)
    for number in dict.fromkeys(island.outputs):
        fm, own = graph.feature_maps[number], makers[number]
        is_own = number not in island.inputs and shared[fm.storage] == 1 and not fm.is_variable
        if not is_own or not all(op.id in island.ops and _is_written_in_pieces(op) for op in own):
            continue
        before = graph.ops[: own[-1].id + 1]
        if not any(view.fm == number for op in before for view in op.views[:-1]):
            yield number


def _is_written_in_pieces(op: NpuOp) -> bool:
    """Whether it writes rows of more channels than are written at a time, in the order of a map."""
    ofm = op.ofm
    is_plain = (ofm.step_h, ofm.step_w, ofm.base_offset_bytes) == (1, 1, 0)
    is_deep = ofm.shape.c > BRICK_DEPTH and ofm.shape.elements >= _MANY_ELEMENTS
    return is_plain and is_deep and not ofm.is_transposed and op.kind is not OpKind.COPY


def _with_copy_out(graph: NpuGraph, makers: Sequence[NpuOp]) -> NpuGraph:
    *_, last = makers
    whole = replace(last.ofm, offset=None, extent=None, is_joined=False)
    near = replace(whole, fm=FmId(len(graph.feature_maps)))
    size_bytes = graph.fm(whole).dtype.size_bytes
    tried = RewriteTried(
        rewrite=Rewrite.HANDED_OUT_BY_COPY,
        sources=last.sources,
        measure=Measure.BYTES_TOGETHER,
        figure_without=size_bytes * BRICK_DEPTH,
        figure_with=size_bytes * whole.shape.elements,
        reason=RewriteReason.WRITTEN_IN_PIECES,
    )
    changed = [replace(op, ofm=replace(op.ofm, fm=near.fm)) for op in makers]
    copy = _copy(last, f"{last.name}_out", near, whole, NpuOpId(last.id + 1))
    graph = _with_near(graph, changed, copy, near.fm)
    return replace(graph, rewrites=(*graph.rewrites, tried))


def _copy(op: NpuOp, name: str, source: View, destination: View, at: NpuOpId) -> NpuOp:
    return NpuOp(
        id=at,
        kind=OpKind.COPY,
        name=name,
        ifm=source,
        ofm=destination,
        origin=op.origin,
        sources=op.sources,
    )


def _with_near(graph: NpuGraph, changed: Sequence[NpuOp], copy: NpuOp, near: FmId) -> NpuGraph:
    """A graph with operators changed, which have a map near, and the copy to or from there."""
    stored = graph.fm(copy.ifm if copy.ofm.fm == near else copy.ofm)
    fm = FeatureMap(
        id=near,
        name=f"{stored.name}_near",
        # A copy is in no command, so a single number has dimensions there.
        shape=stored.shape or tuple(copy.ofm.shape),
        dtype=stored.dtype,
        storage=near,
    )
    at = copy.id
    ops = list(graph.ops)
    for op in changed:
        ops[op.id] = op
    later = (replace(each, id=NpuOpId(each.id + 1)) for each in ops[at:])
    return replace(
        graph,
        feature_maps=(*graph.feature_maps, fm),
        ops=(*ops[:at], copy, *later),
        islands=tuple(_island(each, changed[-1].id, at) for each in graph.islands),
        lineage=tuple(
            replace(each, npu_ops=_with_number(each.npu_ops, at, is_own=each.op in copy.sources))
            for each in graph.lineage
        ),
        folds=tuple(
            replace(each, ops=_with_number(each.ops, at, is_own=False)) for each in graph.folds
        ),
    )


def _island(island: Island, changed: NpuOpId, at: NpuOpId) -> Island:
    return replace(island, ops=_with_number(island.ops, at, is_own=changed in island.ops))


def _with_number(numbers: tuple[NpuOpId, ...], at: NpuOpId, *, is_own: bool) -> tuple[NpuOpId, ...]:
    """The operators by their new numbers, among them the copy if it is one of them."""
    moved = [NpuOpId(number + (number >= at)) for number in numbers]
    return tuple(sorted([*moved, at])) if is_own else tuple(moved)
