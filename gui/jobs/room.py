"""What other models in the same device leave of its fast storage; no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from core.api import schedules, together
from core.base.frozen import Frozen, replace
from core.ir.settings import Settings
from core.target.target import Target
from gui.document.document import Document


class Room(Frozen, eq=False):
    """The others, scheduled so that all of them fit, and the limit that is left."""

    name: str
    others: tuple[tuple[str, schedules.Scheduled], ...]
    calls: together.Calls
    shared_bytes: int | None
    """The limit for all of them; None where nobody says."""
    own_bytes: int | None
    """What of it the model may take that is shown."""
    unlimited_bytes: int
    """What is enough for all of them to be as fast as they can."""

    def within(self, settings: Settings) -> Settings:
        """The same settings in what is left."""
        if self.own_bytes is None or self.own_bytes == self.shared_bytes:
            return settings
        return replace(settings, limit_bytes=self.own_bytes)

    def around(self, scheduled: schedules.Scheduled) -> together.Together:
        """Where all arenas lie beside a schedule of the model that is shown."""
        names = (self.name, *(name for name, _ in self.others))
        found = (scheduled, *(each for _, each in self.others))
        return together.arranged(names, found, self.calls, self.shared_bytes)


def room_of(
    document: Document, models: Sequence[together.Model], most: Sequence[int], target: Target
) -> Room:
    """The room that others leave the first of some models, which take so much at most."""
    shared = together.shared_limit(target)
    calls = document.company.calls
    found, placed = together.scheduled(models, calls, shared)
    names, own = [model.name for model in models], found[0]
    # What takes the least there is, and is too large beside the others, is no larger than it is.
    has_states = any(each.states for memory in placed.memories for each in memory.arenas)
    lies_over = calls is together.Calls.IN_TURN and not has_states
    left = max(own.target.fast_limit_bytes, own.fast_bytes)
    return Room(
        name=names[0],
        others=tuple(zip(names[1:], found[1:], strict=True)),
        calls=calls,
        shared_bytes=shared,
        own_bytes=None if shared is None else min(left, shared),
        unlimited_bytes=max(most) if lies_over else sum(most),
    )
