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
        # A fit of each choice of figures, and one without each measurement.
        self._done, self._steps = 0, 2 ** len(figures.all) + len(cases)

    @property
    def measured(self) -> Floats:
        """Cycles by measurement."""
        return self._measured

    def step(self) -> None:
        """A fit is done."""
        self._done += 1

    def cycles(self, values: Values) -> Floats:
        """The cycles of each program on a board; between whole cycles, in proportion."""
        shares = [share * self._of_whole(board) for board, share in around(values)]
        found: Floats = np.sum(shares, axis=0)
        return found

    def _of_whole(self, values: Values) -> Floats:
        key = tuple(values[figure] for figure in self._figures.all)
        found = self._known.get(key)
        if found is None:
            self._progress.advance("fitting", self._done, self._steps)
            system = self._figures.system_with(values)
            found = np.array([case.total_cycles(system) for case in self._cases])
            self._known[key] = found
        return found
