"""Which decision most of a difference follows from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.compare.comparison import Aspect, Cause, Difference, OpPair


@dataclass(slots=True)
class _Group:
    """Operators that differ for one cause."""

    difference: Difference
    pairs: list[int] = field(default_factory=list)
    cycles: float = 0


def first_cause(pairs: Sequence[OpPair]) -> Cause | None:
    """The cause with the most cycles of the difference; the first one, where none has any."""
    groups: dict[object, _Group] = {}
    for at, key in _causes(pairs):
        group = groups.setdefault(key, _Group(pairs[at].differences[0]))
        group.pairs.append(at)
        group.cycles += pairs[at].cycles
    if not groups:
        return None
    total = sum(pair.cycles for pair in pairs)
    sign = -1 if total < 0 else 1
    # Where the whole is as fast as before, what changes most is told.
    best = max(groups.values(), key=lambda each: each.cycles * sign if total else abs(each.cycles))
    return Cause(
        difference=best.difference,
        pairs=tuple(best.pairs),
        cycles=best.cycles,
        share=best.cycles / total if total else None,
    )


def _causes(pairs: Sequence[OpPair]) -> Iterator[tuple[int, object]]:
    """Operators with differences, and what those have in common that differ for one cause."""
    gap = 0
    for at, pair in enumerate(pairs):
        if not pair.differences:
            gap += 1
            continue
        first = pair.differences[0]
        match first.aspect:
            case Aspect.PRESENCE:
                # Operators that are other ones in one place stand for each other.
                yield at, (first.aspect, gap)
            case Aspect.MEMORY:
                yield at, (first.aspect, first.about)
                gap += 1
            case Aspect.CASCADE:
                yield at, (first.aspect, first.before or first.after)
                gap += 1
            case _:
                yield at, (first.aspect, at)
                gap += 1
