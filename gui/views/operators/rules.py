"""Rules that are kept: queries by name, to be chosen again, and what can be done with matches."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

RULES = MappingProxyType(
    {
        "Most of the time": "share>=5%",
        "Wait for DRAM": "waits=DRAM",
        "Hardly use the MACs": "utilisation<20% share>1%",
        "With evicted maps": "is=evicted",
        "On the CPU": "is=cpu",
        "In cascades": "is=cascaded",
        "Edited": "is=edited",
        "Otherwise than in A": "is=differs",
    }
)
"""What is often asked."""
_MOST_KEPT = 20


class RulesButton(QToolButton):
    """Offers rules; the user's own are kept with how the view is set."""

    chosen = Signal(str)
    """A query."""
    all_asked = Signal()
    """All matches are to be selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kept: tuple[str, ...] = ()
        """The user's own, the latest first."""
        self.typed = ""
        self.setText("Rules")
        self.setAccessibleName("Rules to filter by")
        self.setToolTip("Choose what to look for, keep it, select all that it finds in every view")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.choices = QMenu(self)
        self.choices.aboutToShow.connect(self.fill)
        self.setMenu(self.choices)

    def fill(self) -> None:
        """List what can be chosen now."""
        menu = self.choices
        menu.clear()
        every = menu.addAction("Select all matches (Ctrl+Enter)", self.all_asked.emit)
        keep = menu.addAction("Keep this rule", lambda: self.use_kept((self.typed, *self.kept)))
        forget = menu.addAction("Forget this rule", self._forget)
        every.setEnabled(bool(self.typed))
        keep.setEnabled(bool(self.typed) and self.typed not in self.kept)
        forget.setEnabled(self.typed in self.kept)
        menu.addSeparator()
        for name, query in (*((query, query) for query in self.kept), *RULES.items()):
            text = name.replace("&", "&&")
            action = menu.addAction(text, lambda query=query: self.chosen.emit(query))
            action.setToolTip(query)
            action.setCheckable(True)
            action.setChecked(query == self.typed)
        menu.setToolTipsVisible(True)

    def use_kept(self, queries: Iterable[object]) -> None:
        """Keep these; what a file has beside texts is passed over."""
        texts = (query for query in queries if isinstance(query, str) and query)
        self.kept = tuple(dict.fromkeys(texts))[:_MOST_KEPT]

    def _forget(self) -> None:
        self.use_kept(query for query in self.kept if query != self.typed)
