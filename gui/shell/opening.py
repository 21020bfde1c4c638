"""What is seen first: which model is opened, while the app is loaded behind it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QDeadlineTimer, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from gui.shell.request import DEFAULT_SIZE, Request
from gui.shell.storage import SystemStorage
from gui.theme.tones import LIGHT, THEMES

_MOST_MS = 100
"""A system that does not let it be painted by then shows the app itself first."""


class Opening(QWidget):
    """As large as the window that comes, and where that was; it takes no keys."""

    def __init__(self, qt: QApplication, request: Request, storage: SystemStorage) -> None:
        super().__init__()
        self.qt = qt
        """The application, which is handed on to the app."""
        self.setWindowTitle("Reefpoint")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self._theme = THEMES.get(request.theme or storage.read("theme"), LIGHT)
        self._text = f"Opening {Path(request.model).name}" if request.model else "Reefpoint"
        self.resize(*(request.size or DEFAULT_SIZE))
        if request.size is None:
            self.restoreGeometry(QByteArray.fromBase64(storage.read("geometry").encode()))
        self.is_painted = False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say what is opened: figures of another model would be taken for this one's."""
        del event
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.window))
        painter.setPen(QColor(self._theme.faint_text))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)
        painter.end()
        self.is_painted = True


def show(request: Request) -> Opening:
    """Show it, in an application of Qt's that the app takes over."""
    qt = QApplication(["reefpoint"])
    opening = Opening(qt, request, SystemStorage())
    opening.show()
    soon = QDeadlineTimer(_MOST_MS)
    while not opening.is_painted and not soon.hasExpired():
        qt.processEvents()
    return opening
