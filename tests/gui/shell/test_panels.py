"""Panels: where they are at first, and how they are moved, hidden, kept and put back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QTabBar, QVBoxLayout, QWidget

from gui.commands.panels import Corner, Panel
from gui.shell.panels import Panels, focus_into


class View(QWidget):
    """Has a part that takes keys."""

    def __init__(self) -> None:
        super().__init__()
        self.line = QLineEdit()
        QVBoxLayout(self).addWidget(self.line)


def row(name: str, corner: Corner, *, leads: bool = False) -> Panel:
    """A view of which only its place matters."""
    kind = type(name, (View,), {"NAME": name, "TITLE": name.title()})
    return Panel(kind, corner, leads=leads)


ROWS = (
    row("timeline", Corner.TIME),
    row("memory", Corner.SPACE),
    *(row(name, Corner.LISTED) for name in ("operators", "network", "cascades")),
    row("controls", Corner.ASKED),
    row("why", Corner.ASKED),
    row("summary", Corner.LISTED, leads=True),
    row("front", Corner.LISTED),
)
NAMES = tuple(panel.name for panel in ROWS)


@pytest.fixture
def panels(qtbot):
    panels = Panels(ROWS, {name: View() for name in NAMES})
    qtbot.addWidget(panels)
    panels.resize(1280, 700)
    panels.show()
    qtbot.waitUntil(lambda: panels.dock("timeline").width() > panels.width() // 2)
    qtbot.waitUntil(lambda: panels.dock("summary").titleBarWidget() is not None)
    return panels


FLOATS = pytest.mark.qt_log_ignore("does not support (raise|propagateSizeHints)")
"""The offscreen platform says so whenever a window is raised."""


def places(panels: Panels) -> dict[str, tuple[int, int, int, int]]:
    return {
        name: panels.dock(name).geometry().getRect()
        for name in NAMES
        if not panels.dock(name).visibleRegion().isEmpty()
    }


def test_at_first_the_memory_map_is_as_wide_as_time_above_it_and_all_else_is_at_the_right(panels):
    seen = places(panels)
    assert set(seen) == {"timeline", "memory", "controls", "summary"}
    x, y, width, height = seen["timeline"]
    assert (x, y) == (0, 0)
    assert (seen["memory"][0], seen["memory"][2]) == (0, width)
    assert seen["memory"][1] >= height
    assert seen["memory"][3] >= height
    assert seen["controls"][0] >= width
    assert seen["summary"][0] >= width
    assert seen["summary"][1] >= seen["controls"][3]
    assert all(panels.is_panel_shown(name) for name in NAMES)


def check_tab_bars(panels: Panels) -> None:
    """Every stack has one tab bar, and there is no other."""
    QApplication.processEvents()
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    bars = [bar for bar in panels.findChildren(QTabBar, options=direct) if bar.isVisible()]
    titles = [bar.tabText(at) for bar in bars for at in range(bar.count())]
    docks = [panels.dock(name) for name in NAMES if panels.is_panel_shown(name)]
    stacked = [
        dock.windowTitle()
        for dock in docks
        if any(not other.isHidden() for other in panels.tabifiedDockWidgets(dock))
    ]
    assert sorted(titles) == sorted(stacked)


def test_no_tab_bar_is_left_behind(panels):
    check_tab_bars(panels)
    text = panels.encoded_layout()
    for _ in range(2):
        panels.show_alone("memory")
        check_tab_bars(panels)
        panels.toggle_alone()
        check_tab_bars(panels)
        panels.toggle_panel("network")
        check_tab_bars(panels)
        assert panels.use_layout(text)
        check_tab_bars(panels)
        panels.reset()
        check_tab_bars(panels)


def test_a_panel_that_is_asked_for_comes_to_the_front_with_the_focus(qtbot, panels):
    for name in NAMES:
        panels.show_panel(name)
        qtbot.waitUntil(lambda name=name: name in places(panels))
        assert panels.isAncestorOf(panels.focusWidget())
        assert panels.dock(name).isAncestorOf(panels.focusWidget())


def test_stepping_goes_through_the_panels_in_sight_column_by_column_and_round(panels):
    panels.show_panel("timeline")
    gone_to = []
    for by in (1, 1, 1, 1, -1, -1):
        panels.step(by)
        gone_to.append(panels.last_focused)
    assert gone_to == ["memory", "controls", "summary", "timeline", "summary", "controls"]
    panels.show_panel("why")
    panels.step(1)
    assert panels.last_focused == "summary", "what is behind another tab is passed over"
    panels.show_alone("memory")
    panels.step(1)
    assert panels.last_focused == "memory"


def test_panels_are_hidden_and_shown(panels):
    panels.toggle_panel("memory")
    assert not panels.is_panel_shown("memory")
    panels.toggle_panel("memory")
    assert panels.is_panel_shown("memory")


def test_one_panel_alone_and_all_as_before(qtbot, panels):
    panels.toggle_panel("controls")
    qtbot.waitUntil(lambda: panels.dock("why").titleBarWidget() is None)
    before = places(panels)
    panels.show_alone("memory")
    assert panels.is_alone
    qtbot.waitUntil(lambda: set(places(panels)) == {"memory"})
    qtbot.waitUntil(lambda: panels.dock("memory").width() >= panels.width() - 2)
    panels.show_alone("network")
    qtbot.waitUntil(lambda: set(places(panels)) == {"network"})
    panels.toggle_alone()
    assert not panels.is_alone
    assert not panels.is_panel_shown("controls")
    qtbot.waitUntil(lambda: places(panels) == before)


def test_going_to_a_panel_ends_another_ones_being_alone(panels):
    panels.show_alone("memory")
    panels.show_panel("timeline")
    assert not panels.is_alone
    assert panels.is_panel_shown("memory")


def test_the_panel_that_had_the_focus_last_is_the_one_alone(panels):
    panels.show_panel("cascades")
    panels.toggle_alone()
    assert [name for name in NAMES if panels.is_panel_shown(name)] == ["cascades"]


def test_a_layout_comes_back_from_its_text(qtbot, panels):
    panels.toggle_panel("why")
    panels.tabifyDockWidget(panels.dock("memory"), panels.dock("timeline"))
    # Shares of the width are worked out anew where a column has lost a panel.
    QApplication.processEvents()
    text = panels.encoded_layout()
    panels.reset()
    assert panels.is_panel_shown("why")
    assert panels.use_layout(text)
    assert not panels.is_panel_shown("why")
    assert panels.dock("timeline") in panels.tabifiedDockWidgets(panels.dock("memory"))
    qtbot.waitUntil(lambda: panels.encoded_layout() == text)


@pytest.mark.parametrize("text", ["", "nonsense", "bm9uc2Vuc2U=", "ä", "AAAA"])
def test_a_layout_that_makes_no_sense_changes_nothing(panels, text):
    before = places(panels)
    assert not panels.use_layout(text)
    assert places(panels) == before


def test_a_layout_of_another_version_is_not_used(panels, monkeypatch):
    text = panels.encoded_layout()
    monkeypatch.setattr("gui.shell.panels.LAYOUT_VERSION", 999)
    assert not panels.use_layout(text)


def test_a_layout_from_before_a_view_came_is_used_with_the_view_in_its_corner(qtbot, panels):
    panels.toggle_panel("why")
    text = panels.encoded_layout()
    rows = (*ROWS, row("tenth", Corner.LISTED))
    later = Panels(rows, {name: View() for name in (*NAMES, "tenth")})
    qtbot.addWidget(later)
    later.resize(1280, 700)
    later.show()
    assert later.use_layout(text)
    assert not later.is_panel_shown("why")
    assert later.dock("tenth") in later.tabifiedDockWidgets(later.dock("operators"))


@FLOATS
def test_reset_puts_everything_back(qtbot, panels):
    before = places(panels)
    panels.dock("memory").setFloating(True)
    panels.toggle_panel("controls")
    panels.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, panels.dock("timeline"))
    panels.reset()
    qtbot.waitUntil(lambda: places(panels) == before)


@FLOATS
def test_a_panel_among_tabs_says_its_title_once(qtbot, panels):
    qtbot.waitUntil(lambda: panels.dock("operators").titleBarWidget() is not None)
    assert panels.dock("timeline").titleBarWidget() is None
    panels.dock("operators").setFloating(True)
    qtbot.waitUntil(lambda: panels.dock("operators").titleBarWidget() is None)


def test_focus_goes_to_the_first_part_that_takes_keys(qtbot):
    view = View()
    qtbot.addWidget(view)
    view.show()
    focus_into(view)
    assert view.focusWidget() is view.line
    empty = QWidget()
    qtbot.addWidget(empty)
    focus_into(empty)
    assert empty.focusWidget() is None
