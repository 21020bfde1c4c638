"""The help: pages to read and to search, with pictures of the views as they are now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gui.document.help_pages import found, pages
from gui.theme.scale import Gap, arrange
from gui.widgets.name_list import NameList
from gui.widgets.patient import Patient

_ADDRESS = re.compile(r"\(view:(\w+)\)")
"""Of a picture of a view."""
_PICTURE_PX = 450
"""At most: a picture is made smaller, and never larger than its view is."""
_LETTERS, _LINES, _LIST_LETTERS = 120, 40, 30


class HelpText(QTextBrowser):
    """Shows a page; pictures are drawn by the views themselves, so that they stay true."""

    def __init__(self, views: Mapping[str, QWidget]) -> None:
        super().__init__()
        self._views = views
        self._pictures: dict[str, QImage] = {}
        self.setAccessibleName("Help")
        self.setOpenLinks(False)

    def show_page(self, text: str) -> None:
        """Show Markdown from its beginning."""
        # Before there is anything to lay out: a view that is drawn lays out other widgets too.
        self._pictures = {
            name: _drawn(self._views[name])
            for name in _ADDRESS.findall(text)
            if name in self._views
        }
        self.setMarkdown(text)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def loadResource(self, kind: int, address: QUrl | str) -> Any:
        """The picture that an address stands for; pages lead nowhere else."""
        del kind
        return self._pictures.get(QUrl(address).path())


def _drawn(view: QWidget) -> QImage:
    if isinstance(view, Patient):
        view.catch_up()
    image = view.grab().toImage()
    width = min(_PICTURE_PX, image.width())
    return image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)


class HelpDialog(QDialog):
    """Titles of pages at the left, those that have the words that are typed above; it can stay."""

    def __init__(self, views: Mapping[str, QWidget], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Help")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = QLineEdit()
        self.line.setAccessibleName("Search the help")
        self.line.setPlaceholderText("Search")
        self.line.setClearButtonEnabled(True)
        self.list = NameList("Pages")
        self.nothing = QLabel("No page has these words.")
        self.nothing.hide()
        self.text = HelpText(views)
        self._lay_out(parent)
        self.line.textChanged.connect(self._search)
        self.list.currentItemChanged.connect(self._show)
        self._search("")

    def _lay_out(self, parent: QWidget) -> None:
        letter, line = self.fontMetrics().averageCharWidth(), self.fontMetrics().lineSpacing()
        left = QVBoxLayout()
        arrange(left, between=Gap.MEDIUM)
        for part in (self.line, self.list, self.nothing):
            part.setFixedWidth(_LIST_LETTERS * letter)
            left.addWidget(part)
        body = QHBoxLayout()
        arrange(body, between=Gap.MEDIUM)
        body.addLayout(left)
        body.addWidget(self.text, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column = QVBoxLayout(self)
        arrange(column, Gap.LARGE, Gap.MEDIUM)
        column.addLayout(body, 1)
        column.addWidget(buttons)
        self.resize(
            min(_LETTERS * letter, parent.width() - 40), min(_LINES * line, parent.height() - 40)
        )

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        index = self.list.currentIndex()
        return str(index.data(Qt.ItemDataRole.UserRole)) if index.isValid() else ""

    def show_page(self, name: str) -> None:
        """Turn to a page."""
        self.line.clear()
        names = [page.name for page in pages()]
        self.list.setCurrentRow(names.index(name) if name in names else 0)

    def _search(self, query: str) -> None:
        before = self.page
        self.list.clear()
        hits = found(query) if query.strip() else pages()
        for page in hits:
            item = QListWidgetItem(page.title)
            item.setData(Qt.ItemDataRole.UserRole, page.name)
            self.list.addItem(item)
        names = [page.name for page in hits]
        self.nothing.setVisible(not hits)
        self.list.setCurrentRow(names.index(before) if before in names else 0)

    def _show(self) -> None:
        page = next((page for page in pages() if page.name == self.page), None)
        if page is None:
            return
        self.text.show_page(page.text)
        words = self.line.text().split()
        if words:
            self.text.find(words[0])
