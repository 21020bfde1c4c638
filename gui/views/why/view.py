"""Why the selection is as it is, in sentences with numbers, and links to what they are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gui.document.changes import Part
from gui.document.look import LookPart
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.edits.subjects import places_about
from gui.present.why.edits import Do, Fold, TakeWay, after_way, way_offers
from gui.present.why.html import target_of, to_html
from gui.present.why.text import Explanation, explanation_of
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.widgets.empty_state import no_schedule
from gui.widgets.look_parts import scroll_part
from gui.widgets.patient_view import PatientView
from gui.widgets.ways_box import WaysBox


class WhyView(PatientView):
    """A text whose links select what they name."""

    NAME = "why"
    TITLE = "Why"
    PARTS: ClassVar = PatientView.PARTS | {Part.DOCUMENT, Part.PRICES, Part.COMPARISON}

    command_asked = Signal(str)
    """A link that does something was followed."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, no_schedule("Reasons appear here as soon as there is one."), parent)
        self._told: Explanation | None = None
        self._written = ""
        self._opened: tuple[str, ...] = ()
        self._is_pictured = False
        self.text = QTextBrowser()
        self.text.setAccessibleName("Why")
        self.text.setOpenLinks(False)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.anchorClicked.connect(self._follow)
        self.ways = WaysBox()
        self.ways.taken.connect(self._take)
        self.whole_button = QPushButton("Whole schedule")
        self.whole_button.setAccessibleName("Explain the whole schedule")
        self.whole_button.clicked.connect(lambda: self._select(NOTHING_SELECTED))
        self.copy_button = QPushButton("Copy")
        self.copy_button.setAccessibleName("Copy the explanation")
        self.copy_button.clicked.connect(self.copy)
        self._lay_out()

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        arrange(foot, between=Gap.MEDIUM)
        foot.addWidget(self.whole_button)
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        page = QWidget()
        lines = QVBoxLayout(page)
        arrange(lines, Gap.SMALL)
        lines.addWidget(self.text, 1)
        lines.addWidget(self.ways)
        lines.addLayout(foot)
        opened = LookPart(lambda: list(self._opened), self._use_opened)
        look = {"opened": opened, "scroll": scroll_part(self.text)}
        self.set_page(page, self.show_parts, look)

    def copy(self) -> None:
        """Put the explanation on the clipboard as plain text."""
        if self._told is not None:
            QGuiApplication.clipboard().setText(self._told.text)

    def _follow(self, address: QUrl) -> None:
        target = target_of(address.toString())
        if isinstance(target, Do):
            self.command_asked.emit(target.command)
        elif isinstance(target, TakeWay):
            self._take(target)
        elif isinstance(target, Fold):
            self.fold(target.name)
        else:
            self._select(target)

    def fold(self, name: str) -> None:
        """Open what is folded, or fold it again; it stays so whatever is selected."""
        others = tuple(each for each in self._opened if each != name)
        self._opened = (*others, name) if others == self._opened else others
        self._write()

    def open_all(self) -> None:
        """Open all that is folded now."""
        if self._told is not None:
            names = [topic.title for topic in self._told.topics]
            names += [link.group for link in self._told.related]
            self._use_opened(dict.fromkeys((*self._opened, *names)))

    def _use_opened(self, names: Iterable[Any]) -> None:
        self._opened = tuple(name for name in names if isinstance(name, str))
        self._write()

    def _write(self) -> None:
        """Write the text anew where it is; the same line stays in sight."""
        if self._told is not None:
            shown = self._told.pictured(self._opened) if self._is_pictured else self._told
            written = to_html(shown, self._store.theme, self._opened)
            if written != self._written:
                self._written = written
                bar = self.text.verticalScrollBar()
                before = bar.value()
                self.text.setHtml(written)
                bar.setValue(before)

    def be_pictured(self) -> None:
        """Without links, and with nothing folded."""
        super().be_pictured()
        self._is_pictured = True
        self._write()

    def _take(self, way: TakeWay) -> None:
        """Do what was tried and lets an edit be."""
        store = self._store
        found = None if store.answer is None else after_way(store.document, store.answer, way)
        if found is not None:
            store.edit(*found)

    def _select(self, selection: Selection) -> None:
        # What is selected here changes the text here too, so this is no echo to skip.
        self._store.select(selection, self.NAME)

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Explain what is selected now."""
        store = self._store
        answer = store.answer
        if answer is None:
            return
        compared = store.compared.of(answer)
        self._told = explanation_of(
            answer, store.selection, store.display, store.document, compared
        )
        self.whole_button.setEnabled(not store.selection.is_empty)
        self._write()
        self.text.setAccessibleDescription(self._told.title)
        places = places_about(answer, store.document.edits, store.selection)
        self.ways.show_offers(way_offers(store.document, answer, places))
        # While a limit is dragged the same sentences stay in sight.
        if Part.SELECTION in parts:
            self.text.verticalScrollBar().setValue(0)
