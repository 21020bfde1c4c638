"""The controls as a user handles them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSlider,
    QToolButton,
)

from tests.gui.answers import answer_of

KIB = 1024


FOCUSABLE = (QComboBox, QLineEdit, QListWidget, QPushButton, QSlider, QToolButton)


def settings_of(view):
    return view._store.document.settings


def limited(kib):
    return answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=kib * KIB)


def choose(box, value):
    """As a user does it, by keys."""
    place = next(i for i, choice in enumerate(box._choices) if choice.value == value)
    box.setCurrentIndex(place)
    box.activated.emit(place)


def drag(qtbot, bar, shares):
    """Press the handle, move it to some places, and let it go."""
    middle = bar.height() // 2
    start = QPoint(bar.x_of(bar.limit_bytes), middle)
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=start)
    for share in shares:
        qtbot.mouseMove(bar, QPoint(bar.x_at(share), middle))
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(bar.x_at(shares[-1]), middle))
