"""The front's view: points are where they should be, compared by pointing, adopted by a click."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from core.ir.options import Engine, ParetoOptions, Search
from core.ir.settings import Settings
from gui.document.decisions import FROM_FRONT
from gui.document.document import Document
from gui.jobs.comparer import side_of
from gui.present.runs.front import OFFER, differences, row_of, told
from gui.state.store import Store
from gui.views.front.view import FrontView
from tests.gui import answers
from tests.gui.answers import answer_of, answer_to, arrive, store_with
from tests.gui.exposed import exposed


@pytest.fixture
def show(qtbot):
    def make(store):
        view = exposed(qtbot, FrontView(store), 700, 480)
        view.activateWindow()
        return view

    return make


@pytest.fixture
def view(show):
    return show(store_with(answer_of("kws_dscnn", engine=Engine.PARETO)))


@pytest.fixture
def adopted(view):
    """Peaks of the schedules that are adopted, whose decisions are then those of the document."""
    peaks = []

    def adopt(settings, label):
        peaks.append(settings.options.pareto.most_bytes)
        view._store.edit(answers.adopting(view._store.document, settings), label)

    view.adoption_asked.connect(adopt)
    return peaks


def let_answer_arrive(view):
    arrive(view._store, answer_to(view._store.document))


def pixel(view, index):
    return view.canvas.place(index).toPoint()


def row(view, number):
    return tuple(cell.text() for cell in view.comparison.cells[number])


def test_without_an_answer_it_says_what_will_be_here(show):
    view = show(Store())
    assert view.front is None
    assert not view.canvas.isVisible()


def test_every_schedule_of_the_front_is_a_point(view):
    points = view._store.answer.scheduled.schedule.front
    assert [(spot.x, spot.y) for spot in view.canvas.points.spots] == [
        (point.cycles, point.peak_bytes) for point in points
    ]
    assert [spot.is_filled for spot in view.canvas.points.spots] == [
        point.is_taken for point in points
    ]
    image = view.canvas.viewport().grab().toImage()
    taken = view.front.taken
    assert image.pixelColor(pixel(view, taken)) == QColor(view._store.theme.accent)
    assert image.pixelColor(pixel(view, 0)) == QColor(view._store.theme.base)


def test_pointing_compares_and_asks_for_nothing(view, qtbot):
    before = view._store.document
    assert row(view, 0) == row_of(view.front, view.front.taken)
    assert row(view, 1) == ("",) * 4
    assert view.comparison.hint.isVisible()
    qtbot.mouseMove(view.canvas.viewport(), pixel(view, 0))
    qtbot.waitUntil(lambda: view.compared == 0)
    assert row(view, 1) == row_of(view.front, 0)
    assert row(view, 2) == differences(view.front, 0)
    assert view.canvas.tip_at(view.canvas.place(0)) == told(view.front, 0)
    assert told(view.front, 0) in view.canvas.accessibleDescription()
    assert view._store.document is before


def test_a_click_adopts_and_can_be_undone(view, adopted, qtbot):
    before, points = view._store.document, view.front.points
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=pixel(view, 0))
    assert adopted == [points[0].peak_bytes]
    assert view._store.history.undo_label.startswith("Adopt from the front: ")
    document = view._store.document
    assert {edit.note for edit in document.edits} == {FROM_FRONT}
    # Nothing but edits has changed: no setting is left that another model would inherit.
    assert document.with_edits(()) == before
    let_answer_arrive(view)
    # The front stays that of what is free, so that another one can be adopted.
    assert len(view.front.points) == len(points)
    assert view.front.taken == 0
    total = view._store.answer.scheduled.total.total_cycles
    assert total == pytest.approx(points[0].cycles, rel=0.02)
    assert "adopted" in view.headline.text
    view._store.undo()
    assert view._store.document == before


def test_a_click_beside_all_points_asks_for_nothing(view, qtbot):
    before = view._store.document
    middle = (pixel(view, 0) + pixel(view, 1)) / 2
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert view._store.document is before
    assert view.compared is None


def test_keys_go_to_the_next_and_take_it(view, adopted, qtbot):
    view.canvas.setFocus()
    taken = view.front.taken
    qtbot.keyClick(view.canvas, Qt.Key.Key_Return)
    assert adopted == []
    qtbot.keyClick(view.canvas, Qt.Key.Key_Right)
    assert view.compared == taken - 1
    qtbot.keyClick(view.canvas, Qt.Key.Key_Down)
    assert view.compared == taken - 2
    qtbot.keyClick(view.canvas, Qt.Key.Key_Left)
    assert view.compared == view.canvas.points._ringed == taken - 1
    qtbot.keyClick(view.canvas, Qt.Key.Key_Return)
    assert adopted == [view.front.points[taken - 1].peak_bytes]
    let_answer_arrive(view)
    # What was pointed at stays so, though another one is current now.
    assert view.compared == view.front.taken == taken - 1
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert view.compared is None


def test_the_strategy_can_choose_again(view, adopted, qtbot):
    before = view._store.document
    assert not view.own.isEnabled()
    view._pointed = 0
    view.adopt()
    view._store.turns.finish()
    assert adopted
    assert view.own.isEnabled()
    qtbot.mouseClick(view.own, Qt.MouseButton.LeftButton)
    assert view._store.document == before
    assert not view.own.isEnabled()


def test_the_strategy_can_choose_again_where_bytes_were_asked_for(show, qtbot):
    most = ParetoOptions(most_bytes=16000)
    view = show(store_with(answer_of("kws_dscnn", engine=Engine.PARETO, pareto=most)))
    assert "at most" in view.headline.text
    qtbot.mouseClick(view.own, Qt.MouseButton.LeftButton)
    assert view._store.document.settings.options.pareto.most_bytes is None


def test_with_the_direct_search_it_offers_the_best_one(show, qtbot):
    view = show(store_with(answer_of("kws_dscnn", effort=1)))
    assert view.sentence.text() == OFFER
    qtbot.mouseClick(view.to_best, Qt.MouseButton.LeftButton)
    assert view._store.document.settings.options.search is Search.BEST
    let_answer_arrive(view)
    assert view.canvas.isVisible()


def test_with_the_other_engine_it_offers_this_one(show, qtbot):
    view = show(store_with(answer_of("kws_dscnn")))
    assert view.sentence.isVisible()
    qtbot.mouseClick(view.to_pareto, Qt.MouseButton.LeftButton)
    assert view._store.document.settings.options.engine is Engine.PARETO
    let_answer_arrive(view)
    assert view.canvas.isVisible()
    view._store.undo()
    let_answer_arrive(view)
    assert view.sentence.isVisible()


@pytest.mark.usefixtures("adopted")
def test_the_view_stays_where_it_is_while_the_front_is_the_same(view, qtbot):
    view.canvas.zoom_in()
    shown = view.canvas.box.x_range
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=pixel(view, 1))
    let_answer_arrive(view)
    assert view.canvas.box.x_range == pytest.approx(shown)
    view.show_all()
    assert view.canvas.box.x_range.length > shown.length


def test_every_part_that_takes_keys_has_a_name(view):
    for part in (view.canvas, view.own):
        assert part.accessibleName()
        assert part.focusPolicy() is not Qt.FocusPolicy.NoFocus


def test_another_model_begins_anew(view):
    view._step(-1)
    view._store.open(Document(settings=Settings()))
    assert view.front is None
    assert view.compared is None


def test_a_key_keeps_what_is_pointed_at_as_a(view, qtbot):
    points = view.front.points
    qtbot.keyClick(view.canvas, Qt.Key.Key_Right)
    pointed = view.compared
    assert pointed is not None
    qtbot.keyClick(view.canvas, Qt.Key.Key_K)
    kept = view._store.compared.kept
    assert kept.document.model == view._store.document.model
    # What is kept finds that very schedule, and what is shown stays.
    found = side_of(kept).answer.scheduled
    assert found.fast_bytes <= points[pointed].peak_bytes
    assert found.total.total_cycles == pytest.approx(points[pointed].cycles, rel=0.05)


def test_a_band_has_what_the_estimate_cannot_tell_from_the_current_schedule(view):
    first, last = view.canvas.band.ends
    assert first < view.front.points[view.front.taken].cycles < last
    image = view.canvas.viewport().grab().toImage()
    height = view.canvas.place(0).toPoint().y()
    box = view.canvas.box
    inside, outside = (
        view.canvas.mapFromScene(box.mapViewToScene(QPointF(cycles, 0.0))).x()
        for cycles in (last * 0.999, last * 1.01)
    )
    assert image.pixelColor(inside, height) != image.pixelColor(outside, height)


def test_where_it_is_too_wide_differences_are_below_what_differs(view, qtbot):
    view.smaller()
    table = view.comparison

    def place(row, column):
        cell = table.cells[row][column]
        return cell.geometry().right(), cell.geometry().top()

    def is_narrow():
        return place(2, 0)[1] < place(1, 1)[1]

    view.resize(900, 480)
    qtbot.waitUntil(lambda: not is_narrow())
    assert place(1, 0)[1] == place(1, 3)[1] < place(2, 0)[1] < place(3, 0)[1]
    view.resize(table.least_width_px + 40, 480)
    qtbot.waitUntil(is_narrow)
    assert place(1, 0)[0] == place(2, 0)[0] == place(3, 0)[0] > place(0, 0)[0]
    assert place(0, 0)[1] == place(1, 0)[1] < place(2, 0)[1] < place(3, 0)[1] < place(0, 1)[1]
    shown = [cell for cells in table.cells for cell in cells if cell.text()]
    assert all(cell.width() >= cell.sizeHint().width() for cell in shown)
    assert max(cell.geometry().right() for cell in shown) < table.parentWidget().width()
