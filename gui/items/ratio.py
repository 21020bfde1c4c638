"""How fine the pixels are that a painter paints, wherever they are: a screen, a picture, a file."""

from __future__ import annotations

from PySide6.QtGui import QPainter


def ratio_of(painter: QPainter) -> float:
    """Pixels of the target in one of Qt's; at least those of the widget's screen."""
    # A widget that is rendered into a picture has the ratio of its screen, not of the picture.
    target = painter.paintEngine().paintDevice()
    return max(painter.device().devicePixelRatioF(), target.devicePixelRatioF())


def is_vector(painter: QPainter) -> bool:
    """Whether shapes and texts stay what they are, as in an SVG file; pixels are made else."""
    return painter.paintEngine().type() == painter.paintEngine().Type.SVG
