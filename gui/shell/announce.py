"""Says something to those who listen instead of looking."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(source: QWidget, text: str, *, is_urgent: bool) -> None:
    """Let a screen reader say a text, at once if it is urgent."""
    event = QAccessibleAnnouncementEvent(source, text)
    ways = QAccessible.AnnouncementPoliteness
    event.setPoliteness(ways.Assertive if is_urgent else ways.Polite)
    QAccessible.updateAccessibility(event)
