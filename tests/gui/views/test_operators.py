"""The operator table in a window: selection both ways, filter, copies, bars, and many rows."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QMenu

from core.base.frozen import replace
from core.base.ids import IslandId, NpuOpId
from gui.document.changes import Part
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.document.selection import NOTHING_SELECTED, CascadeRef, Selection
from gui.present.operators.cells import header_text, shown_text, tab_separated
from gui.present.operators.columns import COLUMNS, POSITIONS
from gui.present.operators.order import filter_of, matching_rows, selected_rows
from gui.present.operators.rules import MOST
from gui.present.operators.table import operator_table
from gui.state.store import Store
from gui.theme.tones import DARK, Tone
from gui.views.operators.model import OperatorsModel
from gui.views.operators.table import OperatorsTable
from gui.views.operators.view import OperatorsView
from tests.gui.answers import answer_of, arrive, store_with

TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 60_000}


class Shown:
    """A view of a store, and every change that the store announced."""

    def __init__(self, qtbot, store, width=1200):
        self.store = store
        self.view = OperatorsView(store)
        qtbot.addWidget(self.view)
        self.view.resize(width, 500)
        self.view.show()
        self.view.grab()
        self.changes = []
        store.changed.connect(self._hear)

    def _hear(self, change) -> None:
        """What is filtered is told as well, and is not what these tests are about."""
        if not change.has(Part.MATCHED):
            self.changes.append(change)

    @property
    def model(self):
        return self.view.table.operators

    def cell(self, row, column):
        return self.model.index(row, POSITIONS[column]).data()

    def selected(self):
        return [int(self.model.rows[place]) for place in self.view.table.selected_places()]


@pytest.fixture
def show(qtbot):
    def shown(name="unet_128", **settings):
        return Shown(qtbot, store_with(answer_of(name, **settings)))

    return shown


def clipboard():
    return QGuiApplication.clipboard().text()


def test_without_an_answer_it_says_so_and_then_shows_the_first(qtbot):
    shown = Shown(qtbot, Store())
    assert not shown.view.table.isVisible()
    answer = answer_of("kws_dscnn")
    arrive(shown.store, answer)
    assert shown.view.table.isVisible()
    assert shown.model.rowCount() == len(answer.scheduled.run.graph.ops)


@pytest.mark.parametrize("name", ["kws_dscnn", "shuffle_with_cpu", "unet_128"])
def test_cells_are_those_of_the_table(show, name):
    shown = show(name)
    table = operator_table(shown.store.answer)
    assert (shown.model.rowCount(), shown.model.columnCount()) == (table.count, len(COLUMNS))
    for row in range(table.count):
        for position, column in enumerate(COLUMNS):
            expected = shown_text(table, column, row, shown.store.display)
            assert shown.model.index(row, position).data() == expected


def test_columns_without_a_value_are_hidden_until_they_are_asked_for(show):
    shown = show("kws_dscnn")
    titles = {column.id for column in shown.view.table.shown_columns()}
    assert not titles & {"reason", "cascade", "dram", "evicted"}
    assert {"index", "name", "cycles", "sram", "flash"} <= titles
    shown.view.table.show_column("dram", is_shown=True)
    shown.view.table.show_column("kind", is_shown=False)
    titles = {column.id for column in shown.view.table.shown_columns()}
    assert "dram" in titles
    assert "kind" not in titles
    shown.view.table.reset_columns()
    assert "kind" in {column.id for column in shown.view.table.shown_columns()}


def test_the_menu_of_columns_shows_and_hides_them(show):
    shown = show("kws_dscnn")
    menu = QMenu(shown.view)
    shown.view.table.fill_columns_menu(menu)
    actions = {action.text(): action for action in menu.actions() if action.isCheckable()}
    assert set(actions) == {column.title for column in COLUMNS}
    assert actions["kind"].isChecked()
    actions["kind"].trigger()
    assert shown.view.table.isColumnHidden(POSITIONS["kind"])


def test_a_picked_row_is_one_change_and_no_echo(show):
    shown = show()
    shown.view.table.selectRow(3)
    assert shown.store.selection == Selection(op=NpuOpId(3))
    assert [(change.parts, change.initiator) for change in shown.changes] == [
        (frozenset({Part.SELECTION}), OperatorsView.NAME)
    ]
    shown.view.table.selectRow(3)
    assert len(shown.changes) == 1


def test_a_click_picks_an_operator_and_one_beside_the_rows_picks_nothing(show, qtbot):
    shown = show("resnet8")
    table = shown.view.table
    shown.view.filter.setText("fully")
    at = table.visualRect(shown.model.index(0, POSITIONS["name"])).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    row = int(shown.model.rows[0])
    assert shown.store.selection.op == operator_table(shown.store.answer).op[row]
    below = QPoint(at.x(), table.viewport().height() - 5)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=below)
    assert shown.store.selection == NOTHING_SELECTED
    assert len(shown.changes) == 2


def test_an_operator_of_the_cpu_can_be_picked(show):
    shown = show("shuffle_with_cpu")
    row = int(np.flatnonzero(shown.model.table.cpu_op == 0)[0])
    shown.view.table.selectRow(row)
    assert shown.store.selection == Selection(cpu_op=0)


def test_what_is_picked_elsewhere_is_followed_without_an_answer(show):
    shown = show(**TIGHT)
    answer = shown.store.answer
    graph, table = answer.scheduled.run.graph, shown.model.table
    (island,) = answer.scheduled.schedule.islands
    picks = [
        Selection(op=NpuOpId(7)),
        *(Selection(cascade=CascadeRef(IslandId(0), at)) for at in range(len(island.cascades))),
        *(Selection(fm=view.fm) for view in graph.ops[4].views),
        NOTHING_SELECTED,
    ]
    for number, pick in enumerate(picks, start=1):
        shown.store.select(pick, "elsewhere")
        assert shown.selected() == list(selected_rows(answer, table, pick))
        assert shown.store.selection == pick
        assert len(shown.changes) == number
    assert shown.changes[-1].initiator == "elsewhere"


def test_a_picked_row_comes_into_sight(show):
    shown = show("mobilenet_v2_035_96")
    last = shown.model.rowCount() - 1
    shown.store.select(Selection(op=NpuOpId(last)))
    rect = shown.view.table.visualRect(shown.model.index(last, 0))
    assert shown.view.table.viewport().rect().contains(rect)


def test_the_selection_stays_over_sorting_filtering_and_another_answer(show):
    shown = show(**TIGHT)
    shown.store.select(Selection(op=NpuOpId(5)))
    cycles = next(column for column in COLUMNS if column.id == "cycles")
    shown.view.table.sort_by(cycles, is_descending=True)
    shown.view.filter.setText("conv")
    assert shown.selected() == [5]
    arrive(shown.store, answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=90_000))
    assert shown.selected() == [5]
    assert shown.store.selection == Selection(op=NpuOpId(5))
    shown.view.filter.setText("max pool")
    assert shown.selected() == []
    assert shown.store.selection == Selection(op=NpuOpId(5))
    assert "hidden by the filter" in shown.view.footer.text()


def test_a_cascade_that_a_newer_schedule_lacks_selects_no_row(show):
    shown = show(**TIGHT)
    count = len(shown.store.answer.scheduled.schedule.islands[0].cascades)
    shown.store.select(Selection(cascade=CascadeRef(IslandId(0), count - 1)))
    arrive(shown.store, answer_of("unet_128", accelerator="ethos-u65-256"))
    fewer = len(shown.store.answer.scheduled.schedule.islands[0].cascades)
    assert bool(shown.selected()) == (count - 1 < fewer)


def test_the_header_sorts_numbers_from_the_greatest_on(show):
    shown = show()
    header = shown.view.table.horizontalHeader()
    header.sectionClicked.emit(POSITIONS["cycles"])
    cycles = shown.model.table.numbers["cycles"][shown.model.rows]
    assert cycles.tolist() == sorted(cycles, reverse=True)
    assert header.sortIndicatorSection() == POSITIONS["cycles"]
    header.sectionClicked.emit(POSITIONS["cycles"])
    cycles = shown.model.table.numbers["cycles"][shown.model.rows]
    assert cycles.tolist() == sorted(cycles)
    header.sectionClicked.emit(POSITIONS["index"])
    assert shown.model.rows.tolist() == list(range(shown.model.rowCount()))


def test_the_menu_sorts_too(show):
    shown = show()
    menu = QMenu(shown.view)
    shown.view.table.fill_sort_menu(menu)
    next(action for action in menu.actions() if action.text() == "cycles").trigger()
    cycles = shown.model.table.numbers["cycles"][shown.model.rows]
    assert cycles.tolist() == sorted(cycles, reverse=True)


def test_typing_filters_and_enter_goes_through_the_hits(show, qtbot):
    shown = show("shuffle_with_cpu")
    shown.view.focus_filter()
    qtbot.keyClicks(shown.view.filter, "depthwise")
    hits = matching_rows(shown.model.table, filter_of("depthwise")).tolist()
    assert shown.model.rows.tolist() == hits
    assert len(hits) > 2
    found = []
    for _ in range(len(hits) + 1):
        qtbot.keyClick(shown.view.filter, Qt.Key.Key_Return)
        found.append(shown.selected())
    assert found == [[row] for row in (*hits, hits[0])]
    qtbot.keyClick(shown.view.filter, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert shown.selected() == [hits[-1]]
    assert len(shown.changes) == len(hits) + 2
    qtbot.keyClick(shown.view.filter, Qt.Key.Key_Escape)
    assert shown.model.rowCount() == shown.model.table.count
    assert shown.selected() == [hits[-1]]


def switch(view, *names):
    """Click on rules in the menu."""
    view.rules.fill()
    for name in names:
        next(each for each in view.rules.choices.actions() if each.text() == name).trigger()


def rows_of(shown, query):
    return matching_rows(shown.model.table, filter_of(query)).tolist()


def ground(shown, row):
    """On which colour the number of an operator stands."""
    place = shown.model.place_of(row)
    brush = shown.model.index(place, 0).data(Qt.ItemDataRole.BackgroundRole)
    return None if brush is None else brush.color().name()


def test_a_rule_lists_its_matches_and_selects_them_all_in_every_view(show, qtbot):
    shown = show("shuffle_with_cpu")
    switch(shown.view, "Most of the time")
    assert shown.view.filter.text() == ""
    hits = rows_of(shown, "share>=5%")
    assert shown.model.rows.tolist() == hits
    assert 1 < len(hits) < shown.model.table.count
    assert shown.view.on.isVisible()
    qtbot.keyClick(shown.view.filter, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    picked = shown.store.selection
    assert {picked.op, *picked.more_ops} == {int(shown.model.table.op[row]) for row in hits}


def test_several_rules_list_what_any_finds_and_the_first_gives_the_colour(show):
    shown = show("shuffle_with_cpu", **TIGHT)
    view = shown.view
    for query in ("kind=conv2d", "share>=5%", "is=cpu"):
        view.rules.switched.emit(query)
    hits = [set(rows_of(shown, query)) for query in ("kind=conv2d", "share>=5%", "is=cpu")]
    assert hits[0] & hits[1]
    assert hits[1] - hits[0]
    assert hits[2]
    assert shown.model.rows.tolist() == sorted(set.union(*hits))
    colours = [shown.store.theme.inks[rule.tone].colour for rule in shown.store.matched.rules.on]
    assert len(set(colours)) == 3
    for row in shown.model.rows.tolist():
        assert ground(shown, row) == colours[next(at for at in range(3) if row in hits[at])]
    # In another order another one is the first; each keeps its colour.
    view.on.list.setCurrentRow(2)
    view.on.earlier.click()
    assert shown.store.matched.rules.texts == ("share>=5%", "kind=conv2d", "is=cpu")
    for row in hits[1]:
        assert ground(shown, row) == colours[1]
    assert view.on.rule.text == "share>=5%"
    view.on.off.click()
    assert shown.store.matched.rules.texts == ("kind=conv2d", "is=cpu")
    assert shown.model.rows.tolist() == sorted(hits[0] | hits[2])


def test_all_matches_are_stepped_through_or_those_of_one_rule(show, qtbot):
    shown = show("shuffle_with_cpu", **TIGHT)
    view = shown.view
    for query in ("kind=conv2d", "is=cpu"):
        view.rules.switched.emit(query)
    for at, query in ((0, "kind=conv2d or is=cpu"), (1, "kind=conv2d"), (2, "is=cpu")):
        view.on.list.setCurrentRow(at)
        view.table.clearSelection()
        hits = rows_of(shown, query)
        assert hits
        found = []
        for _ in range(len(hits) + 1):
            qtbot.keyClick(view.on.list, Qt.Key.Key_Return)
            found.append(shown.selected())
        assert found == [[row] for row in (*hits, hits[0])]
        view.on.previous.click()
        assert shown.selected() == [hits[-1]]


def test_what_is_typed_is_looked_for_among_what_rules_find(show):
    shown = show("shuffle_with_cpu", **TIGHT)
    shown.view.rules.switched.emit("share>=5%")
    shown.view.filter.setText("kind=conv2d")
    assert shown.model.rows.tolist() == rows_of(shown, "share>=5% kind=conv2d")
    shown.view.filter.clear()
    assert shown.model.rows.tolist() == rows_of(shown, "share>=5%")


def test_as_many_rules_are_on_as_colours_can_be_told_apart(show):
    view = show().view
    queries = [f"cycles>{at}k" for at in range(MOST + 1)]
    view.rules.use_kept(queries)
    switch(view, *queries)
    assert view.rules.rules.texts == tuple(queries[:MOST])
    view.rules.fill()
    last = next(each for each in view.rules.choices.actions() if each.text() == queries[-1])
    assert not last.isEnabled()
    # A colour that is free again is taken by the next.
    free = view.rules.rules.on[2].tone
    switch(view, queries[2], queries[-1])
    assert view.rules.rules.texts == (*queries[:2], *queries[3:])
    assert view.rules.rules.on[-1].tone is free


def test_a_rule_of_ones_own_is_kept_and_forgotten(show):
    shown = show()
    view, rules = shown.view, shown.view.rules
    view.filter.setText("cycles>1k")
    switch(view, "Keep what is typed as a rule")
    assert view.look()["rules"] == ["cycles>1k"]
    # It is on at once, and need not be typed any more.
    assert view.filter.text() == ""
    assert view.look()["on"] == [["cycles>1k", 0]]
    assert shown.model.rows.tolist() == rows_of(shown, "cycles>1k")
    switch(view, "cycles>1k")
    assert view.look()["on"] == []
    assert not view.on.isVisible()
    assert shown.model.rowCount() == shown.model.table.count
    rules.fill()
    forget = next(each for each in rules.choices.actions() if each.text() == "Forget a rule")
    forget.menu().actions()[0].trigger()
    assert view.look()["rules"] == []
    view.show_look({"rules": ["share>1%", 3, ""], "on": [["share>1%", 4], ["(", 1], 7, ["x"]]})
    assert rules.kept == ("share>1%",)
    assert view.look()["on"] == [["share>1%", 4]]


def test_a_bad_pattern_is_told_and_hides_nothing(show):
    shown = show()
    assert not shown.view.problem.isVisible()
    shown.view.filter.setText("/conv(/")
    assert shown.view.problem.isVisible()
    assert "not a regular expression" in shown.view.problem.text()
    assert shown.model.rowCount() == shown.model.table.count
    shown.view.filter.setText("/conv/")
    assert not shown.view.problem.isVisible()
    assert 0 < shown.model.rowCount() < shown.model.table.count


def test_ctrl_f_goes_to_the_filter(show, qtbot):
    shown = show()
    with qtbot.waitActive(shown.view):
        shown.view.activateWindow()
    shown.view.table.setFocus()
    qtbot.keyClick(shown.view.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert shown.view.filter.hasFocus()
    qtbot.keyClick(shown.view.filter, Qt.Key.Key_Down)
    assert shown.view.table.hasFocus()


def test_what_is_copied_is_what_is_seen(show, qtbot):
    shown = show()
    table, columns = shown.model.table, shown.view.table.shown_columns()
    display = shown.store.display
    shown.view.copy()
    assert clipboard() == tab_separated(table, columns, range(table.count), display)
    shown.view.table.select_places([2, 5])
    qtbot.keyClick(shown.view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in clipboard().splitlines()]
    assert lines[0] == [header_text(column, display) for column in columns]
    assert [line[:2] for line in lines[1:]] == [
        [table.texts["index"][row], table.texts["name"][row]] for row in (2, 5)
    ]
    shown.view.copy_all()
    assert len(clipboard().splitlines()) == table.count + 1
    shown.view.copy_markdown()
    assert clipboard().splitlines()[1].startswith("| --- |")
    assert len(clipboard().splitlines()) == 4


def test_units_and_theme_are_followed(show):
    shown = show()
    assert shown.model.headerData(POSITIONS["live"], Qt.Orientation.Horizontal) == "SRAM live (KiB)"
    before = shown.cell(0, "cycles")
    display = Display(time_unit=TimeUnit.MICROSECONDS, byte_unit=ByteUnit.BYTES)
    shown.store.set_display(display)
    assert shown.model.headerData(POSITIONS["live"], Qt.Orientation.Horizontal) == "SRAM live (B)"
    assert shown.cell(0, "cycles") != before
    assert "µs" in shown.view.footer.text()
    shown.view.filter.setText("/(/")
    shown.store.set_theme(DARK)
    palette = shown.view.problem.palette()
    assert palette.windowText().color() == QColor(DARK.danger)


def test_bars_are_as_long_as_their_numbers(show):
    shown = show("resnet8")
    table, column = shown.view.table, POSITIONS["cycles"]
    ink = QColor(shown.store.theme.inks[Tone.COMPUTE].colour)
    picture = table.viewport().grab().toImage()
    cycles = shown.model.table.numbers["cycles"]
    for row in range(6):
        rect = table.visualRect(shown.model.index(row, column))
        y = rect.bottom() - 2
        inked = sum(picture.pixelColor(x, y) == ink for x in range(rect.left(), rect.right() + 1))
        whole = rect.width() - 6
        assert inked == pytest.approx(whole * cycles[row] / cycles.max(), abs=2)


def test_a_bar_above_the_limit_is_full_and_of_another_colour(show):
    shown = show("unet_128", limit_bytes=200_000)
    live = shown.model.table.numbers["live"]
    row = int(np.argmax(live))
    shown.store.select(NOTHING_SELECTED)
    table = shown.view.table
    index = shown.model.index(row, POSITIONS["live"])
    table.scrollTo(index)
    rect = table.visualRect(index)
    picture = table.viewport().grab().toImage()
    over = QColor(shown.store.theme.inks[Tone.OVER].colour)
    colours = [
        picture.pixelColor(x, rect.bottom() - 2) for x in range(rect.left() + 4, rect.right() - 4)
    ]
    assert set(map(QColor.name, colours)) == {over.name()}
    ink = index.data(Qt.ItemDataRole.ForegroundRole)
    assert ink.color() == QColor(shown.store.theme.danger)


def test_everything_that_takes_the_focus_has_a_name(show):
    shown = show()
    view = shown.view
    for widget in (view.filter, view.table, view.footer, view.problem):
        assert widget.accessibleName()
    shown.store.select(Selection(op=NpuOpId(2)))
    assert (
        view.table.accessibleDescription()
        == f"selected: {shown.store.answer.scheduled.graph.titles.op(2)}"
    )


def test_nothing_is_done_while_it_is_out_of_sight(qtbot, monkeypatch):
    store = store_with(answer_of("kws_dscnn"))
    shown = Shown(qtbot, store)
    shown.view.hide()
    made = []
    monkeypatch.setattr(
        "gui.views.operators.view.operator_table",
        lambda answer: made.append(answer) or operator_table(answer),
    )
    for limit in (50_000, 40_000, 30_000):
        arrive(store, answer_of("kws_dscnn", limit_bytes=limit))
    assert made == []
    shown.view.show()
    assert made == [store.answer]


def large_table(count):
    """A table of so many rows, made of an example's again and again."""
    small = operator_table(answer_of("mobilenet_v2_035_96", **TIGHT))
    rows = np.arange(count) % small.count
    return replace(
        small,
        op=np.arange(count, dtype=np.int32),
        cpu_op=np.full(count, -1, dtype=np.int32),
        numbers={name: column[rows] for name, column in small.numbers.items()},
        texts={
            name: tuple(np.array(column, dtype=object)[rows].tolist())
            for name, column in small.texts.items()
        },
        sizes={name: column[rows] for name, column in small.sizes.items()},
        labels=tuple(np.array(small.labels, dtype=object)[rows].tolist()),
    )


def cells_asked_for(qtbot, monkeypatch, count):
    """How many values twenty frames of a table of so many rows ask for, and the table."""
    asked = []
    data = OperatorsModel.data
    monkeypatch.setattr(OperatorsModel, "data", lambda *a: asked.append(1) or data(*a))
    store = Store()
    model = OperatorsModel(store.theme, store.display)
    table = OperatorsTable(model, store.theme)
    qtbot.addWidget(table)
    model.set_table(large_table(count), store.display)
    table.fit(store.display, "large")
    table.resize(1600, 900)
    table.show()
    table.grab()
    asked.clear()
    bar = table.verticalScrollBar()
    for step in range(20):
        bar.setValue(bar.maximum() * step // 20)
        table.grab()
    monkeypatch.undo()
    return len(asked), table


def test_cells_out_of_sight_cost_nothing(qtbot, monkeypatch):
    few, _ = cells_asked_for(qtbot, monkeypatch, 100)
    many, table = cells_asked_for(qtbot, monkeypatch, 10_000)
    assert 0 < many <= 1.1 * few
    assert {table.rowHeight(row) for row in (0, 5_000, 9_999)} == {table.rowHeight(0)}


@pytest.mark.usefixtures("qtbot")
def test_ten_thousand_rows_are_sorted():
    store = Store()
    model = OperatorsModel(store.theme, store.display)
    table = large_table(10_000)
    model.set_table(table, store.display)
    model.sort(POSITIONS["cycles"], Qt.SortOrder.DescendingOrder)
    cycles = table.numbers["cycles"][model.rows]
    assert len(cycles) == 10_000
    assert (np.diff(cycles) <= 0).all()


def test_names_are_shown_without_what_all_have_in_common_and_copied_whole(qtbot):
    answer = answer_of("kws_dscnn")
    run = answer.scheduled.run
    ops = tuple(replace(op, name=f"net/deep/{op.name};fused") for op in run.graph.ops)
    graph = replace(run.graph, ops=ops)
    scheduled = replace(answer.scheduled, run=replace(run, graph=graph))
    view = Shown(qtbot, store_with(replace(answer, scheduled=scheduled))).view
    name = view.table.model().index(0, POSITIONS["name"])
    assert name.data() == run.graph.titles.op_parts[0]
    assert name.data(Qt.ItemDataRole.ToolTipRole) == ops[0].name
    view.filter.setText("net/deep")
    assert view.table.model().rowCount() == len(ops)
    view.copy_all()
    assert ops[0].name in QGuiApplication.clipboard().text()


def test_a_table_that_is_sorted_shows_its_top(qtbot):
    view = Shown(qtbot, store_with(answer_of("mobilenet_v2_035_96"))).view
    view.table.scrollToBottom()
    view.table.sort_by(COLUMNS[POSITIONS["cycles"]], is_descending=True)
    assert view.table.verticalScrollBar().value() == 0
