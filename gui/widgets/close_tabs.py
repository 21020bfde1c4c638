"""Tabs with their titles close to each other, so that more of them are in sight."""

from __future__ import annotations

from PySide6.QtWidgets import QTabBar

_SHEET = "QTabBar::tab { padding: 4px 6px; }"


def set_close(bar: QTabBar) -> None:
    """Leave less room beside titles than the style does; tabs look as before otherwise."""
    if bar.styleSheet() != _SHEET:
        bar.setStyleSheet(_SHEET)
