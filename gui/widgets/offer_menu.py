"""A menu of values to choose from: which of them is so, and which was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from gui.document.decisions import Deed
from gui.present.edits.offers import Offer


def offer_menu(
    title: str, offers: Sequence[Offer], choose: Callable[[Deed], object], parent: QWidget
) -> QMenu:
    """The menu, to be opened somewhere; it goes when it is closed."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setAccessibleName(title)
    menu.addSection(title)
    for each in offers:
        told = "asked for" if each.is_asked else "as it is" if each.is_applied else ""
        action = menu.addAction(f"{each.text}: {told}" if told else each.text)
        action.setCheckable(True)
        action.setChecked(bool(told))
        action.triggered.connect(partial(_chosen, choose, each.deed))
    return menu


def _chosen(choose: Callable[[Deed], object], deed: Deed, _is_on: object = None) -> None:
    choose(deed)
