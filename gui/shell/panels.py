"""The part of the window that holds the views: panels that can be moved, tabbed and hidden."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QByteArray, QPoint, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QTabBar,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui.commands.panels import Corner, Panel
from gui.theme.scale import arrange
from gui.widgets.close_tabs import set_close

LAYOUT_VERSION = 3
"""Layouts of another version are not used; panels that come and go do not matter."""

_AREA = Qt.DockWidgetArea.LeftDockWidgetArea
_LEAST_SIDE_PX, _MOST_SIDE_PX = 400, 720
_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


def bring_forward(window: QMainWindow, dock: QDockWidget, *, kept: Collection[QDockWidget]) -> None:
    """Bring a panel of the window before its tabs, and leave the focus where it is; not where that
    would cover others that are seen."""
    if not dock.isHidden() and not any(other in kept for other in _beside(window, dock)):
        dock.raise_()


def tell_filtered(dock: QDockWidget, title: str, *, is_filtered: bool) -> None:
    """Have the tab of a panel say so, which is seen where the panel is behind others."""
    dock.setWindowTitle(f"{title} (filtered)" if is_filtered else title)


def settle(window: QMainWindow, docks: Sequence[QDockWidget]) -> None:
    """Do both for all docks of a window."""
    _show_titles(window, docks)
    _hide_stray_tabs(window, docks)


def _beside(window: QMainWindow, dock: QDockWidget) -> list[QDockWidget]:
    """Docks that share a place with one."""
    return [other for other in window.tabifiedDockWidgets(dock) if not other.isHidden()]


def _show_titles(window: QMainWindow, docks: Sequence[QDockWidget]) -> None:
    """A dock among tabs has its title on its tab, and need not say it twice."""
    for dock in docks:
        is_titled = dock.isFloating() or not _beside(window, dock)
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
        # Where there are more than there is room for they scroll: letters would say nothing.
        bar.setElideMode(Qt.TextElideMode.ElideNone)
        set_close(bar)
        bar.setVisible(bar in owned)


def _nearest(bars: Sequence[QTabBar], dock: QDockWidget) -> QTabBar:
    """The tab bar that is nearest to where that of a dock is."""

    def distance(bar: QTabBar) -> int:
        return abs(bar.x() - dock.x()) + abs(bar.y() + bar.height() - dock.y())

    return min(bars, key=distance)


class Panels(QMainWindow):
    """A main window inside the window: without a central widget, its docks fill it wholly."""

    def __init__(self, panels: Sequence[Panel], views: Mapping[str, QWidget]) -> None:
        super().__init__(None, Qt.WindowType.Widget)
        self.setObjectName("panels")
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._views = dict(views)
        self._docks = {panel.name: self._dock(panel.name, panel.title) for panel in panels}
        self._corners = {
            corner: [
                self._docks[panel.name]
                for panel in sorted(panels, key=lambda panel: not panel.leads)
                if panel.corner is corner
            ]
            for corner in Corner
        }
        self._before_alone: QByteArray | None = None
        self._has_sizes = False
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        # What Qt leaves undone when panels have moved is put right.
        self._settling.timeout.connect(lambda: settle(self, tuple(self._docks.values())))
        self._last_focused = ""
        qt = QApplication.instance()
        assert isinstance(qt, QApplication)
        qt.focusChanged.connect(self._on_focus)
        self._arrange()

    def _dock(self, name: str, title: str) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(_page(self._views[name]))
        # Behind another tab a panel is only moved away; its view has to know that it may rest.
        dock.visibilityChanged.connect(self._views[name].setVisible)
        for signal in (dock.visibilityChanged, dock.topLevelChanged, dock.dockLocationChanged):
            signal.connect(lambda *_: self._settling.start(0))
        return dock

    def dock(self, name: str) -> QDockWidget:
        """The panel of a view."""
        return self._docks[name]

    # What commands ask for.

    def show_panel(self, name: str) -> None:
        """Bring a view to the front, and give it the focus."""
        if self.is_alone and self._docks[name].isHidden():
            self.toggle_alone()
        dock = self._docks[name]
        dock.show()
        dock.raise_()
        if dock.isFloating():
            dock.activateWindow()
        focus_into(self._views[name])

    def step(self, by: int) -> None:
        """Go on to the next panel in sight, column by column as one reads; the first follows the
        last."""
        names = [name for name, view in self._views.items() if view.isVisible()]
        names.sort(key=lambda name: self._docks[name].mapToGlobal(QPoint()).toTuple())
        if self._last_focused in names:
            self.show_panel(names[(names.index(self._last_focused) + by) % len(names)])
        elif names:
            self.show_panel(names[0 if by > 0 else -1])

    def toggle_panel(self, name: str) -> None:
        """Hide a view that is shown, show one that is hidden."""
        if self.is_panel_shown(name):
            self._docks[name].hide()
        else:
            self.show_panel(name)

    def is_panel_shown(self, name: str) -> bool:
        """Whether a view has a place in the window."""
        return not self._docks[name].isHidden()

    @property
    def last_focused(self) -> str:
        """The view that had the focus last; empty where none had."""
        return self._last_focused

    @property
    def is_alone(self) -> bool:
        """Whether one view fills the window."""
        return self._before_alone is not None

    def toggle_alone(self) -> None:
        """Show the view with the focus alone, or all as before."""
        if self._before_alone is not None:
            state, self._before_alone = self._before_alone, None
            self.restoreState(state, LAYOUT_VERSION)
            self._settling.start(0)
            return
        self.show_alone(self._last_focused or next(iter(self._docks)))

    def show_alone(self, name: str) -> None:
        """Let one view fill the window."""
        if self._before_alone is None:
            self._before_alone = self.saveState(LAYOUT_VERSION)
        for other, dock in self._docks.items():
            dock.setVisible(other == name)
        focus_into(self._views[name])

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        """Remember which view had the focus last: menus and dialogs take it for a while."""
        del old
        for name, dock in self._docks.items():
            if new is not None and dock.isAncestorOf(new):
                self._last_focused = name

    # Where panels are.

    def reset(self) -> None:
        """Put all where it was at the first start."""
        self._before_alone = None
        for dock in self._docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        self._arrange()
        self._share_space()

    def encoded_layout(self) -> str:
        """Where panels are, as a text."""
        state = self._before_alone or self.saveState(LAYOUT_VERSION)
        return base64.b64encode(state.data()).decode("ascii")

    def use_layout(self, text: str) -> bool:
        """Put panels where such a text says; False where it cannot be used."""
        try:
            state = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return False
        self._before_alone = None
        is_used = bool(state) and self.restoreState(QByteArray(state), LAYOUT_VERSION)
        if is_used:
            self._take_in(state)
        self._settling.start(0)
        self._has_sizes = self._has_sizes or is_used
        return is_used

    def showEvent(self, event: QShowEvent) -> None:
        """Share out the space once there is some."""
        super().showEvent(event)
        if not self._has_sizes:
            self._has_sizes = True
            self._share_space()
            # Docks take their sizes when their layout is next worked out, not before.
            QTimer.singleShot(0, self, self._share_space)

    def _arrange(self) -> None:
        """Time above memory, one as wide as the other; at the right all else, as tabs."""
        for dock in self._docks.values():
            dock.show()
        time, space, asked, listed = self._first_of_corners()
        self.addDockWidget(_AREA, time)
        self.splitDockWidget(time, asked, _ACROSS)
        self.splitDockWidget(time, space, _DOWN)
        self.splitDockWidget(asked, listed, _DOWN)
        for first, *others in self._corners.values():
            for dock, below in zip(others, (first, *others), strict=False):
                self.tabifyDockWidget(below, dock)
            first.raise_()
        # Before anything is seen: each title that goes later has all panels laid out anew.
        _show_titles(self, tuple(self._docks.values()))

    def _first_of_corners(self) -> list[QDockWidget]:
        return [docks[0] for docks in self._corners.values()]

    def _take_in(self, layout: bytes) -> None:
        """Put panels that a layout does not know, because they came later, where others are."""
        for first, *others in self._corners.values():
            for dock in others:
                # Qt writes the names of docks into it, each as UTF-16.
                if dock.objectName().encode("utf-16-be") not in layout:
                    self.tabifyDockWidget(first, dock)

    def _share_space(self) -> None:
        time, space, asked, listed = self._first_of_corners()
        width, height = self.width(), self.height()
        side = min(max(width * 36 // 100, _LEAST_SIDE_PX), _MOST_SIDE_PX)
        self.resizeDocks([time, asked], [width - side, side], _ACROSS)
        upper = height * 44 // 100
        self.resizeDocks([time, space], [upper, height - upper], _DOWN)
        half = height // 2
        self.resizeDocks([asked, listed], [half, height - half], _DOWN)


def _page(view: QWidget) -> QWidget:
    """Keeps a view's place while the view is hidden."""
    policy = view.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    view.setSizePolicy(policy)
    page = QWidget()
    lines = QVBoxLayout(page)
    arrange(lines)
    lines.addWidget(view)
    return page


def focus_into(view: QWidget) -> None:
    """Give a view the focus, or the first of its parts that takes it."""
    if view.focusProxy() is not None or view.focusPolicy() is not Qt.FocusPolicy.NoFocus:
        view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return
    takes_keys = [
        part
        for part in view.findChildren(QWidget)
        if part.focusPolicy().value & Qt.FocusPolicy.TabFocus.value and part.isEnabledTo(view)
    ]
    # Parts of a page that waits for an answer are hidden: they have the focus once it is there.
    shown = (part for part in takes_keys if part.isVisibleTo(view))
    part = next(shown, next(iter(takes_keys), None))
    if part is not None:
        part.setFocus(Qt.FocusReason.ShortcutFocusReason)
