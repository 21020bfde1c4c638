"""The fonts that come with the app, so that texts look alike and are as wide on every machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QGuiApplication

FOLDER = Path(__file__).parents[2] / "resources" / "fonts"
SANS = "DejaVu Sans"
MONO = "DejaVu Sans Mono"
_POINTS = 9.0
"""Where the system counts in pixels."""


@cache
def load() -> tuple[str, ...]:
    """Make the fonts known to Qt; the families that it found in them."""
    found: dict[str, None] = {}
    for file in sorted(FOLDER.glob("*.ttf")):
        number = QFontDatabase.addApplicationFont(str(file))
        found |= dict.fromkeys(QFontDatabase.applicationFontFamilies(number))
    return tuple(found)


def sans(percent: int = 100) -> QFont:
    """The font of all texts, in so much of the size that the system prefers."""
    font = _font(SANS)
    font.setPointSizeF(system_points() * percent / 100)
    return font


@cache
def system_points() -> float:
    """The size that the system prefers; asked before it is changed for the first time."""
    font = QGuiApplication.font()
    return font.pointSizeF() if font.pointSizeF() > 0 else _POINTS


def mono() -> QFont:
    """The font of addresses, digits in columns, and code."""
    return _font(MONO)


def _font(family: str) -> QFont:
    load()
    # Nothing but its family is its own: sizes are the app's, also when that is changed.
    font = QFont()
    font.setFamily(family)
    return font


def lines_px(metrics: QFontMetrics, lines: int) -> int:
    """As high as that many lines: one is no whole number high, so two may be more than twice it."""
    return max(metrics.size(0, "\n".join("M" * lines)).height(), metrics.height())
