"""What the programs cost on trial boards, each worked out once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.progress import Progress
from core.calibrate.case import Case
from core.calibrate.descent import Floats
from core.calibrate.figures import Figures, Values, around


class Trials:
    """The prices of all measured programs."""

    def __init__(self, figures: Figures, cases: Sequence[Case], progress: Progress) -> None:
        self._figures = figures
        self._cases = cases
        self._progress = progress
        self._measured = np.array([case.cycles(figures.system.core_clock_hz) for case in cases])
        self._known: dict[tuple[float, ...], Floats] = {}
        """By board: the cycles of each program, as far as somebody has asked."""
        # A fit of each choice of figures, and one without each measurement.
        self._done, self._steps = 0, 2 ** len(figures.all) + len(cases)

    @property
    def measured(self) -> Floats:
        """Cycles by measurement."""
        return self._measured

    def step(self) -> None:
        """A fit is done."""
        self._done += 1

    def cycles(self, values: Values, rows: Sequence[int] | None = None) -> Floats:
        """The cycles of some programs on a board, or of all; between whole cycles, in
        proportion."""
        asked = range(len(self._cases)) if rows is None else rows
        shares = [share * self._of_whole(board, asked) for board, share in around(values)]
        found: Floats = np.sum(shares, axis=0)
        return found

    def _of_whole(self, values: Values, rows: Sequence[int]) -> Floats:
        key = tuple(values[figure] for figure in self._figures.all)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = np.full(len(self._cases), np.nan)
        if np.isnan(known[rows]).any():
            self._progress.advance("fitting", self._done, self._steps)
            system = self._figures.system_with(values)
            for row in rows:
                if np.isnan(known[row]):
                    known[row] = self._cases[row].total_cycles(system)
        found: Floats = known[rows]
        return found
