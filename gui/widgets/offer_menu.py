"""A menu of values to choose from: which is so, which was asked for, what each would come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gui.document.changes import ChangeSet, Part
from gui.document.decisions import Deed
from gui.present.decide.form import price_text
from gui.present.edits.offers import Offer
from gui.state.store import Store, after
from gui.widgets.menu_heading import add_heading

_MOST_TRIED = 24
"""Of a long list, those near what is so are tried."""
_TRYING = "..."


class OfferMenu(QMenu):
    """To be opened somewhere; it goes when it is closed. Prices come while it is open."""

    def __init__(self, title: str, offers: Sequence[Offer], store: Store, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        self._store = store
        add_heading(self, title)
        self._after = {place: after(store, offers[place].deed) for place in _nearest(offers)}
        self._rows: list[tuple[QAction, str]] = []
        for each in offers:
            told = "asked for" if each.is_asked else "as it is" if each.is_applied else ""
            text = (f"{each.text}: {told}" if told else each.text).replace("&", "&&")
            action = self.addAction(text)
            action.setCheckable(True)
            action.setChecked(bool(told))
            action.triggered.connect(partial(_chosen, store.decide, each.deed))
            self._rows.append((action, text))
        store.changed.connect(self._changed)
        store.trials.want(self._after.values())
        self._show_prices()

    def _changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.TRIALS):
            self._show_prices()

    def _show_prices(self) -> None:
        answer, trials = self._store.answer, self._store.trials
        missing = frozenset(each.edits for each in trials.missing)
        for place, (action, text) in enumerate(self._rows):
            document = self._after.get(place)
            if answer is None or document is None:
                continue
            is_awaited = document.edits in missing
            price = _TRYING if is_awaited else price_text(trials.of(document), answer)
            # What follows a tab is at the right, in a column of its own.
            action.setText(f"{text}\t{price}" if price else text)


def _nearest(offers: Sequence[Offer]) -> list[int]:
    """Places of those that are tried, the nearest to what is so first."""
    now = next((place for place, each in enumerate(offers) if each.is_applied), 0)
    by_distance = sorted(range(len(offers)), key=lambda place: (abs(place - now), place))
    return by_distance[:_MOST_TRIED]


def _chosen(choose: Callable[[Deed], object], deed: Deed, _is_on: object = None) -> None:
    choose(deed)
