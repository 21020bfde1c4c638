"""The Trade-off view: the cells of a sweep over the limit, told, compared, adopted."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

import main
from core.api import sweeps
from core.base.frozen import replace
from core.ir.options import Strategy
from core.ir.settings import Settings
from gui.document.swept import Making, SweptCells
from gui.present.runs.tradeoff import Figure, panels_of
from gui.theme.tones import DARK
from gui.views.tradeoff.grid import Grid
from gui.views.tradeoff.view import TradeOffView
from gui.views.tradeoff.words import corners_of, flags_of, titles_of
from tests.core.sweep.sweeping import small_models
from tests.gui.answers import answer_of, arrive, model_path, store_with


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> SweptCells:
    folder = tmp_path_factory.mktemp("sweep")
    models = (model_path("kws_dscnn"), *small_models(folder, 1))
    words = ["--sram", "16K:64K:16K", "--optimise", "Performance,Size", "--jobs", "1"]
    out = folder / "s.sqlite"
    targets = ["--accelerator-config", "ethos-u55-128,ethos-u55-256"]
    line = ["sweep", *map(str, models), *words, *targets, "-o", str(out)]
    assert main.main(line) == 0
    with sweeps.SweepFile.read(out) as file:
        return SweptCells(title="s.sqlite", cells=tuple(file.cells()))


@pytest.fixture
def view(qtbot, swept):
    store = store_with(answer_of("kws_dscnn"))
    made = TradeOffView(store)
    qtbot.addWidget(made)
    made.resize(1100, 900)
    made.show()
    store.swept.show(swept)
    return made


def place_of(view, wanted) -> QPointF:
    return next(place.at for place in view.panels.places() if wanted(place.cell))


@pytest.mark.long
def test_each_cell_with_figures_has_a_place(view, swept):
    drawn = [place.cell for place in view.panels.places()]
    assert sorted(map(id, drawn)) == sorted(map(id, swept.cells))
    assert view.headline.text.startswith("s.sqlite: 32 cells")


@pytest.mark.parametrize("figure", Figure)
def test_more_is_higher_and_a_higher_limit_further_right(swept, figure):
    for panel in panels_of(swept, figure):
        assert len(panel.lines) == len(Strategy)
        for line in panel.lines:
            for spot in line.spots:
                assert 0 <= spot.x <= 1
                assert 0 <= spot.y <= 1
            ordered = [spot.cell.settings.limit_bytes for spot in line.spots]
            assert ordered == sorted(ordered)
        spots = [spot for line in panel.lines for spot in line.spots]
        by_height = sorted(spots, key=lambda spot: spot.y)
        values = [figure.value_of(spot.cell.outcome.totals) for spot in by_height]
        assert values == sorted(values)


def test_a_picture_has_the_lines_and_nothing_for_a_hand(view):
    assert view.again.isVisible()
    view.be_pictured()
    view._store.swept.make(None, view._store.swept.shown)
    assert not [each for each in view.findChildren(QPushButton) if each.isVisible()]
    assert not view.sentence.isVisible()
    assert view.panels.isVisible()


def test_without_a_sweep_it_offers_to_make_one_or_to_open_one(qtbot):
    made = TradeOffView(store_with(answer_of("kws_dscnn")))
    qtbot.addWidget(made)
    made.show()
    asked = []
    made.command_asked.connect(asked.append)
    for button in made.findChildren(QPushButton):
        if button.isVisible():
            button.click()
    assert asked == ["schedule.make_sweep", "schedule.sweep"]


def test_a_sweep_that_grows_keeps_what_is_pointed_at(view, swept):
    view.panels.setFocus()
    for _ in range(3):
        QTest.keyClick(view.panels, Qt.Key.Key_Right)
    before = view.panels.current
    grown = replace(swept, cells=tuple(replace(cell) for cell in swept.cells[:-1]))
    making = Making(title=swept.title, done=31, cells=32, seconds_left=90.0)
    view._store.swept.make(making, grown)
    assert view.panels.current is not before
    assert view.panels.current == before
    assert view.making.text.text == "31 of 32 cells, 90 s left"
    assert view.making.bar.value() == 31
    view._store.swept.make(replace(making, is_paused=True))
    assert (view.making.text.text, view.making.pause.text()) == ("31 of 32 cells, paused", "Go on")
    view._store.swept.make(None, swept)
    assert not view.making.isVisible()


def test_a_cell_is_kept_as_a_by_ctrl_and_a_click(view):
    at = place_of(view, lambda cell: cell.model.name == "kws_dscnn.tflite")
    before = view._store.document
    control = Qt.KeyboardModifier.ControlModifier
    QTest.mouseClick(view.panels, Qt.MouseButton.LeftButton, control, pos=at.toPoint())
    kept = view._store.compared.kept
    assert kept.document.settings.limit_bytes == view.panels.current.settings.limit_bytes
    assert view._store.document is before
    view._store.compared.keep(None)
    other = place_of(view, lambda cell: cell.model.name == "model0.tflite")
    QTest.mouseClick(view.panels, Qt.MouseButton.LeftButton, control, pos=other.toPoint())
    assert view._store.compared.kept is None
    assert "Open model0.tflite first" in view.sentence.text()


def test_a_cell_that_is_pointed_at_is_told_beside_what_is_shown(view, qtbot):
    at = place_of(view, lambda cell: cell.model.name == "kws_dscnn.tflite")
    QTest.mouseMove(view.panels, at.toPoint())
    qtbot.waitUntil(lambda: view.panels.current is not None)
    text = view.sentence.text()
    assert "kws_dscnn.tflite" in text
    assert "against what is shown" in text
    arrive(view._store, answer_of("kws_dscnn", limit_bytes=20_000))
    qtbot.waitUntil(lambda: view.sentence.text() != text)


def test_a_click_asks_for_what_the_cell_has(view):
    at = place_of(
        view,
        lambda cell: (
            cell.model.name == "kws_dscnn.tflite"
            and cell.settings.limit_bytes == 32 << 10
            and cell.settings.strategy == "Size"
            and cell.settings.accelerator == "ethos-u55-256"
        ),
    )
    QTest.mouseClick(view.panels, Qt.MouseButton.LeftButton, pos=at.toPoint())
    settings = view._store.document.settings
    assert settings.limit_bytes == 32 << 10
    assert settings.options.strategy is Strategy.SIZE
    assert settings.accelerator == "ethos-u55-256"
    assert view._store.history.present.label == "Adopt a cell of a sweep"


def test_a_cell_of_another_model_says_what_to_open(view):
    before = view._store.document
    at = place_of(view, lambda cell: cell.model.name == "model0.tflite")
    QTest.mouseClick(view.panels, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert view._store.document is before
    assert "Open model0.tflite first" in view.sentence.text()


def test_keys_go_from_cell_to_cell_and_adopt(view):
    view.panels.setFocus()
    first, second, *_ = (place.cell for place in view.panels.places())
    for expected in (first, second):
        QTest.keyClick(view.panels, Qt.Key.Key_Right)
        assert view.panels.current is expected
    QTest.keyClick(view.panels, Qt.Key.Key_Left)
    assert view.panels.current is first
    QTest.keyClick(view.panels, Qt.Key.Key_Return)
    assert view._store.document.settings.limit_bytes == first.settings.limit_bytes


def test_both_themes_draw_all_of_it(view):
    light = view.panels.grab().toImage()
    view._store.theme = DARK
    view.panels.set_theme(DARK)
    dark = view.panels.grab().toImage()
    assert light.pixelColor(2, 2) != dark.pixelColor(2, 2)
    for image in (light, dark):
        columns = range(0, image.width(), 7)
        colours = {image.pixelColor(x, y).name() for x in columns for y in range(0, 400, 7)}
        assert len(colours) > 3


def test_another_figure_is_drawn_and_kept_by_sessions(view):
    before = [place.at for place in view.panels.places()]
    view.figure.setCurrentText(Figure.TRAFFIC.value)
    assert [place.at for place in view.panels.places()] != before
    assert view.look() == {"figure": "Traffic"}


def test_lines_of_boards_say_what_they_are(view, swept):
    limits = {"limit_bytes": (1 << 20, 3 << 20)}
    cells = tuple(
        replace(swept.cells[0], settings=asked.swept)
        for asked in sweeps.plan(Settings(), limits).asked
    )
    view._store.swept.show(SweptCells(title="wide", cells=cells))
    (panel,) = panels_of(view._store.swept.shown, Figure.TIME)
    titles = {guide.title for guide in panel.guides}
    assert "Corstone-300, internal SRAM" in titles
    # What is not among the limits is not drawn.
    assert "NXP i.MX 93 under Linux, SRAM of the NPU" not in titles
    grid = view.panels.grid
    (area,) = grid.areas
    for guide in panel.guides:
        at = QPointF(area.left() + guide.x * area.width(), area.center().y())
        assert "KiB" in grid.tip_at(at)
    assert grid.tip_at(area.topLeft() - QPointF(20, 20)) == ""


def test_flags_have_words_that_lie_on_no_other_and_tips(view, swept):
    cells = [cell for cell in swept.cells if cell.settings == swept.cells[0].settings][:1]
    limits = {"limit_bytes": tuple(range(16 << 10, 64 << 10, 512))}
    cells = tuple(
        replace(
            cells[0],
            settings=asked.swept,
            # Every second one is a little slower.
            outcome=replace(
                cells[0].outcome,
                totals=replace(
                    cells[0].outcome.totals, cycles=1e6 + at % 2 * 1e4, seconds=1.0 + at % 2 / 100
                ),
            ),
        )
        for at, asked in enumerate(sweeps.plan(Settings(), limits).asked)
    )
    view._store.swept.show(SweptCells(title="flags", cells=cells))
    (panel,) = panels_of(view._store.swept.shown, Figure.TIME)
    (area,) = view.panels.grid.areas
    flags = list(flags_of(panel, area, view.panels.fontMetrics()))
    marked = [spot for line in panel.lines for spot in line.spots if spot.mark]
    assert len(flags) == len(marked) == len(cells) // 2
    words = [flag.word for flag in flags if flag.word is not None]
    assert 2 < len(words) < len(flags)
    signs = [flag.sign.boundingRect() for flag in flags]
    assert not any(word.intersects(sign) for word in words for sign in signs)
    for one, other in combinations(words, 2):
        assert not one.intersects(other)
    assert all(area.contains(word) for word in words)
    # A word that found no room is in the tip, with what it is about.
    for place in view.panels.places():
        mark = next((spot.mark for spot in marked if spot.cell is place.cell), "")
        tip = view.panels.grid.tip_at(place.at)
        assert tip.startswith(mark)
        assert ("+10,000 cycles" in tip) is bool(mark)
    # Where there is room, it says than what.
    assert any(re.fullmatch(r"slower than in [\d.]+ KiB", flag.text) for flag in flags if flag.word)
    assert all("the best takes the faster" in spot.tip for spot in marked)


def test_what_all_panels_have_in_common_stands_above_them(view, swept):
    titles = {panel.title for panel in panels_of(swept, Figure.TIME)}
    assert titles == {
        f"{model}, {accelerator}"
        for model in ("kws_dscnn", "model0")
        for accelerator in ("ethos-u55-128", "ethos-u55-256")
    }
    assert "Shared_Sram" in view.headline.text
    names = {line.title for panel in panels_of(swept, Figure.TIME) for line in panel.lines}
    assert names == {"Performance", "Size"}
    assert view.headline.text.endswith("direct cascading")


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_titles_of_boards_lie_on_no_line(view, swept, share):
    limits = {"limit_bytes": (64 << 10, 128 << 10, 1 << 20, 3 << 20)}
    done, settings = swept.cells[0], [each.swept for each in sweeps.plan(Settings(), limits).asked]
    totals = [replace(done.outcome.totals, seconds=each) for each in (1.0, *[share] * 3)]
    cells = tuple(
        replace(done, settings=each, outcome=replace(done.outcome, totals=total))
        for each, total in zip(settings, totals, strict=True)
    )
    view._store.swept.show(SweptCells(title="low", cells=cells))
    (panel,) = panels_of(view._store.swept.shown, Figure.TIME)
    (area,) = view.panels.grid.areas
    titles = list(titles_of(panel, area, view.panels.fontMetrics()))
    assert titles
    for one, other in pairwise(corners_of(*panel.lines, area)):
        stroke = QRectF(one, other).normalized().adjusted(-1, -1, 1, 1)
        assert not any(title.box.intersects(stroke) for title in titles)
    for one, other in combinations(titles, 2):
        assert not one.box.intersects(other.box)


@pytest.mark.parametrize(
    ("width", "height", "rows"), [(1600, 640, 2), (1600, 320, 1), (430, 300, 4), (2560, 1300, 2)]
)
def test_panels_take_the_shape_that_there_is_room_for(view, swept, width, height, rows):
    shown = panels_of(swept, Figure.TIME)
    assert len(shown) == 4
    grid = Grid(shown, view.panels.fontMetrics(), width, height)
    assert len({area.top() for area in grid.areas}) == rows
    # All of the height, but for what is below the lines: titles, numbers, the legend.
    lines = view.panels.fontMetrics().height() * (5 + max(len(panel.lines) for panel in shown))
    assert height < grid.least_height or max(a.bottom() for a in grid.areas) >= height - lines
