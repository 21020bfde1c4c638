"""The decisions of another schedule of a network, whoever made it, as edits."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from core.base.frozen import Frozen
from core.edits.freeze import order_of
from core.edits.matching import match
from core.edits.names import Names
from core.edits.resolve import border_of
from core.edits.told import Sign, ToldMap, ToldOp, moved_bytes
from core.ir.edits import (
    Edit,
    Grouping,
    Living,
    MapNamed,
    OpNamed,
    OpsNamed,
    Traversal,
    WeightsAsked,
    What,
)
from core.ir.held import Spot
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from core.ir.shown import At
from core.target.region import Region

_MOST_BUFFERS = 2


class Unadopted(enum.Enum):
    """What of another schedule cannot be asked for here."""

    NOT_HERE = "operators of it that are none here"
    NOT_THERE = "operators here that are none there"
    AMBIGUOUS = "operators that could be several of it"
    OTHER_KERNEL = "operators that read through another window there"
    OTHER_SHAPE = "operators that make their maps in another shape there"
    TORN = "cascades with operators that are none here"
    HIGHER = "rolling buffers with more rows than their map"
    OTHER_DEPTH = "operators whose slices end elsewhere"


class Adopted(Frozen):
    """Edits that ask for what another schedule does, and what could not be asked for."""

    edits: tuple[Edit, ...]
    matched: int
    """Operators that are the same in both."""
    unadopted: tuple[tuple[Unadopted, int], ...]
    """How often, by kind; those that are adopted after all, since one had to be taken, too."""

    @property
    def is_of_another(self) -> bool:
        """Whether most of the other schedule's operators are none of this network."""
        return dict(self.unadopted).get(Unadopted.NOT_HERE, 0) >= self.matched


def places(graph: NpuGraph, told: Sequence[ToldOp], maps: Sequence[ToldMap]) -> tuple[At, ...]:
    """Where a schedule has what is the same here: what operators make, their weights, and what has
    the name of a map that none of them makes."""
    names = Names.of(graph)
    found = match([op.sign for op in told], [_sign(graph, op) for op in graph.ops])
    by_name = {each.name: each for each in maps}
    made = {op.ofm.fm for op in graph.ops}
    spots: dict[tuple[MapNamed | OpNamed, int], At] = {}
    for fm, name in zip(graph.feature_maps, names.maps, strict=True):
        known = by_name.get(fm.name)
        if fm.id not in made and known is not None:
            spots[name, 0] = _at(name, known.spot, is_fast=known.is_fast)
    for one, other in found.pairs:
        op, own = told[one], graph.ops[other]
        name = names.maps[own.ofm.fm]
        known = by_name.get(op.sign.made)
        if op.address is not None and op.region is not None and not op.region.is_permanent:
            size = known.spot.size_bytes if known is not None else 0
            is_fast = op.region is Region.SCRATCH_FAST or (known is not None and known.is_fast)
            spots[name, 0] = _at(name, Spot(op.address, size), is_fast=is_fast)
        for buffer, spot in enumerate(op.buffer_spots):
            spots[names.ops[own.id], buffer] = _at(names.ops[own.id], spot, buffer, is_fast=True)
    return tuple(spots.values())


def _at(subject: MapNamed | OpNamed, spot: Spot, buffer: int = 0, *, is_fast: bool) -> At:
    return At(
        fm=subject if isinstance(subject, MapNamed) else None,
        op=subject if isinstance(subject, OpNamed) else None,
        buffer=buffer,
        is_fast=is_fast,
        address=spot.address,
        size_bytes=spot.size_bytes,
        ahead_times=spot.ahead_times,
    )


def adopt(
    graph: NpuGraph, told: Sequence[ToldOp], *, has_two: bool, with_addresses: bool = False
) -> Adopted:
    """Edits for all that a schedule tells of the operators that are the same here.

    Where maps live is asked for where there are two memories for them (`has_two`); addresses are
    only asked for `with_addresses`.
    """
    names = Names.of(graph)
    signs = [_sign(graph, op) for op in graph.ops]
    found = match([op.sign for op in told], signs)
    pairs = [
        _Pair(told[one], graph.ops[other], signs[other], one, is_first=_is_first(told, one))
        for one, other in found.pairs
    ]
    alike = [pair for pair in pairs if pair.is_alike]
    by_place = {pair.place: names.ops[pair.own.id] for pair in pairs}
    cascades = [*_cascades(graph, told, by_place, names)]
    counts = {
        Unadopted.NOT_HERE: len(told) - len(pairs),
        Unadopted.NOT_THERE: len(graph.ops) - len(pairs),
        Unadopted.AMBIGUOUS: len(found.ambiguous),
        Unadopted.OTHER_KERNEL: sum(not pair.has_same_window for pair in pairs),
        Unadopted.OTHER_SHAPE: len(pairs) - len(alike),
        Unadopted.TORN: sum(None in ops for ops in _groups(told, by_place).values()),
        Unadopted.HIGHER: sum(
            (pair.told.rolling_rows or 0) > pair.own.ofm.shape.h for pair in alike
        ),
        Unadopted.OTHER_DEPTH: sum(
            pair.told.sign.has_weights and not pair.has_all_depths for pair in alike
        ),
    }
    maps = dict.fromkeys(
        edit
        for pair in alike
        for edit in _map(pair, names, has_two=has_two, with_addresses=with_addresses)
    )
    return Adopted(
        edits=(
            *maps,
            *cascades,
            *_order(graph, pairs, names),
            *(edit for pair in alike for edit in _op(pair, names)),
        ),
        matched=len(pairs),
        unadopted=tuple((kind, count) for kind, count in counts.items() if count),
    )


class _Pair(Frozen, kw_only=False):
    """An operator as it is told, and as it is here."""

    told: ToldOp
    own: NpuOp
    sign: Sign
    """What it is known by here."""
    place: int
    is_first: bool
    """Alone, or the first of its cascade."""

    @property
    def is_alike(self) -> bool:
        """Whether stripes, blocks and formats mean the same."""
        return not set(self.sign.ofm).isdisjoint(self.told.sign.ofm)

    @property
    def has_same_window(self) -> bool:
        """Whether blocks and the way through them were weighed for the same work."""
        return self.told.sign.kernel == _kernel(self.own)

    @property
    def has_all_depths(self) -> bool:
        """Whether its slices are of the same channels."""
        return bool(self.told.depths) and self.told.depths[-1] == self.own.made.c


def _is_first(told: Sequence[ToldOp], place: int) -> bool:
    op, before = told[place], told[place - 1] if place else None
    return (
        op.cascade is None
        or before is None
        or (before.island, before.cascade) != (op.island, op.cascade)
    )


def _sign(graph: NpuGraph, op: NpuOp) -> Sign:
    is_copy = op.kind is OpKind.COPY
    moved = (moved_bytes(op.ofm.touched, graph.fm(op.ofm).dtype.bits),) if is_copy else ()
    return Sign(
        name=op.name,
        made=graph.fm(op.ofm).name,
        kernel=_kernel(op),
        ifm=(op.ifm.shape, op.ifm.touched),
        ofm=(op.ofm.shape, op.ofm.touched, *moved),
        has_weights=op.weights is not None,
    )


def _kernel(op: NpuOp) -> tuple[int, ...]:
    kernel = op.kernel
    return (
        *(kernel.w, kernel.h, kernel.stride_w, kernel.stride_h),
        *(kernel.dilation_w, kernel.dilation_h),
    )


def _map(pair: _Pair, names: Names, *, has_two: bool, with_addresses: bool) -> Iterator[Edit]:
    """What is decided for the map that an operator makes."""
    told, subject = pair.told, names.maps[pair.own.ofm.fm]
    if told.format is not None:
        yield Edit(subject=subject, what=What.FORMAT, value=told.format)
    if told.rolling_rows is not None:
        # Further rows would never be used.
        rows = min(told.rolling_rows, pair.own.ofm.shape.h)
        yield Edit(subject=subject, what=What.ROLLING, value=rows)
    elif has_two and told.region is not None:
        yield Edit(subject=subject, what=What.REGION, value=Living.of(told.region))
    if with_addresses and told.address is not None:
        yield Edit(subject=subject, what=What.ADDRESS, value=told.address)


_Groups = Mapping[tuple[int, int], Sequence[OpNamed | None]]


def _groups(told: Sequence[ToldOp], by_place: Mapping[int, OpNamed]) -> _Groups:
    """The operators of each cascade; None stands for one that is none here."""
    found: dict[tuple[int, int], list[OpNamed | None]] = {}
    for place, op in enumerate(told):
        if op.cascade is not None:
            found.setdefault((op.island, op.cascade), []).append(by_place.get(place))
    return found


def _cascades(
    graph: NpuGraph, told: Sequence[ToldOp], by_place: Mapping[int, OpNamed], names: Names
) -> Iterator[Edit]:
    """Each operator that runs alone has an edit of its own: one that cannot be takes no other."""
    for place, name in by_place.items():
        if told[place].cascade is None:
            yield Edit(subject=name, what=What.CASCADE, value=Grouping.NEVER)
    for ops in _groups(told, by_place).values():
        # Between those that are the same, operators of our own may stand: not so with others.
        for is_here, run in groupby(ops, key=lambda name: name is not None):
            named = tuple(name for name in run if name is not None)
            if is_here and len(named) > 1:
                yield Edit(subject=OpsNamed(named), what=What.CASCADE, value=Grouping.TOGETHER)
    for before, after in pairwise(sorted(by_place)):
        borders = [(told[place].island, told[place].cascade) for place in (before, after)]
        if None not in (borders[0][1], borders[1][1]) and borders[0] != borders[1]:
            one, other = (names.op_ids[by_place[place]] for place in (before, after))
            border = border_of(graph, names, one, other)
            yield Edit(subject=border, what=What.CASCADE, value=Grouping.APART)


def _order(graph: NpuGraph, pairs: Sequence[_Pair], names: Names) -> Iterator[Edit]:
    """What runs before what, where that is another order than here."""
    ops = [pair.own.id for pair in sorted(pairs, key=lambda pair: pair.place)]
    yield from order_of(graph, ops, names)


def _op(pair: _Pair, names: Names) -> Iterator[Edit]:
    """What is decided for how an operator works."""
    told, subject = pair.told, names.ops[pair.own.id]
    if told.cascade is not None:
        yield Edit(subject=subject, what=What.STRIPE, value=told.stripe_rows)
    has_block = pair.has_same_window and pair.own.kind is not OpKind.COPY
    block = told.block if has_block else None
    if block is not None:
        yield Edit(subject=subject, what=What.BLOCK, value=block)
    if told.sign.has_weights and pair.own.weights is not None:
        if block is not None:
            traversal = Traversal.of(told.is_part_kernel)
            yield Edit(subject=subject, what=What.TRAVERSAL, value=traversal)
        yield Edit(
            subject=subject,
            what=What.WEIGHTS,
            value=WeightsAsked(
                buffers=min(told.buffers, _MOST_BUFFERS),
                depths=told.depths if pair.has_all_depths else None,
                # All weights of a cascade come before it: those of its first operator say when.
                prefetch=told.is_prefetched if pair.is_first else None,
                lead_steps=told.lead_steps if pair.is_first else None,
            ),
        )
