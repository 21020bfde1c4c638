"""Two sweeps on one file: each cell is computed by the one that has claimed it.

Whoever sweeps is in the file by name, with a number that it counts up. A sweep that counts no more
for a while, or whose process is gone from this machine, has no claims.
"""

from __future__ import annotations

import itertools
import os
import platform
from collections.abc import Callable, Sequence

from core.base.alive import is_gone
from core.base.frozen import Changing, Frozen, field
from core.sweep.file import Known, Sweeper, SweepFile
from core.sweep.work import Ask, Clock

_BEAT_S = 5.0
_PATIENCE_S = 60.0
"""For others to count on; a machine may be busy, or a disk far away."""


class Life(Frozen, kw_only=False):
    """What one sweep is told of the world: a name that no other has, and how time passes."""

    name: str
    clock: Clock
    sleep: Callable[[float], object]


class Claims(Changing):
    """What this sweep has claimed of a file, and what it knows of others."""

    file: SweepFile
    is_open: Callable[[Known | None], bool]
    """Whether a cell of which this is known is still to be computed."""
    life: Life
    _beats: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _beaten: float | None = None
    _seen: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Of others the last number, and when it was new."""

    def take(self, model: str, asks: Sequence[Ask]) -> tuple[Ask, ...]:
        """Those of some cells that nobody else is at, and that are not there yet: now claimed."""
        self.beat()
        wanted = {ask.settings: ask for ask in asks}
        mine = self.file.claim(self.life.name, model, wanted, self._others, self.is_open)
        return tuple(wanted[settings] for settings in mine)

    def beat(self) -> None:
        """Say now and then that this sweep goes on."""
        now = self.life.clock()
        if self._beaten is None or now - self._beaten >= _BEAT_S:
            self._beaten = now
            beats = next(self._beats)
            self.file.beat(Sweeper(self.life.name, platform.node(), os.getpid(), beats))

    def leave(self) -> None:
        """Claim nothing any more."""
        self.file.leave(self.life.name)

    def _others(self) -> set[str]:
        """Sweeps whose claims hold."""
        now = self.life.clock()
        for other in self.file.sweepers():
            known = self._seen.get(other.name)
            if known is None or known[0] != other.beats:
                self._seen[other.name] = other.beats, now
            if _is_gone(other):
                self._seen[other.name] = other.beats, now - 2 * _PATIENCE_S
        alive = {name for name, (_, when) in self._seen.items() if now - when < _PATIENCE_S}
        return alive - {self.life.name}


def _is_gone(other: Sweeper) -> bool:
    """Whether a process of this machine is there no more; of another one nobody can say."""
    return other.host == platform.node() and is_gone(other.pid)
