"""Edits that may help, and why each is tried: none of them is advice before it was."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.base.frozen import NamedTuple, replace
from core.base.geometry import Block, round_up
from core.base.ids import FmId, NpuOpId
from core.edits.names import Names
from core.ir.advice import Because, Occasion
from core.ir.decisions import Fate
from core.ir.edits import Edit, Grouping, Living, OpsNamed, WeightsAsked, What
from core.ir.layout import Placement
from core.ir.npugraph import NpuGraph
from core.ir.schedule import Evicted, OpPlan
from core.ir.scheduled import Scheduled
from core.pipeline.legal_values import kept_in_order, legal_blocks, legal_formats
from core.report.padding import live_at_peak
from core.target.format import BRICK_DEPTH, Format

_WORST = 4
"""Operators with most cycles of which blocks and formats are tried."""
_EVICTED = 4
"""Evicted groups of each kind, the largest first, of which it is tried to keep one."""
_BLOCKS = 2
_PADDED = 3
"""Maps with most padding of which it is tried to store them in rows."""
_AT_PEAK = 3
"""The largest maps of the peak, which are tried as rolling buffers of a cascade."""
_WAITING = 3
"""The maps of the peak with most bytes that wait long for their next reader."""
_LONG_STEPS = 2
"""So many steps in which nobody touches a map are a long wait."""
_MOST_TOGETHER = 12
"""Operators that are tried as one cascade."""
_MOST_BUFFERS = 2


class Proposal(NamedTuple):
    """An edit that may help, and why it is tried."""

    edit: Edit
    because: Because


def proposals(shown: Scheduled) -> Iterator[Proposal]:
    """Edits whose subjects nobody has decided about."""
    taken = {(edit.subject, edit.what) for edit in shown.options.edits if edit.is_on}
    names = Names.of(shown.graph)
    worst = sorted(shown.schedule.ops, key=lambda plan: -shown.cost(plan).total_cycles)[:_WORST]
    found: dict[Edit, Because] = {}
    for group in (*largest(roomless(shown)), *largest(_left(shown))):
        edit = Edit(subject=names.maps[group.fms[0]], what=What.REGION, value=Living.FAST)
        found.setdefault(edit, because_evicted(shown, group))
    for edit, because in (*_unpadded(shown, names), *_rolled(shown, names), *_held(shown, names)):
        found.setdefault(edit, because)
    for plan in worst:
        for edit in about(shown, plan, names):
            found.setdefault(edit, Because(occasion=Occasion.WORST))
    for edit, because in found.items():
        if (edit.subject, edit.what) not in taken:
            yield Proposal(edit, because)


def largest(groups: Sequence[Evicted]) -> Sequence[Evicted]:
    """The largest first, as far as it is tried to keep them."""
    return sorted(groups, key=lambda each: -each.size_bytes)[:_EVICTED]


def roomless(shown: Scheduled) -> Sequence[Evicted]:
    """Evicted groups that found no room."""
    left = _left(shown)
    return [each for each in shown.schedule.evicted if each not in left]


def _left(shown: Scheduled) -> Sequence[Evicted]:
    """Evicted groups that begin with what a cascade makes, for which no room was looked for."""
    fates = shown.schedule.fates
    return [each for each in shown.schedule.evicted if fates.get(each.fms[0]) is Fate.CASCADED]


def _about(graph: NpuGraph, fm: FmId, occasion: Occasion, size_bytes: int) -> Because:
    """Something about a map, by both of its names."""
    return Because(
        occasion=occasion,
        map=graph.feature_maps[fm].name,
        title=graph.titles.map(fm),
        size_bytes=size_bytes,
    )


def because_evicted(shown: Scheduled, group: Evicted) -> Because:
    """That a map is not in fast storage."""
    occasion = Occasion.LEFT if group in _left(shown) else Occasion.EVICTED
    return _about(shown.graph, group.fms[0], occasion, group.size_bytes)


def _unpadded(shown: Scheduled, names: Names) -> Iterator[Proposal]:
    """Rows for the maps of which bricks hold most that is no element."""
    maps, plans = shown.graph.feature_maps, shown.schedule.maps
    lost: dict[FmId, int] = {}
    for number, (found, plan) in enumerate(zip(maps, plans, strict=True)):
        if plan.format is Format.BRICKS and found.shape:
            wider = round_up(found.shape[-1], BRICK_DEPTH) - found.shape[-1]
            lost[FmId(number)] = math.prod(found.shape[:-1]) * wider * found.dtype.bits // 8
    offers = legal_formats(shown)
    padded = sorted((fm for fm in lost if lost[fm]), key=lambda fm: -lost[fm])
    for fm in padded[:_PADDED]:
        if any(offer.format is Format.LINEAR for offer in offers[fm]):
            edit = Edit(subject=names.maps[fm], what=What.FORMAT, value=Format.LINEAR)
            yield Proposal(
                edit,
                replace(
                    _about(shown.graph, fm, Occasion.PADDED, lost[fm]),
                    channels=maps[fm].shape[-1],
                ),
            )


def _rolled(shown: Scheduled, names: Names) -> Iterator[Proposal]:
    """Makers and readers of the largest maps of the peak, to run in one cascade."""
    cascades = {
        op: (island.island, at)
        for island in shown.schedule.islands
        for at, cascade in enumerate(island.cascades)
        for op in cascade.ops
    }
    makers = {op.ofm.fm: op.id for op in shown.graph.ops}
    readers: dict[FmId, list[NpuOpId]] = {}
    for op in shown.graph.ops:
        for view in op.views[:-1]:
            readers.setdefault(view.fm, []).append(op.id)
    live = sorted(live_at_peak(shown), key=lambda place: -place.size_bytes)
    for place in live[:_AT_PEAK]:
        maker = makers.get(place.fms[0])
        for reader in readers.get(place.fms[0], ())[:1]:
            own = None if maker is None else cascades.get(maker)
            if maker is not None and (own is None or own != cascades.get(reader)):
                because = _because_of(shown, Occasion.AT_PEAK, place)
                yield Proposal(_together(names, (maker, reader)), because)


class _Wait(NamedTuple):
    """Steps in which a map is in memory and nobody touches it."""

    place: Placement
    since: int
    """Whoever touches it last before, by its turn."""
    until: int
    readers: int
    """Those that read it then or later."""

    @property
    def steps(self) -> int:
        """Operators that run meanwhile."""
        return self.until - self.since - 1


def _held(shown: Scheduled, names: Names) -> Iterator[Proposal]:
    """Ways to hold what waits long at the peak for less time, or in less memory, or elsewhere."""
    order = [plan.op for island in shown.schedule.islands for plan in island.ops]
    waits = [wait for place in live_at_peak(shown) if (wait := _longest(shown, order, place))]
    longest = sorted(waits, key=lambda wait: -wait.place.size_bytes * wait.steps)
    for wait in longest[:_WAITING]:
        first, last = order[wait.since], order[wait.until]
        because = _because_of(shown, Occasion.WAITING, wait.place, wait.steps, wait.readers)
        if wait.steps + 2 <= _MOST_TOGETHER:
            between = tuple(order[wait.since : wait.until + 1])
            yield Proposal(_together(names, between), because)
        # Whoever makes it can run later, or whoever reads it sooner, where nothing needs the order.
        orders = [(last, order[wait.since + 1])]
        if shown.graph.ops[first].ofm.fm in wait.place.fms:
            orders.append((order[wait.until - 1], first))
        for sooner, later in orders:
            if not kept_in_order(shown, later, sooner):
                value = names.ops[later]
                yield Proposal(
                    Edit(subject=names.ops[sooner], what=What.BEFORE, value=value), because
                )
        if shown.target.is_spilling:
            fm = wait.place.fms[-1]
            slow = Edit(subject=names.maps[fm], what=What.REGION, value=Living.SLOW)
            yield Proposal(slow, because)


def _longest(shown: Scheduled, order: Sequence[NpuOpId], place: Placement) -> _Wait | None:
    """The longest wait of some bytes, if it is a long one."""
    held = set(place.fms)
    touched = [{view.fm for view in shown.graph.ops[op].views} for op in order]
    turns = [turn for turn, fms in enumerate(touched) if not held.isdisjoint(fms)]
    waits = [
        _Wait(place, before, after, len(turns) - at)
        for at, (before, after) in enumerate(pairwise(turns), 1)
        if after - before - 1 >= _LONG_STEPS
    ]
    return max(waits, key=lambda wait: wait.steps, default=None)


def _because_of(
    shown: Scheduled, occasion: Occasion, place: Placement, steps: int = 0, readers: int = 0
) -> Because:
    about = _about(shown.graph, place.fms[-1], occasion, place.size_bytes)
    return replace(about, steps=steps, readers=readers)


def _together(names: Names, ops: Sequence[NpuOpId]) -> Edit:
    subject = OpsNamed(tuple(names.ops[op] for op in ops))
    return Edit(subject=subject, what=What.CASCADE, value=Grouping.TOGETHER)


def about(shown: Scheduled, plan: OpPlan, names: Names) -> Iterator[Edit]:
    """What could be decided otherwise about an operator: block, format, how weights come."""
    name, made = names.ops[plan.op], shown.op(plan).ofm.fm
    for block in _faster_blocks(shown, plan):
        yield Edit(subject=name, what=What.BLOCK, value=block)
    for offer in legal_formats(shown)[made]:
        if offer.format is not shown.schedule.maps[made].format:
            yield Edit(subject=names.maps[made], what=What.FORMAT, value=offer.format)
    ways = range(_MOST_BUFFERS + 1) if plan.weights is not None else ()
    for buffers in ways:
        if plan.weights is not None and buffers != len(plan.weights.buffer_bytes):
            yield Edit(subject=name, what=What.WEIGHTS, value=WeightsAsked(buffers=buffers))


def _faster_blocks(shown: Scheduled, plan: OpPlan) -> Iterator[Block]:
    """Other blocks that promise most."""
    own = plan.block.ofm_block
    others = (offer.block for offer in legal_blocks(shown, plan.op) if offer.block != own)
    for _, block in zip(range(_BLOCKS), others, strict=False):
        yield block
