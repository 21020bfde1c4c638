"""Tabs that the wheel goes past: who scrolls a page does not want another one."""

from __future__ import annotations

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
