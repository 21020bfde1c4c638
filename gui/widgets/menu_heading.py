"""What a menu, or a group of it, is about; styles draw no texts of sections by themselves."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from gui.theme.scale import in_bold


def add_heading(menu: QMenu, text: str) -> None:
    """A line that cannot be chosen."""
    heading = menu.addAction(text.replace("&", "&&"))
    heading.setEnabled(False)
    heading.setFont(in_bold(menu.font()))
