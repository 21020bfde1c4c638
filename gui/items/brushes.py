"""Brushes for inks: plain colours, patterns, and the fine hatch of what was merged."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QTransform

from gui.theme.tones import Ink, Pattern

TILE_PX = 8
"""Patterns repeat after so many pixels (before scaling)."""

_MERGED_TILE_PX = 4
_VEIL_LINE_PX = 1
_VEIL_ALPHA = 0.9
_LINE_ALPHA = 0.4
"""How much of the text's colour is in the lines of a pattern."""
_MERGED_ALPHA = 0.35


@lru_cache(maxsize=512)
def brush_of(ink: Ink, pixel_ratio: float) -> QBrush:
    """The brush of an ink, with its pattern: for a few large areas, as patterns are slow."""
    if ink.pattern is Pattern.SOLID:
        return QBrush(QColor(ink.colour))
    return _texture(ink.text, _LINE_ALPHA, ink.pattern, TILE_PX, pixel_ratio, ground=ink.colour)


@lru_cache(maxsize=512)
def lines_of(colour: str, pattern: Pattern, pixel_ratio: float) -> QBrush:
    """The lines of a pattern in a colour, to be laid over a fill; as large on small pixels."""
    return _texture(colour, _LINE_ALPHA, pattern, TILE_PX, pixel_ratio)


@lru_cache(maxsize=64)
def merged_lines_of(colour: str, pixel_ratio: float) -> QBrush:
    """The fine hatch that is laid over what was merged."""
    return _texture(colour, _MERGED_ALPHA, Pattern.HATCH, _MERGED_TILE_PX, pixel_ratio)


@lru_cache(maxsize=16)
def veil_of(ink: Ink, pixel_ratio: float) -> QBrush:
    """Lines with nothing between them: what they are laid over can still be told.

    They are strong where the ink is plain, and otherwise as fine as its pattern.
    """
    colour = ink.colour
    if ink.pattern is not Pattern.SOLID:
        return lines_of(colour, ink.pattern, pixel_ratio)
    return _texture(colour, _VEIL_ALPHA, Pattern.HATCH, TILE_PX, pixel_ratio, line_px=_VEIL_LINE_PX)


def _texture(
    colour: str,
    alpha: float,
    pattern: Pattern,
    tile_px: int,
    pixel_ratio: float,
    *,
    ground: str = "",
    line_px: int = 1,
) -> QBrush:
    line = QColor(colour)
    line.setAlphaF(alpha)
    side = max(round(tile_px * pixel_ratio), 2)
    lines = QPixmap(side, side)
    lines.fill(Qt.GlobalColor.transparent)
    painter = QPainter(lines)
    # A line's own ends must not be painted twice where they overlap.
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    _draw_pattern(painter, pattern, line, side, line_px * pixel_ratio)
    painter.end()
    tile = lines
    if ground:
        tile = QPixmap(side, side)
        tile.fill(QColor(ground))
        painter = QPainter(tile)
        painter.drawPixmap(0, 0, lines)
        painter.end()
    brush = QBrush(tile)
    if side != tile_px:
        brush.setTransform(QTransform.fromScale(tile_px / side, tile_px / side))
    return brush


def _draw_pattern(
    painter: QPainter, pattern: Pattern, line: QColor, side: int, line_width: float
) -> None:
    width = max(round(line_width), 1)
    if pattern is Pattern.DOTS:
        dot = 2 * width
        painter.fillRect(side // 8, side // 8, dot, dot, line)
        painter.fillRect(side // 8 + side // 2, side // 8 + side // 2, dot, dot, line)
        return
    painter.setPen(QPen(line, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap))
    # Lines go on beyond the tile, so that its copies meet at the corners.
    for shift in (-side, 0, side):
        if pattern in (Pattern.HATCH, Pattern.CROSS):
            painter.drawLine(QPointF(shift - 1, side), QPointF(shift + side, -1))
        if pattern in (Pattern.BACK_HATCH, Pattern.CROSS):
            painter.drawLine(QPointF(shift - 1, -1), QPointF(shift + side, side))
