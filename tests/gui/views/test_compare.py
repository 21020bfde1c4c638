"""What is kept as A is held against whatever comes after it, in the window as in core."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from core.api import comparisons, listings, schedules
from core.base.frozen import replace
from core.base.rough import rough_text
from core.ir.options import Search
from gui.document.kept import Kept
from gui.jobs.comparer import Comparer
from gui.present.operators.columns import COLUMNS
from gui.present.runs.comparison import TABLES, kept_answer, side_titles, strip_of
from gui.present.summary import versus
from gui.present.timeline.memory import usage_of
from gui.views.compare.view import CompareView
from gui.views.operators.view import OperatorsView
from gui.views.summary.view import SummaryView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import answer_of, arrive, document_of, store_with
from tests.gui.painted import texts_of

LARGE, SMALL = {"limit_bytes": 200_000}, {"limit_bytes": 20_000}


@pytest.fixture
def compared(qtbot):
    """A store that shows a small limit, held against a large one, and the view of it."""
    store = store_with(answer_of("kws_dscnn", **SMALL))
    comparer = Comparer(store)
    view = CompareView(store)
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    store.compared.keep(kept_answer(answer_of("kws_dscnn", **LARGE)))
    qtbot.waitUntil(lambda: store.compared.latest is not None)
    yield store, view
    comparer.deleteLater()


def cells(table):
    model = table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_what_follows_an_answer_leaves_the_comparison_and_brings_what_is_told_of_it(
    compared, qtbot
):
    store, _ = compared
    found, answer = store.compared.latest, store.answer
    store.set_answer(replace(answer, spread=schedules.spread_of(answer.scheduled)))
    assert store.compared.of(store.answer) is found
    store.set_answer(replace(store.answer, scheduled=replace(answer.scheduled, edits=())))
    qtbot.waitUntil(lambda: store.compared.of(store.answer) is not None)


def test_the_tables_are_those_of_the_command_line(compared):
    _, view = compared
    accounts = [
        comparisons.account_of_schedule(answer_of("kws_dscnn", **each).scheduled)
        for each in (LARGE, SMALL)
    ]
    found = comparisons.compare(*accounts)
    assert view.headline.text() == comparisons.words.headline(found)
    for title, listing in TABLES.items():
        expected = [
            ["" if cell is None else str(cell) for cell in row] for row in listing(found).rows
        ]
        assert cells(view.tables[title]) == expected
    assert any(len(cells(table)) for table in view.tables.values())


def test_another_answer_is_compared_anew(compared, qtbot):
    store, view = compared
    arrive(store, answer_of("kws_dscnn", **LARGE))
    assert store.compared.of(store.answer) is None
    qtbot.waitUntil(lambda: store.compared.of(store.answer) is not None)
    assert store.compared.latest.is_equal
    assert view.headline.text() == "Both are the same"


def test_an_operator_that_is_picked_is_selected_everywhere_and_back(compared):
    store, view = compared
    table = view.tables["Operators"]
    table.selectRow(0)
    picked = store.selection.op
    assert picked == int(cells(table)[0][1])
    table.selectRow(1)
    assert store.selection.op != picked
    store.select(store.selection._replace(op=picked))
    assert table.currentIndex().row() == 0


def test_a_file_is_compared_and_what_is_none_is_told(compared, qtbot, tmp_path):
    store, view = compared
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(listings.describe_schedule("same", store.answer.scheduled)))
    bad.write_text("[1]")
    store.compared.keep(Kept(title="good", path=str(good)))
    qtbot.waitUntil(lambda: store.compared.latest is not None)
    assert store.compared.latest.is_equal
    store.compared.keep(Kept(title="bad", path=str(bad)))
    qtbot.waitUntil(lambda: store.compared.failure != "")
    assert view.headline.text() == store.compared.failure


def test_what_was_answered_before_is_not_worked_out_again(qtbot):
    store = store_with(answer_of("kws_dscnn", **SMALL))
    before, asked = answer_of("kws_dscnn", **LARGE), []

    def known(document):
        asked.append(document)
        return before

    comparer = Comparer(store, known=known)
    store.compared.keep(Kept(title="a run", document=before.document))
    qtbot.waitUntil(lambda: store.compared.latest is not None)
    assert asked == [before.document]
    found = store.compared.latest.figure("total_cycles")
    assert found.before == before.scheduled.total.total_cycles
    comparer.deleteLater()


def test_nothing_is_worked_out_any_more_when_the_app_ends():
    store = store_with(answer_of("kws_dscnn", **SMALL))
    comparer, told = Comparer(store), []
    asked = document_of("resnet8", search=Search.BEST)
    store.compared.keep(Kept(title="many searches", document=asked))
    store.changed.connect(told.append)
    comparer.shutdown()
    assert not [each for each in threading.enumerate() if each.name == "compare"]
    # A thread that told of something now would raise, and fail this test.
    comparer.deleteLater()
    QApplication.sendPostedEvents(comparer, QEvent.Type.DeferredDelete)
    assert told == []
    assert store.compared.latest is None


def test_sides_are_called_by_what_tells_them_apart(compared):
    store, _ = compared
    kept = store.compared.kept
    assert side_titles(kept, store.document) == ("SRAM limit 195.31 KiB", "SRAM limit 19.53 KiB")
    told = strip_of(kept, store.document, store.compared.latest, store.display)
    change = store.compared.latest.figure("total_cycles").change
    assert f"+{rough_text(change)} cycles" in told.change


def test_operators_stand_beside_those_of_a_with_the_greatest_difference_on_top(compared, qtbot):
    store, _ = compared
    view = OperatorsView(store)
    qtbot.addWidget(view)
    view.resize(1200, 500)
    view.show()
    found = store.compared.latest
    changes = [pair for pair in found.operators if pair.b is not None]
    model = view._model
    shown = [int(model.table.op[row]) for row in model.rows]
    expected = sorted(changes, key=lambda pair: -abs(pair.cycles))
    assert shown == [pair.b.places[0] for pair in expected]
    column = {each.id: at for at, each in enumerate(COLUMNS)}
    first = expected[0]
    texts = {name: model.index(0, at).data() for name, at in column.items()}
    assert texts["cycles_a"] == f"{round(first.before_cycles):,}"
    assert texts["cycles"] == f"{round(first.after_cycles):,}"
    assert texts["change"] == f"{round(first.cycles):+,}"
    # What the user sorts by stays; without A the columns are gone, and the order is that of time.
    store.compared.keep(None)
    assert view.table.isColumnHidden(column["change"])
    assert [int(model.table.op[row]) for row in model.rows] == sorted(shown)
    view.table.sort_by(COLUMNS[column["macs"]], is_descending=True)
    before = model.rows.tolist()
    store.compared.keep(kept_answer(answer_of("kws_dscnn", **LARGE)))
    qtbot.waitUntil(lambda: store.compared.latest is not None)
    assert model.rows.tolist() == before
    assert not view.table.isColumnHidden(column["change"])


def test_the_summary_has_the_totals_of_both(compared, qtbot):
    store, _ = compared
    view = SummaryView(store)
    qtbot.addWidget(view)
    view.resize(500, 900)
    view.show()
    found = store.compared.latest
    rows = versus(found, store.display)
    assert view.versus.isVisible()
    shown = [tuple(cell.text() for cell in cells) for cells in view.versus.cells]
    assert shown == [row[:4] for row in rows]
    by_title = {row.title: row for row in rows}
    cycles = found.figure("total_cycles")
    assert by_title["Cycles"].change.startswith(f"{round(cycles.change):+,}")
    assert by_title["Cycles"].is_better is (cycles.change < 0)
    assert by_title["Fast storage"].change.startswith("-")
    # In a wide window a number stays where its title can be read beside it.
    view.resize(2400, 900)
    QApplication.processEvents()
    title, *_, b, _ = view.versus.cells[0]
    assert b.geometry().right() < view.width() / 3
    assert title.geometry().right() < b.geometry().left()
    store.compared.keep(None)
    assert not view.versus.isVisible()


def test_what_a_has_in_use_is_drawn_with_what_is_shown(compared, qtbot):
    store, _ = compared
    qtbot.waitUntil(lambda: store.compared.before is not None)
    view = TimelineView(store)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    QApplication.processEvents()
    usage = view.stage.usage
    of_a, of_b = usage_of(store.compared.before), usage_of(store.answer)
    assert all(item.isVisible() for item in usage.before)
    assert usage.box.y_range.end >= of_a.peak_bytes
    middles = (of_a.edge_cycle[:-1] + of_a.edge_cycle[1:]) / 2
    shown = np.array([of_b.used_bytes[of_b.step_at(cycle)] for cycle in middles])
    shown[middles > of_b.edge_cycle[-1]] = 0.0
    # Where A has most above what is shown, for as long as can be.
    areas = (of_a.used_bytes - shown) * np.diff(of_a.edge_cycle)
    step = int(areas.argmax())
    height = (of_a.used_bytes[step] + shown[step]) / 2
    ground, theme = usage.grab().toImage(), store.theme
    at = usage.mapFromScene(usage.box.mapViewToScene(QPointF(middles[step], height)))
    assert ground.pixelColor(at).name() == QColor(theme.grid).name()
    assert "in A " in usage.tip_at(QPointF(at))
    assert "A's" in " ".join(text.text for text in texts_of(usage))
    store.compared.keep(None)
    assert not any(item.isVisible() for item in usage.before)
    assert "in A " not in usage.tip_at(QPointF(at))
