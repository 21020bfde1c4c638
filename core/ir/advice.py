"""Advice: something else to ask for, what was found when it was asked, and how that compares."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen
from core.ir.edits import Edit
from core.ir.settings import Settings


class Topic(enum.Enum):
    """What kind of change it is."""

    SEARCH = "search"
    """Another search, engine, strategy, policy or allocator."""
    LESS_MEMORY = "less memory"
    MORE_MEMORY = "more memory"
    MODE = "memory mode"
    EDIT = "edit"
    """A decision about one operator or map."""


class Occasion(enum.Enum):
    """Why an edit or a limit was tried; the value is its name in files."""

    WORST = "most cycles"
    """It is of an operator with most cycles."""
    EVICTED = "evicted"
    """Of a map that found no room in fast storage."""
    LEFT = "left"
    """Of a map that could be in fast storage, and did not compete for it."""
    PADDED = "padded"
    """Of a map whose bricks hold channels that are none."""
    AT_PEAK = "at the peak"
    """Of a map that is live in fast storage when most is."""
    WAITING = "waiting"
    """Of such a map that nobody touches for many steps."""


class Because(Frozen):
    """Why something was tried, with the numbers that say so; 0 where they say nothing."""

    occasion: Occasion
    map: str = ""
    """Its whole name."""
    title: str = ""
    """Its short one."""
    size_bytes: int = 0
    """Of the map; of a padded one what is no element."""
    channels: int = 0
    """Of a padded map."""
    steps: int = 0
    """For which it waits."""
    readers: int = 0
    """For whom it waits."""


class Effect(Frozen):
    """What a schedule comes to."""

    cycles: float
    fast_bytes: int
    evicted_bytes: int
    excess_bytes: int

    @property
    def fits(self) -> bool:
        """Whether no limit is exceeded."""
        return not self.excess_bytes


class Tip(Frozen):
    """Something that helps: it was tried."""

    topic: Topic
    settings: Settings
    """What to ask for: all of it, so that asking finds what is claimed."""
    edit: Edit | None
    """The edit that is new in the settings, where it is about one."""
    before: Effect
    after: Effect
    because: Because | None = None
    """Why that edit, or that limit."""
    tells_cycles: bool = True
    """Whether its cycles differ from those before by more than the error of the estimate."""

    @property
    def cycles(self) -> float:
        """Cycles more; less than 0 where it is faster."""
        return self.after.cycles - self.before.cycles

    @property
    def fast_bytes(self) -> int:
        """Bytes of fast storage more."""
        return self.after.fast_bytes - self.before.fast_bytes
