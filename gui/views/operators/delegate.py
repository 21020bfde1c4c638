"""Cells with a thin bar under their number."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.theme.tones import Theme, Tone
from gui.views.operators.model import BAR_ROLE, Index

_INSET = 3.0


class BarDelegate(QStyledItemDelegate):
    """Draws the bar of a cell; what is above a limit fills it in another colour."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self._track, self._bar = QColor(theme.grid), QColor(theme.inks[Tone.COMPUTE].colour)
        self._over = QColor(theme.inks[Tone.OVER].colour)
        self._selected = QColor(theme.accent_text)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The cell, and its bar below the text."""
        super().paint(painter, option, index)
        share = index.data(BAR_ROLE)
        if share is None:
            return
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        track = bar_track(option)
        if not is_selected:
            painter.fillRect(track, self._track)
        bar = QRectF(track)
        bar.setWidth(track.width() * min(max(share, 0.0), 1.0))
        inked = self._over if share > 1.0 else self._bar
        painter.fillRect(bar, self._selected if is_selected else inked)


def bar_track(option: QStyleOptionViewItem) -> QRectF:
    """Where a full bar lies in a cell."""
    cell = QRectF(option.rect)
    height = max(round(option.fontMetrics.height() / 7), 2)
    return QRectF(
        cell.left() + _INSET, cell.bottom() - height - 1, cell.width() - 2 * _INSET, height
    )
