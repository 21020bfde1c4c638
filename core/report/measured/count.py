"""What was counted of one inference, whoever printed it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from core.base.errors import InputError
from core.base.frozen import Frozen
from core.ir.cost import Direction
from core.target.target import Port

_MOST_SPREAD = 1.1
"""Inferences of one network differ by little; where they differ by more, they are of several."""


class Beats(Frozen):
    """Transfers of one word at a port."""

    port: Port
    direction: Direction
    count: float


class Count(Frozen):
    """One inference: cycles of the accelerator, or the seconds that it took."""

    cycles: float | None = None
    seconds: float | None = None
    clock_hz: float | None = None
    """Where it is told beside the time."""
    beats: tuple[Beats, ...] = ()

    def cycles_at(self, clock_hz: float) -> float:
        """Cycles; where only time was measured, by the clock that is told with it, or by this."""
        if self.cycles is not None:
            return self.cycles
        assert self.seconds is not None
        return self.seconds * (self.clock_hz or clock_hz)


def typical(values: Sequence[float], unit: str) -> float:
    """One value of several inferences; an InputError where they are of different networks."""
    least, most = min(values), max(values)
    if least <= 0:
        raise InputError(f"has an inference of {least:,g} {unit}")
    if most > _MOST_SPREAD * least:
        raise InputError(
            f"has inferences of {least:,g} and of {most:,g} {unit}: a log has to be of one network"
        )
    return median(values)
