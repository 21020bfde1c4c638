"""The table of how far the price is off: one, everywhere it is told, and what was measured.

`pytest tests/core/cost/test_estimate_error.py --update-goldens` writes it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.report.estimate_error import TABLE, Row, listing, markdown, render, rows
from tests.core.cost.measured import cells, error, groups, mean_error
from tests.shared import need

ROOT = Path(__file__).parents[3]
PAGES = (ROOT / "README.md", ROOT / "resources" / "help" / "16_estimates.md")
HEAD = "| accelerators | memory |"


def measured_rows() -> tuple[Row, ...]:
    need("measured/cells.csv")
    return tuple(
        Row(
            family=some[0].target.accelerator.family.product.title,
            memory="timed" if is_timed else "ideal",
            programs=len(some),
            mean=round(mean_error(some), 4),
            lowest=round(min(map(error, some)), 4),
            highest=round(max(map(error, some)), 4),
        )
        for (_, is_timed), some in sorted(
            groups(cells()).items(), key=lambda item: (item[0][0], not item[0][1])
        )
    )


def told(page: Path) -> str:
    """The table of a page."""
    lines = page.read_text("utf-8").splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines) if line.startswith(HEAD))
    table = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        table.append(line)
    return "".join(table)


def test_the_table_is_what_was_measured(request: pytest.FixtureRequest) -> None:
    found = measured_rows()
    if request.config.getoption("--update-goldens"):
        TABLE.write_text(render(found), "utf-8", newline="")
        rows.cache_clear()
    assert rows() == found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_have_that_table(page: Path, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-goldens"):
        text = page.read_text("utf-8")
        page.write_text(text.replace(told(page), markdown(rows())), "utf-8")
    assert told(page) == markdown(rows())


def test_signs_say_whether_too_much_is_told() -> None:
    row = Row("Ethos-U55", "timed", 2, 0.021, -0.04, 0.002)
    (told_row,) = listing([row]).rows
    assert tuple(told_row) == ("Ethos-U55", "timed", 2, "2.1%", "-4.0%", "+0.2%")
