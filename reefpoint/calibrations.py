"""Calibrations: the memories of a board, by what was measured on it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.api import calibrations
from core.base.errors import CoreError
from core.base.files import as_utf8, read_bytes, write_whole
from core.base.frozen import Frozen
from reefpoint.models import Source
from reefpoint.progress import Watcher, watched
from reefpoint.schedules import settings_of
from reefpoint.targets import Target, target_of


class Calibration(Frozen, eq=False):
    """What was found of a board."""

    board: calibrations.Board

    @property
    def holds(self) -> bool:
        """Whether one board fits all measurements."""
        return self.board.found.holds

    @property
    def lines(self) -> tuple[str, ...]:
        """Each figure and each measurement, in words."""
        return tuple(calibrations.lines(self.board.found))

    def to_dict(self) -> dict[str, Any]:
        """What `reefpoint calibrate --json` writes."""
        return calibrations.describe(self.board.found)

    def write(self, path: Source) -> str:
        """Write the system config; its name, for `system_config=` beside `configs=[path]`."""
        if not self.holds:
            raise CoreError(f"{path}: is not written: the measurements do not fit one board")
        text, name = self.board.config(Path(path))
        write_whole({Path(path): as_utf8(text)})
        return name

    def __repr__(self) -> str:
        return f"<Calibration: {'holds' if self.holds else 'does not hold'}>"


def calibrate(
    measurements: Mapping[Source, Source | int] | Sequence[tuple[Source, Source | int]],
    target: Target | str | None = None,
    *,
    effort: int | None = None,
    options: Sequence[str] = (),
    progress: Watcher | bool = True,
) -> Calibration:
    """The board on which models took what was measured of one inference.

    A measurement is a file (a log of the evaluation kit, the driver or ExecuTorch, or a table of
    cycles by operator) or the figure itself, such as 405608 or "3.67ms@400MHz".
    """
    pairs = measurements.items() if isinstance(measurements, Mapping) else measurements
    measured = [_measured(model, log) for model, log in pairs]
    settings = settings_of(target_of(target), None, effort, options=options)
    with watched(progress) as told:
        return Calibration(board=calibrations.board_of(measured, settings, told))


def _measured(model: Source, log: Source | int) -> calibrations.Measured:
    is_file = isinstance(log, os.PathLike) or (isinstance(log, str) and Path(log).is_file())
    data = read_bytes(Path(str(log))) if is_file else str(log).encode()
    return calibrations.Measured(path=Path(model), log=data, source=str(log))
