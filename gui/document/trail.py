"""Back and forward through what was shown, as a browser has it: values alone."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import Frozen, NamedTuple
from gui.document.display import Span
from gui.document.look import Look

MOST_SIGHTS = 100
_QUIET_PARTS = ("scroll", "columns", "step")
"""To go back through these would be to go back through every turn of a wheel."""


class Sight(NamedTuple):
    """What the window showed of one schedule."""

    looks: Mapping[str, Look]
    """How views are set, by name, without what is quiet."""
    span: Span | None
    panels: tuple[str, ...]
    """Views that can be seen."""
    layout: str
    """Where panels are; another window size alone makes no other sight."""

    def is_like(self, other: Sight) -> bool:
        """Whether a user would see no difference."""
        return self[:3] == other[:3]


def without_quiet(look: Look) -> Look:
    """The parts of a look that are gone back through."""
    return {name: value for name, value in look.items() if name.split(".")[-1] not in _QUIET_PARTS}


class Trail(Frozen):
    """What is shown now, between what was and what will be shown again."""

    past: tuple[Sight, ...] = ()
    present: Sight
    future: tuple[Sight, ...] = ()

    def seen(self, sight: Sight) -> Trail:
        """After the user has turned to something; what lay ahead is left."""
        if sight.is_like(self.present):
            return self
        return Trail(past=(*self.past, self.present)[-MOST_SIGHTS:], present=sight)

    def renewed(self, sight: Sight) -> Trail:
        """The present has become another by itself."""
        return Trail(past=self.past, present=sight, future=self.future)

    def back(self) -> Trail:
        """One step back, where there is one."""
        if not self.past:
            return self
        return Trail(
            past=self.past[:-1], present=self.past[-1], future=(self.present, *self.future)
        )

    def forward(self) -> Trail:
        """One step forward, where there is one."""
        if not self.future:
            return self
        return Trail(
            past=(*self.past, self.present), present=self.future[0], future=self.future[1:]
        )
