"""Colours of the panel's texts."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.present.fitting import fitted


def paint_text(widget: QWidget, colour: str) -> None:
    """Give a widget's text a colour."""
    palette, ink = widget.palette(), QColor(colour)
    if palette.color(QPalette.ColorRole.WindowText) != ink:
        palette.setColor(QPalette.ColorRole.WindowText, ink)
        widget.setPalette(palette)


class Note(QLabel):
    """A line or two that are there only when they have something to say."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setWordWrap(True)
        self.hide()

    def say(self, text: str) -> None:
        """Say something; an empty text takes no room."""
        self.setText(text)
        self.setVisible(bool(text))


class SideNote(Note):
    """A note in a line that is there anyway: nothing moves when it comes or goes."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setWordWrap(False)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)

    def say(self, text: str) -> None:
        """Say something; all of it is in the tool tip, should there be no room."""
        super().say(text)
        self.setToolTip(text)

    def sizeHint(self) -> QSize:
        """A line, however long the text is."""
        return QSize(super().sizeHint().width(), self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """A line that can be as short as need be."""
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits."""
        del event
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        shown = fitted(self.text(), self.width(), self.fontMetrics().horizontalAdvance)
        painter.drawText(self.rect(), int(self.alignment()), shown)
