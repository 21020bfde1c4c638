"""In a window of 1280x800 no text is cut, unless a tip has the whole of it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QTabWidget,
    QWidget,
)

from gui.commands.panels import PANELS
from gui.document.selection import Selection
from tests.gui.running import Oracle, wait_for_answer
from tests.shared import need

SIZE = (1280, 800)
_MOST_LOOKS, _LOOK_MS = 20, 50
DEDICATED = {"accelerator": "ethos-u65-256", "limit_bytes": 384 << 10}
NETWORKS = [
    ("models/omv_yolov8n_192.tflite", DEDICATED),
    ("models/mobilenet_v2_1.0_224_quant.tflite", {}),
]
DIALOGS = [
    "help.contents",
    "help.tour",
    "help.shortcuts",
    "help.changelog",
    "help.licences",
    "help.about",
    "go.find",
    "view.palette",
    "schedule.make_sweep",
    "file.export_model",
    "file.report",
]


def _label(widget: QLabel) -> bool:
    if not widget.text() or not widget.pixmap().isNull():
        return False
    needed = widget.minimumSizeHint()
    if widget.wordWrap():
        return widget.width() < needed.width() or widget.height() < widget.heightForWidth(
            widget.width()
        )
    return widget.width() < needed.width() or widget.height() < needed.height()


def _box(widget: QComboBox) -> bool:
    option = QStyleOptionComboBox()
    widget.initStyleOption(option)
    field = widget.style().subControlRect(
        QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, widget
    )
    return field.width() < widget.fontMetrics().horizontalAdvance(widget.currentText())


def _tabs(widget: QTabBar) -> list[str]:
    places = filter(widget.isTabVisible, range(widget.count()))
    return [widget.tabText(at) for at in places if not widget.rect().contains(widget.tabRect(at))]


def _headers(widget: QHeaderView) -> list[str]:
    if widget.orientation() is not Qt.Orientation.Horizontal:
        return []
    found = []
    for place in range(widget.count()):

        def told(role: Qt.ItemDataRole, place: int = place) -> str:
            return str(widget.model().headerData(place, widget.orientation(), role) or "")

        text = told(Qt.ItemDataRole.DisplayRole)
        is_cut = widget.sectionSize(place) < widget.fontMetrics().horizontalAdvance(text)
        is_told = widget.isSectionHidden(place) or told(Qt.ItemDataRole.ToolTipRole)
        if is_cut and not is_told:
            found.append(text)
    return found


def _is_cut(widget: QWidget) -> bool:
    if isinstance(widget, QLabel):
        return _label(widget)
    if isinstance(widget, QComboBox):
        return _box(widget)
    if isinstance(widget, QAbstractButton) and widget.text():
        needed = widget.minimumSizeHint()
        return widget.width() < needed.width() or widget.height() < needed.height()
    return False


def _cut(root: QWidget) -> list[str]:
    """What is in sight, is not whole, and has no tip."""
    found = []
    for widget in filter(QWidget.isVisible, [root, *root.findChildren(QWidget)]):
        if isinstance(widget, QTabBar):
            found += _tabs(widget)
        elif isinstance(widget, QHeaderView):
            found += _headers(widget)
        elif _is_cut(widget) and not widget.toolTip():
            found.append(widget.text() if hasattr(widget, "text") else widget.currentText())
    return found


def _stays_cut(qtbot, root: QWidget) -> list[str]:
    """The same once what the worker still tells has been laid out: that takes several turns."""
    for _ in range(_MOST_LOOKS):
        if not _cut(root):
            return []
        qtbot.wait(_LOOK_MS)
    return _cut(root)


@pytest.mark.long
@pytest.mark.parametrize(("model", "settings"), NETWORKS)
def test_no_text_is_cut_in_any_view(open_app, qtbot, model, settings):
    app = open_app(need(model), **settings)
    app.window.resize(*SIZE)
    found = {}
    for selection in (Selection(), Selection(op=6)):
        app.store.select(selection)
        for panel in PANELS:
            app.panels.show_panel(panel.name)
            wait_for_answer(qtbot, app)
            view = app.view(panel.make)
            for tabs in view.findChildren(QTabWidget):
                for place in range(tabs.count()):
                    tabs.setCurrentIndex(place)
                    app.window.grab()
                    found[panel.name, selection.op, place] = _stays_cut(qtbot, view)
            app.window.grab()
            found[panel.name, selection.op, None] = _stays_cut(qtbot, app.window)
    assert {place: texts for place, texts in found.items() if texts} == {}


@pytest.mark.parametrize("command", DIALOGS)
def test_no_text_is_cut_in_any_dialog(open_app, qtbot, command):
    app = open_app(need(NETWORKS[1][0]), make_runner=Oracle)
    app.window.resize(*SIZE)
    assert app.actions.run(command)
    wait_for_answer(qtbot, app)
    for dialog in app.window.findChildren(QDialog):
        dialog.grab()
        assert _cut(dialog) == []
    assert _cut(app.window) == []
