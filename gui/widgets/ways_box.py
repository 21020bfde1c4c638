"""Buttons for the ways out of a refusal that were tried: each does what it says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gui.present.why.edits import WayOffer
from gui.theme.scale import Gap, arrange


class WaysBox(QWidget):
    """A button for each way out; nothing is seen of it where there is none."""

    taken = Signal(object)
    """A `TakeWay`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Ways out that were tried")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._lines = QVBoxLayout(self)
        arrange(self._lines, between=Gap.TIGHT)
        self._offers: tuple[WayOffer, ...] = ()
        self.buttons: list[QPushButton] = []
        self.hide()

    def show_offers(self, offers: Sequence[WayOffer]) -> None:
        """Offer other ways; where they are the same, a button keeps the focus."""
        if tuple(offers) == self._offers:
            return
        self._offers = tuple(offers)
        for button in self.buttons:
            self._lines.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = [self._button(offer) for offer in self._offers]
        self.setVisible(bool(self.buttons))

    def _button(self, offer: WayOffer) -> QPushButton:
        button = QPushButton(offer.text)
        button.setToolTip(offer.tip)
        button.setAccessibleName(offer.text)
        button.setAccessibleDescription(offer.tip)
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        button.clicked.connect(partial(self._take, offer))
        self._lines.addWidget(button)
        return button

    def _take(self, offer: WayOffer, _is_down: object = None) -> None:
        self.taken.emit(offer.way)
