"""Puts right what Qt leaves undone when docks have moved: titles said twice, stray tab bars."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QWidget


def settle(window: QMainWindow, docks: Sequence[QDockWidget]) -> None:
    """Do both for all docks of a window."""
    for dock in docks:
        _show_title(dock, is_titled=dock.isFloating() or not _beside(window, dock))
    _hide_stray_tabs(window, docks)


def _beside(window: QMainWindow, dock: QDockWidget) -> list[QDockWidget]:
    """Docks that share a place with one."""
    return [other for other in window.tabifiedDockWidgets(dock) if not other.isHidden()]


def _show_title(dock: QDockWidget, *, is_titled: bool) -> None:
    """A dock among tabs has its title on its tab, and need not say it twice."""
    if is_titled == (dock.titleBarWidget() is not None):
        dock.setTitleBarWidget(None if is_titled else QWidget())  # type: ignore[arg-type]


def _hide_stray_tabs(window: QMainWindow, docks: Sequence[QDockWidget]) -> None:
    """Of tab bars for the same docks only one is theirs.

    Arranging or restoring a layout leaves others of layouts that never came to be, in sight.
    """
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    titles = {bar: {bar.tabText(at) for at in range(bar.count())} for bar in bars}
    owned = set()
    for dock in docks:
        stack = [dock, *_beside(window, dock)]
        # A dock behind another is kept outside of the window.
        if dock.isFloating() or dock.isHidden() or dock.x() < 0 or len(stack) < 2:
            continue
        wanted = {part.windowTitle() for part in stack}
        # The latest first: of those that are alike it is the one in use.
        fitting = [bar for bar in reversed(bars) if wanted <= titles[bar]]
        if fitting:
            owned.add(_nearest(fitting, dock))
    for bar in bars:
        bar.setAccessibleName("Panels in this place")
        bar.setVisible(bar in owned)


def _nearest(bars: Sequence[QTabBar], dock: QDockWidget) -> QTabBar:
    """The tab bar that is nearest to where that of a dock is."""

    def distance(bar: QTabBar) -> int:
        return abs(bar.x() - dock.x()) + abs(bar.y() + bar.height() - dock.y())

    return min(bars, key=distance)
