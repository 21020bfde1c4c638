"""How far the price was off from cycles that were measured, as one table for all who read of it.

The figures are in `resources/estimate-error.csv`, which `tests/core/cost/test_estimate_error.py`
writes from the programs that were measured, and holds up to date.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.frozen import NamedTuple
from core.base.harmless import csv_text
from core.report.tables import Listing

TABLE = Path(__file__).parents[2] / "resources" / "estimate-error.csv"
HEADERS = ("accelerators", "memory", "programs", "mean error", "from", "to")


class Row(NamedTuple):
    """Programs of one family whose cycles were measured, with memory of one kind."""

    family: str
    """As people know it."""
    memory: str
    programs: int
    mean: float
    """Of errors without their sign, as shares of what was measured."""
    lowest: float
    highest: float


@cache
def rows() -> tuple[Row, ...]:
    """All that was measured."""
    with TABLE.open(encoding="utf-8", newline="") as stream:
        _, *lines = csv.reader(stream)
    return tuple(
        Row(family, memory, int(programs), *map(float, shares))
        for family, memory, programs, *shares in lines
    )


def render(found: Sequence[Row]) -> str:
    """The file."""
    lines = ([*row[:3], *(f"{share:.4f}" for share in row[3:])] for row in found)
    text = csv_text([Row._fields, *lines])
    return io.StringIO(text, newline=None).read()


def listing(found: Sequence[Row]) -> Listing:
    """One row for each family and memory."""
    return Listing(
        HEADERS,
        [
            (*row[:3], f"{row.mean:.1%}", f"{row.lowest:+.1%}", f"{row.highest:+.1%}")
            for row in found
        ],
    )


def markdown(found: Sequence[Row]) -> str:
    """The same for pages."""
    table = listing(found)
    lines = (table.headers, ["---"] * len(table.headers), *table.rows)
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
