"""Which palette is used: the user's choice, or what the system says."""

from __future__ import annotations

from PySide6.QtCore import Qt

from gui.theme.tones import DARK, LIGHT, Theme


def theme_for(choice: str, scheme: Qt.ColorScheme) -> Theme:
    """The palette for `light`, `dark` or anything else, which means the system's."""
    named = {LIGHT.name: LIGHT, DARK.name: DARK}
    return named.get(choice) or (DARK if scheme is Qt.ColorScheme.Dark else LIGHT)
