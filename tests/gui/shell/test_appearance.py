"""The palette follows the user's choice, and where there is none the system."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QWidget

from core.base.frozen import replace
from gui.document.display import ThemeChoice
from gui.shell.appearance import Appearance
from gui.state.store import Store
from gui.theme import fonts
from gui.theme.tones import DARK, LIGHT


class Hints(QObject):
    """A system whose colour scheme tests can change; the offscreen platform has none."""

    colorSchemeChanged = Signal(Qt.ColorScheme)  # noqa: N815 - Qt's name

    def __init__(self) -> None:
        super().__init__()
        self.scheme = Qt.ColorScheme.Light

    def colorScheme(self) -> Qt.ColorScheme:  # noqa: N802 - Qt's name
        return self.scheme

    def change(self, scheme: Qt.ColorScheme) -> None:
        self.scheme = scheme
        self.colorSchemeChanged.emit(scheme)


@pytest.fixture
def hints(monkeypatch):
    hints = Hints()
    monkeypatch.setattr(QGuiApplication, "styleHints", staticmethod(lambda: hints))
    return hints


@pytest.fixture
def store(qapp):
    palette, font = QPalette(qapp.palette()), qapp.font()
    yield Store()
    qapp.setPalette(palette)
    qapp.setFont(font)


def test_the_system_is_followed_until_the_user_chooses(qtbot, qapp, hints, store):
    appearance = Appearance(qapp, store)
    window = QWidget()
    qtbot.addWidget(window)
    appearance.dress(window)
    assert store.theme is LIGHT
    hints.change(Qt.ColorScheme.Dark)
    assert store.theme is DARK
    assert qapp.palette().color(QPalette.ColorRole.Base).name() == DARK.base
    assert DARK.grid in window.styleSheet()
    store.set_display(replace(store.display, theme=ThemeChoice.LIGHT))
    assert store.theme is LIGHT
    assert LIGHT.grid in window.styleSheet()
    hints.change(Qt.ColorScheme.Light)
    hints.change(Qt.ColorScheme.Dark)
    assert store.theme is LIGHT
    store.set_display(replace(store.display, theme=ThemeChoice.SYSTEM))
    assert store.theme is DARK


def test_the_app_is_dressed_in_our_style_and_font(qapp, hints, store):
    Appearance(qapp, store)
    assert hints.scheme is Qt.ColorScheme.Light
    assert qapp.style().name() == "fusion"
    assert qapp.font().family() == fonts.SANS
