"""How the window looks: themes, sizes, pictures, and layouts that come back."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import QApplication, QScrollArea

from gui.commands.panels import PANELS
from gui.document.examples import EXAMPLES
from gui.settings.preferences import Forgetful
from gui.shell.request import Request, Size
from gui.theme.tones import DARK, LIGHT
from tests.gui.running import Oracle

MODEL = EXAMPLES / "kws_dscnn.tflite"


def colours(image: QImage) -> Counter[str]:
    """Colours of a coarse grid of pixels, and how many have each."""
    return Counter(
        image.pixelColor(x, y).name()
        for x in range(3, image.width(), 7)
        for y in range(3, image.height(), 7)
    )


@pytest.mark.long
@pytest.mark.parametrize("size", [Size(1280, 800), Size(1600, 900), Size(2560, 1440)])
def test_no_panel_is_blank_at_any_size(open_app, size, qtbot):
    app = open_app(request=Request(model=str(MODEL), size=size), make_runner=Oracle)
    qtbot.waitUntil(lambda: app.window.size().toTuple() == tuple(size))
    assert len(colours(app.window.grab().toImage())) > 30
    for name, view in app._views.items():
        app.panels.show_panel(name)
        seen = colours(view.grab().toImage())
        assert len(seen) > 4, name


def test_no_panel_is_cut_at_the_smallest_size(open_app):
    app = open_app(request=Request(model=str(MODEL), size=Size(1280, 800)), make_runner=Oracle)
    assert app.window.minimumSizeHint().width() <= 1280
    assert app.window.minimumSizeHint().height() <= 800
    for name in app._views:
        app.panels.show_panel(name)
        QApplication.processEvents()
        for area in app._views[name].findChildren(QScrollArea):
            # Up and down is expected of a long page; sideways, texts would be cut.
            assert area.horizontalScrollBar().maximum() == 0, name
            assert area.widget().width() <= area.viewport().width(), name
        dock = app._panels.dock(name)
        assert app.window.rect().contains(dock.mapTo(app.window, dock.rect().bottomRight())), name


@pytest.mark.long
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_every_panel_is_drawn_in_the_colours_of_the_theme(open_app, theme):
    app = open_app(MODEL, make_runner=Oracle)
    other = DARK if theme is LIGHT else LIGHT
    app.actions.run(f"view.theme.{other.name}")
    app.actions.run(f"view.theme.{theme.name}")
    assert app.store.theme is theme
    assert app.window.palette().color(QPalette.ColorRole.Base).name() == theme.base
    for name, view in app._views.items():
        app.panels.show_panel(name)
        QApplication.processEvents()
        seen = colours(view.grab().toImage())
        behind = sum(seen[each] for each in (theme.base, theme.window, theme.alternate))
        assert behind > seen.total() / 10, name
        # Lines and texts may happen to have such a colour, areas may not.
        wrong = sum(seen[each] for each in (other.base, other.window))
        assert wrong < seen.total() / 50, name


def test_one_panel_alone_fills_the_window(open_app, qtbot):
    app = open_app(MODEL, make_runner=Oracle)
    for panel in PANELS:
        app.panels.show_alone(panel.name)
        dock = app._panels.dock(panel.name)
        qtbot.waitUntil(lambda dock=dock: dock.width() >= app._panels.width() - 2)
    app.actions.run("view.alone")
    assert all(app.panels.is_panel_shown(panel.name) for panel in PANELS)


@pytest.mark.long
def test_a_layout_comes_back_at_the_next_start(open_app):
    storage = Forgetful()
    app = open_app(MODEL, storage=storage, make_runner=Oracle)
    app.actions.run("view.panel.why")
    app.actions.run("view.theme.dark")
    app.actions.run("view.bytes")
    app.close()
    again = open_app(MODEL, storage=storage, make_runner=Oracle)
    assert not again.panels.is_panel_shown("why")
    assert again.store.theme is DARK
    assert again.store.display.byte_unit.name == "BYTES"
    again.actions.run("view.reset_layout")
    assert again.panels.is_panel_shown("why")


def test_a_broken_layout_is_no_obstacle(open_app):
    storage = Forgetful()
    storage.write("layout", "AAAA/nonsense")
    storage.write("geometry", "nonsense")
    app = open_app(MODEL, storage=storage, make_runner=Oracle)
    assert all(app.panels.is_panel_shown(panel.name) for panel in PANELS)
