"""Answers that hold for many sizes: what is only compared with a size is the same for others.

The search asks for room again and again, each time for another limit. Most answers would be the
same with more room or less; an answer that knows between which sizes that is so is given again.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Generic, TypeVar

from core.base.frozen import Changing, Frozen, field

_Answer = TypeVar("_Answer")
_MOST_KEPT = 32
"""Answers to one question, for different sizes."""


class Reach(Changing):
    """A size, and between which others all that was asked of it has the same answer."""

    size_bytes: int
    least: float = -math.inf
    most: float = math.inf
    """Sizes from the least on, below the most."""

    def holds(self, wanted_bytes: float) -> bool:
        """Whether so much has room."""
        if wanted_bytes <= self.size_bytes:
            self.least = max(self.least, wanted_bytes)
            return True
        self.most = min(self.most, wanted_bytes)
        return False

    def holds_more_than(self, wanted_bytes: int) -> bool:
        """Whether so much has room, and something is left."""
        return self.holds(wanted_bytes + 1)

    def half_holds(self, wanted_bytes: float) -> bool:
        """Whether so much has room in the lower half."""
        return self.holds(2 * math.ceil(wanted_bytes))

    @property
    def half_bytes(self) -> int:
        """Half of it, of which every byte counts."""
        self.least, self.most = self.size_bytes, self.size_bytes + 1
        return self.size_bytes // 2


class _Kept(Frozen, Generic[_Answer], kw_only=False):
    ranges: tuple[tuple[float, float], ...]
    answer: _Answer


class Answers(Changing, Generic[_Answer]):
    """Answers by question, with the sizes for which each holds."""

    _known: dict[Hashable, list[_Kept[_Answer]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._known)

    def find(self, question: Hashable, *asked: Reach) -> _Answer | None:
        """The answer for some sizes, if it is known."""
        sizes = [each.size_bytes for each in asked]
        # Who asks now is likely to ask for a size near that of whoever asked last.
        for kept in reversed(self._known.get(question, ())):
            for size, (least, most) in zip(sizes, kept.ranges, strict=True):
                if not least <= size < most:
                    break
            else:
                return kept.answer
        return None

    def keep(self, question: Hashable, answer: _Answer, *asked: Reach) -> None:
        """Remember an answer for all sizes that have the same."""
        known = self._known.setdefault(question, [])
        known.append(_Kept(tuple((each.least, each.most) for each in asked), answer))
        if len(known) > _MOST_KEPT:
            del known[0]
