"""A small button over the free end of a part of the headline, for a schedule that waits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from gui.theme.scale import Gap, Type, font_of

_SHARE = 0.72
"""Of the part's width, at most: what it says itself stays in sight."""


class BetterButton(QPushButton):
    """As wide as its part leaves it; its text has as many words as fit."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self._part = part
        self._forms: tuple[str, ...] = ()
        self.setObjectName("better")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        part.installEventFilter(self)
        self.hide()

    def tell(self, forms: Sequence[str], tip: str) -> None:
        """Offer something in these words; without any, nothing is seen."""
        self._forms = tuple(forms)
        if forms:
            self.setAccessibleName(forms[0])
            self.setToolTip(f"{forms[0]}\n{tip}")
            self._fit()
        self.setVisible(bool(forms))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the end of the part."""
        if event.type() == QEvent.Type.Resize and self._forms:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        part = self._part
        self.setFont(font_of(Type.SMALL))
        most = round(part.width() * _SHARE)
        for form in self._forms:
            self.setText(form)
            width = self.fontMetrics().horizontalAdvance(form) + 2 * Gap.SMALL.px + Gap.MEDIUM.px
            if width <= most:
                break
        height = self.fontMetrics().height() + Gap.SMALL.px
        self.setGeometry(part.width() - width - Gap.SMALL.px, Gap.TIGHT.px, width, height)
