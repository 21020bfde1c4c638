"""Tabs that the wheel goes past: who scrolls a page does not want another one."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QTabBar, QTabWidget

from gui.widgets.close_tabs import set_close


class _CalmBar(QTabBar):
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what the tabs are in."""
        event.ignore()


class CalmTabs(QTabWidget):
    """Tabs that are changed by a click, or by keys while they have the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setTabBar(_CalmBar())
        set_close(self.tabBar())
        self._needs: tuple[QSize, ...] = ()

    def event(self, event: QEvent) -> bool:
        """Lay out again only where bar or pages need other room: Qt paints all of it again then."""
        if event.type() is QEvent.Type.LayoutRequest:
            needs = self._bar_size(), self.minimumSizeHint()
            if needs == self._needs:
                return True
            self._needs = needs
        return bool(super().event(event))

    def _bar_size(self) -> QSize:
        """Where the bar is as wide as the tabs, how wide its texts are changes nothing else."""
        size = self.tabBar().sizeHint()
        return QSize(0, size.height()) if self.documentMode() else size
