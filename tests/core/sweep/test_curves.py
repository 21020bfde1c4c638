"""What a sweep says of limits: cliffs, setbacks, and a ranking by what matters."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from core.api import sweeps
from core.base.errors import OptionError
from core.base.frozen import field_names, replace
from core.ir.options import Strategy
from core.ir.settings import Settings
from core.ir.sweep import Cell, Outcome, SweptModel, Totals, Verdict
from core.report.sweep import plots

KIB = 1024
PLAIN = Totals(**dict.fromkeys(field_names(Totals), 1))
MODEL = SweptModel(digest="m", name="m.tflite", size_bytes=1)


def cells(*cycles: int, model: SweptModel = MODEL, **totals: int) -> list[Cell]:
    """Cells for 1 KiB, 2 KiB and so on; a negative number is above its limit."""
    limits = {"limit_bytes": tuple(KIB * step for step in range(1, len(cycles) + 1))}
    return [
        Cell(
            model=model,
            settings=asked.swept,
            outcome=Outcome(
                verdict=Verdict.FITS if number > 0 else Verdict.EXCEEDS,
                totals=replace(PLAIN, cycles=abs(number), excess_bytes=int(number < 0), **totals),
            ),
        )
        for asked, number in zip(sweeps.plan(Settings(), limits).asked, cycles, strict=True)
    ]


def test_a_curve_goes_over_limits_alone():
    settings = sweeps.plan(Settings(), {"limit_bytes": (KIB, 2 * KIB), "strategy": tuple(Strategy)})
    found = sweeps.curves(
        Cell(
            model=MODEL,
            settings=asked.swept,
            outcome=Outcome(verdict=Verdict.FITS, totals=PLAIN),
        )
        for asked in reversed(settings.asked)
    )
    assert len(found) == 2
    assert [[p.limit_bytes for p in curve.points] for curve in found] == [[KIB, 2 * KIB]] * 2


def test_cliffs_and_setbacks_are_found_where_limits_are_met():
    (curve,) = sweeps.curves(cells(-900, 200, 150, 160, 159))
    assert [step.low.limit_bytes // KIB for step in curve.cliffs] == [2]
    assert [step.high.limit_bytes // KIB for step in curve.setbacks] == [4]


def test_what_is_refused_is_no_point():
    refused = Outcome(verdict=Verdict.REFUSED, error="no")
    found = [replace(cell, outcome=refused) for cell in cells(1, 2)]
    (curve,) = sweeps.curves(found)
    assert curve.points == ()
    assert "no" in sweeps.render("s", found, "html")


def test_the_best_comes_first_and_ties_go_on():
    other = replace(MODEL, digest="o", name="o.tflite")
    found = [*cells(5, 3, 3, -1), *cells(7, model=other)]
    best, alone = sweeps.ranked(found, ("cycles", "sram"))
    assert [cell.settings.limit_bytes // KIB for cell in best] == [2, 3, 1]
    assert [cell.model.name for cell in alone] == ["o.tflite"]


@pytest.mark.parametrize("text", ["fun", "", "cycles,,sram"])
def test_what_cannot_be_ranked_by_is_told(text):
    with pytest.raises(OptionError, match="figure to rank by"):
        sweeps.parse_rank(text)


def test_every_board_says_where_its_figure_is_from():
    assert all(board.source and board.sram_bytes > 64 * KIB for board in sweeps.BOARDS)
    names = [board.name for board in sweeps.BOARDS]
    assert len(set(names)) == len(names)
    assert [board.name for board in sweeps.boards_named(", ".join(names))] == names
    with pytest.raises(OptionError, match="unknown board"):
        sweeps.boards_named("toaster")


def test_a_page_has_all_cells_and_nothing_that_leads_outside():
    page = sweeps.render("s.sqlite", cells(-900, 200, 150, 160), "html")
    assert page.count("<tr>") == 1 + 3 + 1 + 4
    assert "://" not in page.replace("http-equiv", "")
    assert page == sweeps.render("s.sqlite", cells(-900, 200, 150, 160), "html")


def test_guides_are_limits_of_memory_modes_and_of_boards():
    dedicated = Settings(accelerator="ethos-u65-256", memory_mode="Dedicated_Sram_512KB")
    found = [
        sweeps.Cell(
            model=MODEL,
            settings=asked.swept,
            outcome=Outcome(verdict=Verdict.FITS, totals=PLAIN),
        )
        for asked in sweeps.plan(dedicated, {"limit_bytes": (KIB, 2 * KIB)}).asked
    ]
    boards = sweeps.boards_named("imx93-linux")
    told = [(each.size_bytes, each.name) for each in sweeps.guides(sweeps.curves(found), boards)]
    assert told == [(96 * KIB, boards[0].title), (512 * KIB, "Dedicated_Sram_512KB")]
    # A mode of a file that is not there is no guide, and no error.
    lost = [
        replace(cell, settings=replace(cell.settings, memory_mode="Mine", configs=("/no/file",)))
        for cell in found
    ]
    assert sweeps.guides(sweeps.curves(lost)) == ()


def test_words_of_a_plot_lie_on_no_other():
    many = [200 + at % 2 * 200 for at in range(30)]
    found = sweeps.curves(cells(*many))
    boards = [
        replace(sweeps.BOARDS[0], title=f"Board {at}", sram_bytes=at * KIB, source="page")
        for at in (5, 6, 7)
    ]
    drawn = plots.plot(found, sweeps.guides(found, boards)).decode()
    texts = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*font-size="(9|10)">([^<]+)<', drawn)
    boxes = [
        (float(x), float(x) + len(text) * int(size) * 0.55, float(y) - int(size), float(y))
        for x, y, size, text in texts
    ]
    assert {text for *_, text in texts} >= {"slower", "Board 5", "Board 6", "Board 7"}
    for one, other in combinations(boxes, 2):
        apart = one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
        assert apart
    # Each is flagged, with a word or without.
    (curve,) = found
    assert drawn.count("#b3261e") >= len(curve.cliffs) + len(curve.setbacks) > len(texts) / 3
