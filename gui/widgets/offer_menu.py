"""A menu of values to choose from: which is so, which was asked for, what each would come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from gui.document.decisions import Deed
from gui.present.edits.offers import Offer
from gui.state.store import Store
from gui.widgets.menu_heading import add_heading
from gui.widgets.price_column import Choice, PriceColumn

_MOST_TRIED = 24
"""Of a long list, those near what is so are tried."""


class OfferMenu(QMenu):
    """To be opened somewhere; it goes when it is closed. Prices come while it is open."""

    def __init__(self, title: str, offers: Sequence[Offer], store: Store, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        add_heading(self, title)
        choices = [self._add(each, store) for each in offers]
        PriceColumn(self, store, [choices[place] for place in _nearest(offers)])

    def _add(self, offer: Offer, store: Store) -> Choice:
        told = "asked for" if offer.is_asked else "as it is" if offer.is_applied else ""
        text = (f"{offer.text}: {told}" if told else offer.text).replace("&", "&&")
        action = self.addAction(text)
        action.setCheckable(True)
        action.setChecked(bool(told))
        action.triggered.connect(partial(_chosen, store.decide, offer.deed))
        return Choice(action, text, offer.deed)


def _nearest(offers: Sequence[Offer]) -> list[int]:
    """Places of those that are tried, the nearest to what is so first."""
    now = next((place for place, each in enumerate(offers) if each.is_applied), 0)
    by_distance = sorted(range(len(offers)), key=lambda place: (abs(place - now), place))
    return by_distance[:_MOST_TRIED]


def _chosen(choose: Callable[[Deed], object], deed: Deed, _is_on: object = None) -> None:
    choose(deed)
