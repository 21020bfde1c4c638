"""What a board needs for a schedule: sizes and settings to read, and texts to copy."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QTabWidget, QVBoxLayout, QWidget

from gui.document.answer import Answer
from gui.present.snippets import DEVICE, TITLES, texts_of
from gui.theme import fonts

_LINES = 16


class SizesPanel(QWidget):
    """One tab for each language, and a button that copies the one in front."""

    def __init__(self) -> None:
        super().__init__()
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("For the board")
        self.tabs.tabBar().setAccessibleName("For the board")
        self.texts = [self._text(title) for title in TITLES]
        self.copy_button = QPushButton("Copy")
        self.copy_button.setAccessibleName("Copy sizes")
        self.copy_button.clicked.connect(self.copy)
        self.tabs.setCornerWidget(self.copy_button)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.addWidget(self.tabs)

    def _text(self, title: str) -> QPlainTextEdit:
        text = QPlainTextEdit()
        text.setReadOnly(True)
        text.setFont(fonts.mono())
        text.setAccessibleName(f"For the board: {title}")
        if title != DEVICE:
            # Columns would not stand below each other, and code would not be code.
            text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setTabChangesFocus(True)
        text.setTabStopDistance(text.fontMetrics().horizontalAdvance(" ") * 4)
        text.setFixedHeight(text.fontMetrics().lineSpacing() * _LINES)
        self.tabs.addTab(text, title)
        return text

    def show_answer(self, answer: Answer) -> None:
        """Write what a board needs for an answer, in all languages."""
        for text, (_, written) in zip(self.texts, texts_of(answer), strict=True):
            if text.toPlainText() != written:
                text.setPlainText(written)

    def copy(self) -> None:
        """Put the text in front on the clipboard."""
        QGuiApplication.clipboard().setText(self.texts[self.tabs.currentIndex()].toPlainText())
