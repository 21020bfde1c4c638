"""What each choice of a menu would come to, written beside it as soon as it was tried."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from core.base.frozen import NamedTuple
from gui.document.changes import ChangeSet, Part
from gui.document.decisions import Deed
from gui.document.document import Document
from gui.present.decide.form import price_text
from gui.state.store import Store, after

_TRYING = "...".ljust(36, "\N{FIGURE SPACE}")
"""As wide as most prices, so that a menu hardly grows under the pointer as they come."""


class Choice(NamedTuple):
    """A row of a menu that decides something."""

    action: QAction
    text: str
    deed: Deed

    def tell(self, price: str) -> None:
        """Write a price beside it; what follows a tab is at the right, in a column of its own."""
        self.action.setText(f"{self.text}\t{price}" if price else self.text)


class PriceColumn(QObject):
    """Has choices tried, the first first, from when a menu is open until it is closed."""

    def __init__(self, menu: QMenu, store: Store, choices: Sequence[Choice]) -> None:
        super().__init__(menu)
        self._store = store
        self._choices = choices
        self._after: list[Document | None] = []
        for choice in choices:
            choice.tell(_TRYING)
        menu.aboutToHide.connect(lambda: store.trials.want(()))
        # The menu is there first: what is on screen has to be gathered before anything is tried.
        QTimer.singleShot(0, self, self._begin)

    def _begin(self) -> None:
        self._after = [after(self._store, each.deed) for each in self._choices]
        self._store.changed.connect(self._changed)
        self._store.trials.want(self._after)
        self._show_prices()

    def _changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.TRIALS):
            self._show_prices()

    def _show_prices(self) -> None:
        answer, trials = self._store.answer, self._store.trials
        missing = frozenset(each.edits for each in trials.missing)
        for choice, document in zip(self._choices, self._after, strict=True):
            is_awaited = document is not None and document.edits in missing
            if answer is not None:
                choice.tell(_TRYING if is_awaited else price_text(trials.of(document), answer))
