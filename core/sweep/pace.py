"""How long the rest of a sweep will take, by what has been computed so far."""

from __future__ import annotations

from core.sweep.work import Clock


class Pace:
    """Looks at a clock whenever it is told how far all is."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._start: tuple[float, int] | None = None

    def seconds_left(self, done: int, total: int) -> float | None:
        """What is left for the rest; None while nothing was computed, and in the end."""
        now = self._clock()
        self._start = self._start or (now, done)
        since, known = self._start
        if not known < done < total:
            return None
        return (now - since) / (done - known) * (total - done)
