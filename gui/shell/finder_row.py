"""How a row of the command list is drawn: typed letters stand out, keys are at the right."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.theme.tones import Theme

KEYS_ROLE = Qt.ItemDataRole.UserRole
OBSTACLE_ROLE = Qt.ItemDataRole.UserRole + 1
POSITIONS_ROLE = Qt.ItemDataRole.UserRole + 2

_Index = QModelIndex | QPersistentModelIndex


class RowPainter(QStyledItemDelegate):
    """Draws title, keys, and for what cannot run now the reason."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """One line with some air."""
        del index
        metrics: QFontMetrics = option.fontMetrics
        return QSize(0, metrics.height() + 6)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw one row."""
        theme = self._theme
        rect: QRect = option.rect
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        obstacle = index.data(OBSTACLE_ROLE)
        if is_chosen:
            painter.fillRect(rect, QColor(theme.accent))
        faint = theme.accent_text if is_chosen else theme.faint_text
        plain = theme.accent_text if is_chosen else theme.text
        inner = rect.adjusted(8, 0, -8, 0)
        right = obstacle or index.data(KEYS_ROLE)
        metrics = painter.fontMetrics()
        painter.setPen(QColor(faint))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, right)
        left = inner.adjusted(0, 0, -metrics.horizontalAdvance(right) - 12, 0)
        painter.setPen(QColor(faint if obstacle else plain))
        self._draw_title(painter, left, index)

    def _draw_title(self, painter: QPainter, rect: QRect, index: _Index) -> None:
        """Letters that were typed are bold; each stretch is drawn after the one before."""
        title = index.data(Qt.ItemDataRole.DisplayRole)
        positions = set(index.data(POSITIONS_ROLE))
        plain = QFont(painter.font())
        bold = QFont(plain)
        bold.setBold(True)
        x = rect.left()
        begin = 0
        while begin < len(title):
            is_hit = begin in positions
            end = begin + 1
            while end < len(title) and (end in positions) == is_hit:
                end += 1
            painter.setFont(bold if is_hit else plain)
            room = QRect(x, rect.top(), max(rect.right() - x, 0), rect.height())
            metrics = painter.fontMetrics()
            part = title[begin:end]
            painter.drawText(
                room,
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                metrics.elidedText(part, Qt.TextElideMode.ElideRight, room.width()),
            )
            x += metrics.horizontalAdvance(part)
            begin = end
        painter.setFont(plain)
