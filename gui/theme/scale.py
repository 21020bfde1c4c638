"""Sizes by meaning: one scale of types and one grid of gaps, for all views and dialogs.

Both follow the font of the app, so that a window with larger type is the same window, larger.
"""

from __future__ import annotations

import enum

from PySide6.QtGui import QFont, QFontMetrics, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFormLayout,
    QGridLayout,
    QLabel,
    QLayout,
    QWidget,
)

from core.base.frozen import NamedTuple


class Gap(enum.Enum):
    """Distances, in lines of text."""

    NONE = 0.0
    TIGHT = 0.125
    """Between lines that are read as one."""
    SMALL = 0.25
    """Around a view, and between its parts."""
    MEDIUM = 0.5
    """Around what stands for itself, and between groups."""
    LARGE = 1.0
    """Around a page of text, and of what is empty."""

    @property
    def px(self) -> int:
        """The distance on the screen; at least a pixel where it is any."""
        line = QFontMetrics(QApplication.font()).height()
        return max(int(line * self.value), 1) if self.value else 0


class _Letters(NamedTuple):
    share: float
    """Of the size of the app's texts."""
    is_bold: bool


class Type(enum.Enum):
    """How texts are written."""

    SMALL = _Letters(0.9, is_bold=False)
    """Titles of figures and what explains them."""
    TEXT = _Letters(1.0, is_bold=False)
    HEADING = _Letters(1.0, is_bold=True)
    """Of a group, and a verdict."""
    FIGURE = _Letters(1.35, is_bold=True)
    """The number of a card."""
    TITLE = _Letters(1.6, is_bold=True)
    """What a view says first."""


_TYPE = "type of text"
"""Where a widget keeps its `Type`."""
_GAPS = "gaps"
"""Where a layout, or a widget that is padded, keeps what it has of `Gap`."""

Gaps = Gap | tuple[Gap, Gap]
"""Both ways, or across and down."""


def arrange(
    layout: QBoxLayout | QGridLayout | QFormLayout,
    around: Gaps = Gap.NONE,
    between: Gaps = Gap.SMALL,
) -> None:
    """Set what a layout leaves around itself and between its parts."""
    layout.setProperty(_GAPS, [gap.name for gap in (*_both(around), *_both(between))])
    _measure(layout)


def pad(widget: QWidget, across: Gap) -> None:
    """Leave a gap at the left and at the right of a widget's own text."""
    widget.setProperty(_GAPS, across.name)
    widget.setContentsMargins(across.px, 0, across.px, 0)


def set_type(widget: QWidget, kind: Type) -> None:
    """Write the texts of a widget in a size of the scale."""
    font = QFont(widget.font())
    if kind.value.share != 1:
        # Else the size stays the app's, also when that is changed.
        font.setPointSizeF(QApplication.font().pointSizeF() * kind.value.share)
    font.setBold(kind.value.is_bold)
    widget.setFont(font)
    widget.setProperty(_TYPE, kind.name)


def font_of(kind: Type) -> QFont:
    """The font of a kind of text, for whoever paints it by itself."""
    font = QFont(QApplication.font())
    font.setPointSizeF(font.pointSizeF() * kind.value.share)
    font.setBold(kind.value.is_bold)
    return font


def in_pixels(font: QFont, size_px: int) -> QFont:
    """The same letters in another size, for pictures whose parts are of some pixels."""
    other = QFont(font)
    other.setPixelSize(size_px)
    return other


def in_bold(font: QFont) -> QFont:
    """The same letters in bold, as of the row that stands for what is shown."""
    bold = QFont(font)
    bold.setBold(True)
    return bold


def follow_font() -> None:
    """Set all texts and gaps anew by the scale, after the font of the app was changed."""
    for widget in QApplication.allWidgets():
        if sheet := widget.styleSheet():
            # Where a style sheet has a say in fonts, they are worked out anew only with it.
            widget.setStyleSheet("")
            widget.setStyleSheet(sheet)
    for widget in QApplication.allWidgets():
        if name := widget.property(_TYPE):
            set_type(widget, Type[name])
        if name := widget.property(_GAPS):
            pad(widget, Gap[name])
    for window in QApplication.topLevelWidgets():
        for layout in window.findChildren(QLayout):
            if layout.property(_GAPS):
                _measure(layout)


def make_hint(label: QLabel) -> None:
    """Say something beside the matter: in the colour of hints, whatever the theme is."""
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setWordWrap(True)


def _measure(layout: QLayout) -> None:
    """Give a layout the gaps that it keeps, in pixels of the app's font."""
    left, top, across, down = (Gap[name].px for name in layout.property(_GAPS))
    layout.setContentsMargins(left, top, left, top)
    if isinstance(layout, QGridLayout | QFormLayout):
        layout.setHorizontalSpacing(across)
        layout.setVerticalSpacing(down)
    else:
        layout.setSpacing(across)


def _both(gaps: Gaps) -> tuple[Gap, Gap]:
    return gaps if isinstance(gaps, tuple) else (gaps, gaps)
