"""How far the price was off on boards, by cycles that somebody has measured there and published.

The figures are in `resources/board-error.csv`, which `tests/core/target/test_board_error.py` writes
from the programs and holds up to date.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from core.base.frozen import NamedTuple
from core.base.harmless import csv_text
from core.report.words import counted

TABLE = Path(__file__).parents[2] / "resources" / "board-error.csv"


class Measured(NamedTuple):
    """A program whose cycles were measured on a board."""

    board: str
    program: str
    measured_cycles: int
    estimated_cycles: int
    source: str

    @property
    def error(self) -> float:
        """Of the estimate, as a share of what was measured."""
        return self.estimated_cycles / self.measured_cycles - 1


@cache
def measured() -> tuple[Measured, ...]:
    """All that was measured."""
    with TABLE.open(encoding="utf-8", newline="") as stream:
        _, *lines = csv.reader(stream)
    return tuple(
        Measured(board, program, int(cycles), int(estimate), source)
        for board, program, cycles, estimate, source in lines
    )


def measured_on(board: str) -> tuple[Measured, ...]:
    """What was measured on one of them."""
    return tuple(each for each in measured() if each.board == board)


def render(found: Iterable[Measured]) -> str:
    """The file."""
    return io.StringIO(csv_text([Measured._fields, *found]), newline=None).read()


def error_text(found: Sequence[Measured]) -> str:
    """From the lowest error to the highest, and of how many programs."""
    # A sum with 0 has no sign where nothing is left of it.
    low, high = (round(choose(each.error for each in found), 3) + 0.0 for choose in (min, max))
    told = f"{low:+.1%}" if low == high else f"{low:+.1%} to {high:+.1%}"
    return f"{told} of {counted(len(found), 'program')}"
