"""How far the price is off on boards, by what was measured there and published.

`pytest tests/core/target/test_board_error.py --update-goldens` writes the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

import reefpoint
from core.api import boards, targets
from core.report.board_error import TABLE, Measured, error_text, measured, render
from tests.core.cost.measured import cells, cost_of
from tests.shared import need

FVP = (
    "Kwon-GiHwan/mps4_prototyping_board, docs/paper/analysis/scaling.csv: Arm's FVP, memories timed"
)


class Published(NamedTuple):
    """Cycles that somebody has told of a program of the shared folder, or of one like it."""

    board: str
    program: str
    cycles: int
    source: str


ON_SILICON = (
    Published(
        "alif-e7-he",
        "kws_micronet_m__ethos-u55-128",
        405_608,
        "alifsemi/alif_ml-embedded-evaluation-kit, Alif_benchmark.md: alif_kws, counted by the"
        " NPU of a kit that is not named; priced is the same network as release 5.0.0 of the"
        " ecosystem's compiler makes it",
    ),
)


def published() -> Iterator[Published]:
    """All of it: on the FVP that which has the board's accelerator and memories."""
    need("measured/cells.csv")
    for cell in cells():
        if cell.is_timed and cell.accelerator == "ethos-u55-128":
            yield Published("corstone-300", cell.program, round(cell.cycles), FVP)
    yield from ON_SILICON


def priced(told: Published) -> Measured:
    target = reefpoint.target(told.board).settings.target()
    cycles = round(cost_of(told.program, target).total_cycles)
    return Measured(told.board, told.program, told.cycles, cycles, told.source)


def test_the_table_is_what_was_measured(request: pytest.FixtureRequest) -> None:
    found = tuple(map(priced, published()))
    if request.config.getoption("--update-goldens"):
        TABLE.write_text(render(found), "utf-8", newline="")
        measured.cache_clear()
    assert measured() == found


def test_two_boards_were_measured_and_the_price_is_near() -> None:
    names = {each.board for each in measured()}
    assert len(names) >= 2
    assert names <= {board.name for board in targets.BOARDS}
    assert all(abs(each.error) < 0.10 for each in measured())


def test_a_board_tells_it_with_its_source() -> None:
    *_, last = boards.figures_of(targets.board_named("alif-e7-he"))
    assert last[1] == "estimate off"
    assert last[2].endswith(" of 1 program")
    assert "Alif_benchmark.md" in last[3]
    assert all(row[1] != "estimate off" for row in boards.figures_of(targets.board_named("sr100")))


def test_signs_say_whether_too_much_is_told() -> None:
    one, other = (Measured("a", "b", 1000, cycles, "c") for cycles in (996, 1010))
    assert error_text((one, other)) == "-0.4% to +1.0% of 2 programs"
    assert error_text((Measured("a", "b", 10_000, 9_999, "c"),)) == "+0.0% of 1 program"
