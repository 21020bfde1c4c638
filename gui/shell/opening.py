"""What is seen first: a picture of the last session, while the app is loaded behind it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QDeadlineTimer, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from gui.shell.request import DEFAULT_SIZE, Request
from gui.shell.storage import SystemStorage
from gui.theme.tones import LIGHT, THEMES

_PICTURE = "last-window.png"
_FAINT = 0.6
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
        self._picture = QPixmap(str(storage.folder / _PICTURE))
        self.resize(*(request.size or DEFAULT_SIZE))
        if request.size is None:
            self.restoreGeometry(QByteArray.fromBase64(storage.read("geometry").encode()))
        self.is_painted = False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the picture, paler than what answers the pointer; the name where there is none."""
        del event
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.window))
        if self._picture.isNull():
            painter.setPen(QColor(self._theme.faint_text))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "Reefpoint")
        else:
            painter.setOpacity(_FAINT)
            painter.drawPixmap(self.rect(), self._picture)
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


def keep_picture(window: QWidget, folder: Path) -> None:
    """Keep what a window shows for the next start; that it cannot be kept matters to nobody."""
    kept = folder / _PICTURE
    unfinished = kept.with_suffix(".part")
    if window.grab().save(str(unfinished), "PNG"):
        unfinished.replace(kept)
