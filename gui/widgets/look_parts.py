"""Parts of looks that several views have: columns, switches, and where a page is scrolled."""

from __future__ import annotations

import base64
import binascii

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QAbstractScrollArea, QHeaderView

from gui.document.look import LookPart


def columns_part(header: QHeaderView) -> LookPart:
    """Widths and order of columns, and by which of them Qt sorts."""

    def read() -> str:
        return base64.b64encode(header.saveState().data()).decode("ascii")

    def use(state: str) -> None:
        try:
            header.restoreState(QByteArray(base64.b64decode(state, validate=True)))
        except (binascii.Error, ValueError):
            return

    return LookPart(read, use)


def scroll_part(page: QAbstractScrollArea) -> LookPart:
    """How far a page is scrolled."""
    bar = page.verticalScrollBar()

    def use(value: int) -> None:
        if isinstance(page, QAbstractItemView):
            # Lists and tables find out how long they are when they are painted next.
            page.doItemsLayout()
        bar.setValue(value)

    return LookPart(bar.value, use)


def switch_part(button: QAbstractButton) -> LookPart:
    """Whether something is switched on."""
    return LookPart(button.isChecked, button.setChecked)
