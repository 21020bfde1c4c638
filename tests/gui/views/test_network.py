"""The network's view: what is drawn, picked, and coloured."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor

from gui.document.selection import Selection
from gui.present.network.picture import Metric
from gui.state.store import Store
from gui.theme.tones import Tone
from gui.views.network.view import NetworkView
from tests.gui.answers import answer_of, store_with
from tests.gui.exposed import exposed
from tests.gui.painted import texts_of
from tests.gui.present.test_network import DEDICATED


@pytest.fixture
def view(qtbot):
    answer = answer_of("unet_128", **DEDICATED)
    return exposed(qtbot, NetworkView(store_with(answer)), 1000, 700)


def pixel_of(view, node):
    point = view.drawing.place(node)
    scene = view.canvas.box.mapViewToScene(QPointF(point.x, point.y))
    return view.canvas.mapFromScene(scene)


def test_without_an_answer_it_says_what_will_be_here(qtbot):
    found = NetworkView(Store())
    qtbot.addWidget(found)
    found.show()
    assert found.drawing is None


def test_each_node_is_drawn(view):
    view.canvas.grab()
    assert int(view.canvas.nodes.drawn.count.sum()) == len(view.drawing.nodes)


def test_a_node_has_the_colour_of_its_kind(view):
    spot = pixel_of(view, 0) + QPoint(0, 6)
    colour = view.canvas.viewport().grab().toImage().pixelColor(spot)
    assert colour == QColor(view._store.theme.inks[Tone.COMPUTE].colour)


def test_a_click_selects_and_tells_once(view, qtbot):
    told = []
    view._store.changed.connect(told.append)
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=pixel_of(view, 4))
    assert view._store.selection == Selection(op=view.drawing.nodes[4].op)
    assert len(told) == 1
    assert view.canvas.nodes.selected == frozenset({4})


def test_it_follows_a_selection_made_elsewhere(view):
    view._store.select(Selection(op=view.drawing.nodes[7].op), "elsewhere")
    assert view.canvas.nodes.selected == frozenset({7})
    assert "max pool" in view.canvas.accessibleDescription()


def test_framing_twice_shows_everything_again(view):
    everything = (view.canvas.box.x_range, view.canvas.box.y_range)
    view._store.select(Selection(op=view.drawing.nodes[7].op), "elsewhere")
    view.frame_selection()
    assert view.canvas.box.x_range.length < everything[0].length
    view.frame_selection()
    assert view.canvas.box.x_range == pytest.approx(everything[0])


def test_another_metric_gives_other_colours(view):
    before = list(view.canvas.nodes.rects.ink)
    view.overlay.setCurrentIndex(view.overlay.findData(Metric.CYCLES))
    assert list(view.canvas.nodes.rects.ink) != before


@pytest.mark.parametrize("height", [380, 700])
def test_all_in_sight_each_operator_and_cascade_has_its_number(view, height):
    view.resize(1000, height)
    view.show_all()
    painted = [text.text for text in texts_of(view.canvas)]
    for node in view.drawing.nodes:
        number = node.label.split(" ")[0]
        assert any(text.split(" ")[0] == number for text in painted)
    numbers = view._store.answer.scheduled.cascade_numbers()
    assert {str(number) for number in numbers.values()} <= set(painted)
    assert any("conv" in text for text in painted)


def test_all_in_sight_each_of_many_operators_says_its_kind(qtbot):
    """Near a hundred of them in the room that the view has in a window of 1600x1000."""
    answer = answer_of("mobilenet_v2_035_96")
    view = exposed(qtbot, NetworkView(store_with(answer)), 654, 420)
    painted = {text.text for text in texts_of(view.canvas)}
    for node in view.drawing.nodes:
        number, kind, *_ = node.label.split(" ")
        assert any(text.split(" ")[:2] == [number, kind] for text in painted)
