"""Fronts of islands become the front of the network.

Islands run one after the other, so their cycles add up, and the one that needs the most memory says
how much is needed, unless operators on the CPU need more. Beside it the others may take as much,
and so each is at its fastest for that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.frozen import Frozen
from core.schedule.pareto.front import pareto
from core.schedule.pareto.islands import IslandFront, Point, total_cycles

_MOST = 32
"""Points of a network's front."""


class NetworkPoint(Frozen):
    """One schedule for each island."""

    points: tuple[Point, ...]
    cycles: float
    peak_bytes: int


def collate(fronts: Sequence[IslandFront]) -> tuple[NetworkPoint, ...]:
    """The front of all islands together, from the smallest to the fastest.

    No point needs less than what is live elsewhere.
    """
    if not fronts:
        return ()
    levels = {point.peak_bytes for front in fronts for point in front.points}
    elsewhere = max(front.problem.beside.elsewhere_bytes for front in fronts)
    least = max(elsewhere, *(front.points[0].peak_bytes for front in fronts))
    found = [
        _within(fronts, level, elsewhere) for level in sorted({*levels, least}) if level >= least
    ]
    values = np.array([(point.peak_bytes, point.cycles) for point in found], np.float64)
    return tuple(found[at] for at in pareto(values, _MOST))


def _within(fronts: Sequence[IslandFront], level_bytes: int, elsewhere_bytes: int) -> NetworkPoint:
    """The fastest schedule of each island that needs no more than this."""
    picked = tuple(
        max(
            (point for point in front.points if point.peak_bytes <= level_bytes),
            key=lambda point: point.peak_bytes,
        )
        for front in fronts
    )
    return NetworkPoint(
        points=picked,
        cycles=total_cycles(picked),
        peak_bytes=max(elsewhere_bytes, *(point.peak_bytes for point in picked)),
    )
