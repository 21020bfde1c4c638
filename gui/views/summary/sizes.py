"""Sizes of a schedule as text to copy, for three build systems."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QTabWidget, QVBoxLayout, QWidget

from gui.present.snippets import SNIPPETS, Sizes
from gui.theme import fonts

_LINES = 16


class SizesPanel(QWidget):
    """One tab for each language, and a button that copies the one in front."""

    def __init__(self) -> None:
        super().__init__()
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Languages")
        self.tabs.tabBar().setAccessibleName("Languages")
        self.texts = [self._text(title) for title, _ in SNIPPETS]
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
        text.setAccessibleName(f"Sizes for {title}")
        text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setTabChangesFocus(True)
        text.setTabStopDistance(text.fontMetrics().horizontalAdvance(" ") * 4)
        text.setFixedHeight(text.fontMetrics().lineSpacing() * _LINES)
        self.tabs.addTab(text, title)
        return text

    def show_sizes(self, sizes: Sizes) -> None:
        """Write sizes in all languages."""
        for text, (_, write) in zip(self.texts, SNIPPETS, strict=True):
            written = write(sizes)
            if text.toPlainText() != written:
                text.setPlainText(written)

    def copy(self) -> None:
        """Put the text in front on the clipboard."""
        QGuiApplication.clipboard().setText(self.texts[self.tabs.currentIndex()].toPlainText())
