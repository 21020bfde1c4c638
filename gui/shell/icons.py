"""Icons: drawings of one colour, which is the theme's."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gui.theme.qpalette import ICONS, disabled_text
from gui.theme.tones import Theme

_SIZE = 20
_SCALES = (1, 2, 3)


def icon(name: str, theme: Theme) -> QIcon | None:
    """The icon of this name, or None where there is none."""
    file = ICONS / f"{name}.svg"
    if not file.exists():
        return None
    drawing = file.read_text("utf-8")
    found = QIcon()
    modes = {QIcon.Mode.Normal: theme.text, QIcon.Mode.Disabled: disabled_text(theme)}
    for mode, colour in modes.items():
        for scale in _SCALES:
            found.addPixmap(_pixmap(drawing.replace("currentColor", colour), scale), mode)
    return found


def window_icon() -> QIcon:
    """The icon of the app."""
    renderer = QSvgRenderer(str(ICONS / "reefpoint.svg"))
    found = QIcon()
    for size in (16, 32, 48, 128):
        found.addPixmap(_drawn(renderer, size))
    return found


def _pixmap(drawing: str, scale: int) -> QPixmap:
    pixmap = _drawn(QSvgRenderer(QByteArray(drawing.encode())), _SIZE * scale)
    pixmap.setDevicePixelRatio(scale)
    return pixmap


def _drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
