"""Runs in the window: noted when they settle, gone back to, kept as A, named and starred."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from gui.present.runs.comparison import kept_answer
from gui.present.runs.list import NAME, STAR
from gui.shell.run_keeper import RunKeeper
from gui.views.runs.view import RunsView
from tests.gui.answers import answer_of, arrive, store_with

LIMITS = (200_000, 20_000)


@pytest.fixture
def shown(qtbot):
    """A store in which two answers have settled, and the view of them."""
    store = store_with(answer_of("kws_dscnn", limit_bytes=LIMITS[0]))
    keeper = RunKeeper(store, quiet_ms=0)
    view = RunsView(store)
    qtbot.addWidget(view)
    view.resize(900, 300)
    view.show()
    arrive(store, store.answer)
    qtbot.waitUntil(lambda: len(view.model.rows) == 1)
    store.edit(store.document.with_limit(LIMITS[1]), "Take the limit in")
    arrive(store, answer_of("kws_dscnn", limit_bytes=LIMITS[1]))
    qtbot.waitUntil(lambda: len(view.model.rows) == 2)
    yield store, view
    keeper.deleteLater()


def center(view, row, column) -> QPoint:
    return view.table.visualRect(view.model.index(row, column)).center()


def test_each_run_has_its_figures_and_what_was_done(shown):
    store, view = shown
    latest, first = (row.run for row in view.model.rows)
    assert latest.label == "Take the limit in"
    assert latest.document == store.document
    assert latest.cycles == store.answer.scheduled.total.total_cycles
    assert latest.fast_bytes == store.answer.scheduled.fast_bytes
    assert first.document.settings.limit_bytes == LIMITS[0]
    assert [spot.is_shown for spot in view.plot.spots] == [True, False]


def test_one_run_alone_is_no_plot(shown, qtbot):
    _, view = shown
    assert view.plot.isVisible()
    store = store_with(answer_of("kws_dscnn", limit_bytes=LIMITS[0]))
    keeper = RunKeeper(store, quiet_ms=0)
    alone = RunsView(store)
    qtbot.addWidget(alone)
    alone.show()
    arrive(store, store.answer)
    qtbot.waitUntil(lambda: len(alone.model.rows) == 1)
    assert alone.plot.isHidden()
    keeper.deleteLater()


def test_a_point_of_the_plot_is_told_and_picks_its_row(shown, qtbot):
    _, view = shown
    plot = view.plot
    inside = plot.rect().adjusted(8, 8, -8, -8)
    for row, spot in enumerate(plot.spots):
        at = plot.place_of(spot).toPoint()
        assert inside.contains(at)
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=at)
        assert view.table.currentIndex().row() == row
        QApplication.sendEvent(plot, QHelpEvent(QEvent.Type.ToolTip, at, plot.mapToGlobal(at)))
        assert f"{view.model.rows[row].run.cycles:,.0f} cycles" in QToolTip.text()
    away = plot.rect().center()
    view.table.selectRow(0)
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=away)
    assert view.table.currentIndex().row() == 0


def test_enter_goes_back_in_one_step_of_undo(shown, qtbot):
    store, view = shown
    before = store.document
    view.table.selectRow(1)
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert store.document.settings.limit_bytes == LIMITS[0]
    store.undo()
    assert store.document == before


def test_ctrl_and_a_click_make_a_run_a(shown, qtbot):
    store, view = shown
    control, left = Qt.KeyboardModifier.ControlModifier, Qt.MouseButton.LeftButton
    qtbot.mouseClick(view.table.viewport(), left, control, center(view, 1, 2))
    assert store.compared.kept.document == view.model.rows[1].run.document


@pytest.mark.usefixtures("qtbot")
def test_what_is_kept_as_a_is_a_run_at_once():
    store = store_with(answer_of("kws_dscnn", limit_bytes=LIMITS[0]))
    keeper = RunKeeper(store, quiet_ms=1_000_000)
    arrive(store, store.answer)
    assert not store.runs.runs.of_model(store.document)
    store.compared.keep(kept_answer(answer_of("kws_dscnn", limit_bytes=LIMITS[1])))
    assert not store.runs.runs.of_model(store.document)
    store.compared.keep(kept_answer(store.answer))
    (run,) = store.runs.runs.of_model(store.document)
    assert run.document == store.document
    keeper.deleteLater()


def test_no_figure_is_cut_not_even_of_the_run_that_is_shown_in_bold(shown):
    _, view = shown
    for index in (view.model.index(0, column) for column in range(view.model.columnCount())):
        font = index.data(Qt.ItemDataRole.FontRole)
        assert font.bold()
        text = str(index.data() or "")
        assert QFontMetrics(font).horizontalAdvance(text) < view.table.columnWidth(index.column())


def test_stars_and_names_stay_with_their_run(shown, qtbot):
    store, view = shown
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(view.table.viewport(), left, pos=center(view, 1, STAR))
    assert view.model.setData(view.model.index(1, NAME), "with room")
    run = view.model.rows[1].run
    assert (run.is_starred, run.name) == (True, "with room")
    view.table.selectRow(1)
    qtbot.keyClick(view.table, Qt.Key.Key_Space)
    assert not view.model.rows[1].run.is_starred
    assert store.runs.runs.of_model(store.document)[1].name == "with room"
