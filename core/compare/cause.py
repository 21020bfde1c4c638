"""Which decisions a difference follows from, aspect by aspect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.frozen import Changing, field
from core.compare.comparison import Aspect, Cause, Difference, OpPair

_TOLD = 0.8
"""Of a difference; what is left follows from decisions of less weight."""


class _Group(Changing):
    """Operators that differ first in one aspect."""

    pairs: list[int] = field(default_factory=list)
    cycles: float = 0


def causes_of(pairs: Sequence[OpPair]) -> tuple[Cause, ...]:
    """All of a difference in cycles by what its operators differ in first, ranked: what most of the
    whole follows from, or what changes most where that is as fast as before.

    Each operator that differs is in one of them, so that their cycles come to those of the whole.
    """
    groups: dict[Aspect | None, _Group] = {}
    for at, pair in enumerate(pairs):
        if pair.is_equal:
            continue
        group = groups.setdefault(_key(pair), _Group())
        group.pairs.append(at)
        group.cycles += pair.cycles
    total = sum(pair.cycles for pair in pairs)
    sign = -1 if total < 0 else 1
    return tuple(
        Cause(
            difference=_most(pairs, group.pairs),
            pairs=tuple(group.pairs),
            cycles=group.cycles,
            share=group.cycles / total if total else None,
        )
        for group in sorted(
            groups.values(),
            key=lambda each: each.cycles * sign if total else abs(each.cycles),
            reverse=True,
        )
    )


def _key(pair: OpPair) -> Aspect | None:
    """What comes first of all that differs; None where cycles alone do."""
    return pair.differences[0].aspect if pair.differences else None


def _most(pairs: Sequence[OpPair], group: Sequence[int]) -> Difference | None:
    """What is decided otherwise where most cycles differ."""
    most = max(group, key=lambda at: abs(pairs[at].cycles))
    return next(iter(pairs[most].differences), None)


def told_causes(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """As many of the first as explain most of the difference; the first where none has cycles."""
    return tuple(_told(causes))


def _told(causes: Sequence[Cause]) -> Iterator[Cause]:
    total = sum(each.cycles for each in causes)
    whole = abs(total) if total else sum(abs(each.cycles) for each in causes)
    told = 0.0
    for at, each in enumerate(causes):
        if at and told >= _TOLD * whole:
            return
        told += abs(each.cycles) if not total else each.cycles * (1 if total > 0 else -1)
        yield each
