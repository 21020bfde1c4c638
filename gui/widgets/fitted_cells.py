"""Cells of tables and lists whose texts give up letters of names, and never a digit."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.present.fitting import fitted

_Feature = QStyleOptionViewItem.ViewItemFeature
_BESIDE = _Feature.HasDecoration | _Feature.HasCheckIndicator
"""What has its place in a cell beside the text."""


class FittedCells(QStyledItemDelegate):
    """Draws of each text what fits; Qt's own way would cut "conv2d" to "…2d"."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._style = view.style()
        frame = self._style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, view)
        self._margins_px = 2 * (frame + 1)

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """A cell without a place is only asked how large it would like to be."""
        super().initStyleOption(option, index)
        if option.text and (box := option.rect).isValid():
            if option.features & _BESIDE:
                text = QStyle.SubElement.SE_ItemViewItemText
                box = self._style.subElementRect(text, option, option.widget)
            room_px = box.width() - self._margins_px
            option.text = fitted(option.text, room_px, option.fontMetrics.horizontalAdvance)
