"""A view as a picture of it is: what was chosen stands as text, and nothing waits for a hand."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QWidget,
)


def leave_out_controls(view: QWidget) -> None:
    """Hide all that is in sight of them, for good; what is set to something says so."""
    for area in view.findChildren(QAbstractScrollArea):
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    for button in view.findChildren(QAbstractButton):
        button.hide()
    for slider in view.findChildren(QAbstractSlider):
        if not isinstance(slider, QScrollBar):
            slider.hide()
    for box in view.findChildren(QComboBox):
        _say(box, box.currentText())
    for line in view.findChildren(QLineEdit):
        _say(line, f"{line.accessibleName()}: {line.text()}" if line.text() else "")
    for bar in view.findChildren(QTabBar):
        _say(bar, bar.tabText(bar.currentIndex()))


def _say(control: QWidget, text: str) -> None:
    """Put a text in the place of a control, where it is in sight and a layout has it."""
    owner = control.parentWidget()
    if owner is None or isinstance(owner, QTabWidget):
        control.hide()
        return
    layout = owner.layout()
    if text and layout is not None and control.isVisibleTo(owner):
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        # What stands behind it has no border to part them.
        label.setContentsMargins(0, 0, label.fontMetrics().height(), 0)
        layout.replaceWidget(control, label)
    control.hide()
