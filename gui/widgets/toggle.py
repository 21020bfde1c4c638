"""A button that stays down, and can be seen to in the light and in the dark."""

from __future__ import annotations

from PySide6.QtWidgets import QToolButton, QWidget

from gui.theme.tones import LIGHT, Theme


class Toggle(QToolButton):
    """On or off; what is on has the colour of the selection."""

    def __init__(self, text: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setCheckable(True)
        self.set_theme(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"QToolButton {{ border: 1px solid {theme.grid}; border-radius: 3px;"
            f" padding: 2px 7px; background: {theme.base}; color: {theme.text}; }}"
            f"QToolButton:hover {{ border-color: {theme.accent}; }}"
            f"QToolButton:checked {{ background: {theme.accent}; color: {theme.accent_text};"
            f" border-color: {theme.accent}; }}"
            f"QToolButton:focus {{ border-color: {theme.text}; }}"
        )
