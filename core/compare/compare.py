"""Two accounts become a comparison."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from core.base.frozen import replace
from core.base.rising import most_rising
from core.compare.account import Account, AccountOp, AccountRange
from core.compare.cause import causes_of
from core.compare.comparison import (
    Aspect,
    CascadePair,
    Comparison,
    Difference,
    Fate,
    Figure,
    OpPair,
    RangePair,
    Value,
)
from core.edits.matching import match
from core.edits.told import ToldOp
from core.target.target import Area

_Key = tuple[object, ...]


def compare(a: Account, b: Account) -> Comparison:
    """B held against A."""
    has_cycles = all(op.cycles is not None for op in (*a.ops, *b.ops))
    places = tuple(_places(a, b))
    pairs = tuple(
        _pair(
            None if one is None else a.ops[one],
            None if other is None else b.ops[other],
            has_cycles=has_cycles,
        )
        for one, other in places
    )
    cascades, torn = _cascades(a, b, places)
    moved = _moved(a, b, places)
    pairs = tuple(
        _with(pair, *(found[at] for found in (torn, moved) if at in found))
        for at, pair in enumerate(pairs)
    )
    return Comparison(
        a=a,
        b=b,
        figures=tuple(_figures(a.totals, b.totals)),
        operators=pairs,
        ranges=tuple(_ranges(a, b, pairs)),
        cascades=cascades,
        # What one side does not tell is no difference.
        causes=() if a.is_totals_alone or b.is_totals_alone else causes_of(pairs),
        has_whole_cycles=has_cycles,
    )


def _figures(before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[Figure]:
    for name in dict.fromkeys((*before, *after)):
        yield Figure(name=name, before=before.get(name), after=after.get(name))


def _places(a: Account, b: Account) -> Iterator[tuple[int | None, int | None]]:
    """Pairs in the order in which B runs, each operator in one of them; what has no partner in B
    stands behind the one that runs before it in A."""
    signs = [[op.told.sign for op in side.ops] for side in (a, b)]
    partners = {other: one for one, other in match(*signs).pairs}
    known = frozenset(partners.values())
    yield from _alone(range(len(a.ops)), known)
    for other in range(len(b.ops)):
        one = partners.get(other)
        yield one, other
        if one is not None:
            yield from _alone(range(one + 1, len(a.ops)), known)


def _alone(places: Iterable[int], known: frozenset[int]) -> Iterator[tuple[int, None]]:
    """Operators of A without a partner, up to one that has one."""
    for place in places:
        if place in known:
            return
        yield place, None


def _pair(a: AccountOp | None, b: AccountOp | None, *, has_cycles: bool) -> OpPair:
    return OpPair(
        a=a,
        b=b,
        before_cycles=_cycles(a, has_cycles=has_cycles),
        after_cycles=_cycles(b, has_cycles=has_cycles),
        differences=tuple(_differences(a, b)),
    )


def _cycles(op: AccountOp | None, *, has_cycles: bool) -> float:
    if op is None:
        return 0
    return op.cycles if has_cycles and op.cycles is not None else op.own_cycles


def _differences(a: AccountOp | None, b: AccountOp | None) -> Iterator[Difference]:
    """Decisions that both tell and that are other ones, causes first; not the cascade."""
    if a is None or b is None:
        kinds = [None if op is None else op.kind for op in (a, b)]
        yield Difference(aspect=Aspect.PRESENCE, before=kinds[0], after=kinds[1])
        return
    theirs = {each.role: each for each in b.maps}
    for told in a.maps:
        other = theirs.get(told.role)
        if other is not None and other.memory != told.memory:
            yield Difference(
                aspect=Aspect.MEMORY, before=told.memory, after=other.memory, about=told.name
            )
    after = _decisions(b.told)
    for aspect, value in _decisions(a.told).items():
        is_told = aspect is Aspect.STRIPE or None not in (value, after[aspect])
        if is_told and value != after[aspect]:
            yield Difference(aspect=aspect, before=value, after=after[aspect])


def _decisions(op: ToldOp) -> dict[Aspect, Value]:
    """What was decided for an operator alone; None where that is not told, or nothing is cut."""
    is_whole = op.stripe_rows >= op.sign.ofm[-1].h
    return {
        Aspect.FORMAT: None if op.format is None else op.format.value,
        # A whole map is one stripe, in whatever shape it is seen.
        Aspect.STRIPE: None if is_whole else op.stripe_rows,
        Aspect.BLOCK: op.block,
        Aspect.TRAVERSAL: op.is_part_kernel,
        Aspect.SLICES: op.depths[:-1],
        Aspect.BUFFERS: op.buffers,
        Aspect.PREFETCH: op.is_prefetched,
    }


def _cascades(
    a: Account, b: Account, places: Sequence[tuple[int | None, int | None]]
) -> tuple[tuple[CascadePair, ...], dict[int, Difference]]:
    """Cascades that have no equal on the other side; by pair, how long its cascades are."""
    at_a = {one: at for at, (one, _) in enumerate(places) if one is not None}
    at_b = {other: at for at, (_, other) in enumerate(places) if other is not None}
    before = [tuple(at_a[op] for op in ops) for ops in a.cascades.values()]
    after = [tuple(at_b[op] for op in ops) for ops in b.cascades.values()]
    only_before = [ops for ops in before if ops not in after]
    only_after = [ops for ops in after if ops not in before]
    of_before = {at: ops for ops in only_before for at in ops}
    of_after = {at: ops for ops in only_after for at in ops}
    found: list[CascadePair] = []
    torn: dict[int, Difference] = {}
    taken: set[tuple[int, ...]] = set()
    for at in sorted({*of_before, *of_after}):
        one, other = of_before.get(at, ()), of_after.get(at, ())
        torn[at] = Difference(aspect=Aspect.CASCADE, before=one or None, after=other or None)
        if (one and one not in taken) or (other and other not in taken):
            found.append(CascadePair(before=one, after=other))
            taken |= {one, other}
    return tuple(found), torn


def _moved(
    a: Account, b: Account, places: Sequence[tuple[int | None, int | None]]
) -> dict[int, Difference]:
    """By pair: that it was moved past others; of those that changed places, as few as can be."""
    both = sorted((one, other) for one, other in places if one is not None and other is not None)
    kept = set(most_rising(both))
    at = {pair: place for place, pair in enumerate(places)}
    return {
        at[one, other]: Difference(
            aspect=Aspect.ORDER, before=a.ops[one].places[0], after=b.ops[other].places[0]
        )
        for one, other in both
        if (one, other) not in kept
    }


def _with(pair: OpPair, *more: Difference) -> OpPair:
    differences = sorted((*pair.differences, *more), key=lambda each: _ORDER[each.aspect])
    return replace(pair, differences=tuple(differences))


_ORDER = {aspect: place for place, aspect in enumerate(Aspect)}


def _ranges(a: Account, b: Account, pairs: Sequence[OpPair]) -> Iterator[RangePair]:
    """Ranges of A with their like in B, then those of B alone."""
    names = {
        pair.b.told.sign.made: pair.a.told.sign.made
        for pair in pairs
        if pair.a is not None and pair.b is not None
    }
    ops = {
        number: pair.a.numbers[0]
        for pair in pairs
        if pair.a is not None and pair.b is not None
        for number in pair.b.numbers
    }
    own = {number: op.numbers[0] for op in a.ops for number in op.numbers}
    keys: tuple[tuple[Sequence[Hashable], Sequence[Hashable]], ...] = (
        # Names may be of several tensors, but what is told alike in all respects is the same.
        (a.ranges, b.ranges),
        ([_key(each, {}, own) for each in a.ranges], [_key(each, names, ops) for each in b.ranges]),
        # What lies in the same place is the same, as far as nobody has a name for it.
        ([_spot(each) for each in a.ranges], [_spot(each) for each in b.ranges]),
    )
    found: dict[int, int] = {}
    for of_a, of_b in keys:
        partners = set(found.values())
        found |= _equal(
            [None if at in found else key for at, key in enumerate(of_a)],
            [None if at in partners else key for at, key in enumerate(of_b)],
        )
    partners = set(found.values())
    known_a = {(name, *_spot(each)[:3]) for each in a.ranges for name in each.tensors}
    known_b = {
        (names.get(name, name), *_spot(each)[:3]) for each in b.ranges for name in each.tensors
    }
    for at, each in enumerate(a.ranges):
        if at in found:
            yield RangePair(a=each, b=b.ranges[found[at]], fate=_fate(each, b.ranges[found[at]]))
        elif not any((name, *_spot(each)[:3]) in known_b for name in each.tensors):
            yield RangePair(a=each, b=None, fate=Fate.GONE)
    for at, each in enumerate(b.ranges):
        # Maps that are made in place are one range in one account, and several in another.
        shared = ((names.get(name, name), *_spot(each)[:3]) for name in each.tensors)
        if at not in partners and not any(key in known_a for key in shared):
            yield RangePair(a=None, b=each, fate=Fate.NEW)


def _equal(keys_a: Sequence[Hashable | None], keys_b: Sequence[Hashable | None]) -> dict[int, int]:
    """Places with equal keys, each in one pair at most, in their order."""
    left: defaultdict[Hashable | None, deque[int]] = defaultdict(deque)
    for at, key in enumerate(keys_b):
        left[key].append(at)
    return {
        at: left[key].popleft() for at, key in enumerate(keys_a) if key is not None and left[key]
    }


def _spot(told: AccountRange) -> _Key:
    """Where a range lies, and how large it is."""
    return told.purpose, told.memory, told.address, told.size_bytes


def _key(told: AccountRange, names: Mapping[str, str], ops: Mapping[int, int]) -> _Key:
    """What a range is known by on both sides."""
    if told.op is not None:
        is_fast = told.memory == Area.SRAM.value
        return told.purpose, ops.get(told.op, ("?", told.op)), told.buffer, is_fast
    first = next((name for name in told.tensors if name in names), told.tensors[0])
    return told.purpose, names.get(first, first)


def _fate(a: AccountRange, b: AccountRange) -> Fate:
    if a.memory != b.memory:
        # Of a file that does not say what was evicted, only that it lies elsewhere is known.
        if None in (a.is_evicted, b.is_evicted) or a.is_evicted == b.is_evicted:
            return Fate.MOVED
        return Fate.EVICTED if b.is_evicted else Fate.RETURNED
    if a.size_bytes != b.size_bytes:
        return Fate.GROWN if b.size_bytes > a.size_bytes else Fate.SHRUNK
    return Fate.SAME if a.address == b.address else Fate.MOVED
