"""What a choice would come to, tried before it is taken."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.frozen import Frozen
from core.ir.edits import Edit, EditFate, EditOutcome
from core.ir.layout import Placement


class Trial(Frozen):
    """A schedule that is not shown: the one on the screen with something else decided."""

    cycles: float
    fast_bytes: int
    is_within_limits: bool
    edits: tuple[EditOutcome, ...]
    moved: tuple[Placement, ...] = ()
    """What would lie elsewhere than on the screen, where it would lie."""

    def refused(self, edits: Iterable[Edit]) -> tuple[int, int]:
        """How many are refused of those that it has beside these, and how many it has."""
        own = frozenset(edits)
        fates = [each.fate for each in self.edits if each.edit not in own]
        return fates.count(EditFate.REFUSED), len(fates)

    def can_be_had(self, edits: Iterable[Edit]) -> bool:
        """Whether anything of it is honoured beside these edits."""
        lost, count = self.refused(edits)
        return not lost or lost < count
