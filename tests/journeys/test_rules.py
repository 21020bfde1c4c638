"""Rules that colour: several are switched on, put in order and stepped through, by mouse and by
keys, and seen in the network, the timeline and the memory map."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import model_path
from tests.gui.running import Oracle
from tests.journeys.hand import Hand

NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
OWN = "kind=depthwise"
ORDER = ("share>=5%", "is=evicted", OWN)


@pytest.fixture
def app(open_app):
    return open_app(
        model_path("kws_dscnn"),
        make_runner=Oracle,
        accelerator="ethos-u65-256",
        limit_bytes=16_000,
    )


def by_mouse(app) -> None:
    """Two presets, one of one's own, and that is put before both."""
    hand, view = Hand(app), app.view(OperatorsView)
    hand.choose("Go", "Operators")
    hand.click(view.rules)
    menu = view.rules.choices
    for name in ("Most of the time", "With evicted maps"):
        hand.click_in(menu, next(each for each in menu.actions() if each.text() == name))
        # Several are switched before it goes.
        assert menu.isVisible()
    menu.close()
    hand.click(view.filter)
    hand.type(OWN)
    hand.click(view.rules)
    keep = next(each for each in menu.actions() if each.text().startswith("Keep"))
    hand.click_in(menu, keep)
    rows = view.on.list
    hand.click(rows.viewport(), rows.visualItemRect(rows.item(3)).center())
    for _ in range(2):
        hand.click(view.on.earlier)
    hand.click(rows.viewport(), rows.visualItemRect(rows.item(0)).center())


def by_keys(app) -> None:
    """The same."""
    hand, view = Hand(app), app.view(OperatorsView)
    hand.press(Qt.Key.Key_R, CONTROL | SHIFT)
    menu = QApplication.activePopupWidget()
    assert menu is view.rules.choices
    for name in ("Most of the time", "With evicted maps"):
        while menu.activeAction().text() != name:
            hand.press(Qt.Key.Key_Down, widget=menu)
        hand.press(Qt.Key.Key_Space, widget=menu)
        assert menu.isVisible()
    hand.press(Qt.Key.Key_Escape, widget=menu)
    hand.press(Qt.Key.Key_F, CONTROL | SHIFT)
    hand.type(OWN)
    hand.press(Qt.Key.Key_R, CONTROL | SHIFT)
    while not menu.activeAction().text().startswith("Keep"):
        hand.press(Qt.Key.Key_Down, widget=menu)
    hand.press(Qt.Key.Key_Return, widget=menu)
    while not view.on.list.hasFocus():
        hand.press(Qt.Key.Key_Tab)
    hand.press(Qt.Key.Key_End)
    for _ in range(2):
        hand.press(Qt.Key.Key_Up, ALT)
    hand.press(Qt.Key.Key_Home)


@pytest.mark.parametrize("hand", [by_mouse, by_keys])
def test_several_rules_have_a_colour_each_in_every_view(app, hand):
    hand(app)
    store = app.store
    rules = store.matched.rules
    assert rules.texts == (OWN, *ORDER[:2])
    # Each has kept the colour that it was switched on with.
    graph, theme = store.answer.scheduled.graph, store.theme
    tones = {rule.text: rule.tone for rule in rules.on}
    assert len(set(tones.values())) == 3
    depthwise = {op.id for op in graph.ops if "depthwise" in op.kind.value}
    cycles = [cost.total_cycles for cost in store.answer.scheduled.costs]
    most = {op.id for op in graph.ops if cycles[op.id] >= 0.05 * sum(cycles)}
    assert depthwise & most
    assert most - depthwise
    expected = dict.fromkeys(most, tones["share>=5%"]) | dict.fromkeys(depthwise, tones[OWN])
    for name in ("network", "timeline", "memory"):
        app.panels.show_panel(name)
        QCoreApplication.processEvents()
    timeline, network, memory = map(app.view, (TimelineView, NetworkView, MemoryView))
    trace, drawing = store.answer.analysis.trace, network.drawing
    slices, nodes = timeline.stage.lanes.slices.lit, network.canvas.nodes.lit
    for op, tone in expected.items():
        assert {slices.tones[at] for at in slices.keys if at >= 0 and trace.op[at] == op} == {tone}
        assert {nodes.tones[at] for at in nodes.keys if drawing.nodes[at].op == op} == {tone}
        drawn = memory.shown.drawn.by_fm.get(graph.ops[op].ofm.fm, ())
        assert {memory.pane.ranges.lit.tones[key] for key in drawn} <= {tone}
    # They are seen, and each legend says which is which and how many it has found.
    legends = timeline.stage.strip.legend, network.rules, memory.pane.legend
    seen = [colours(each) for each in (timeline.stage, network.canvas, memory.pane)]
    for legend, shown in zip(legends, seen, strict=True):
        told = dict(legend.entries)
        assert told[tones[OWN]] == f"{len(depthwise)} operators: {OWN}"
        assert told[tones["share>=5%"]] == f"{len(most)} operators: Most of the time"
        assert {theme.inks[tones[text]].colour for text in (OWN, "share>=5%")} <= shown


@pytest.mark.parametrize("is_by_mouse", [True, False], ids=["mouse", "keys"])
def test_matches_are_stepped_through_from_any_view(app, is_by_mouse):
    by_keys(app)
    hand, view, store = Hand(app), app.view(OperatorsView), app.store

    def step(by: int) -> None:
        if is_by_mouse:
            hand.click(view.on.next if by > 0 else view.on.previous)
        else:
            app.panels.show_panel("timeline")
            hand.press(Qt.Key.Key_F3, NONE if by > 0 else SHIFT)

    every = [int(view.table.operators.table.op[row]) for row in view.table.operators.rows]
    found = []
    for _ in every:
        step(1)
        found.append(int(store.selection.op))
    assert found == every
    step(-1)
    assert int(store.selection.op) == every[-2]
    # Of one alone.
    rows = view.on.list
    hand.click(rows.viewport(), rows.visualItemRect(rows.item(1)).center())
    graph = store.answer.scheduled.graph
    for _ in range(5):
        step(1)
        assert "depthwise" in graph.ops[store.selection.op].kind.value


def colours(widget) -> set[str]:
    """All that is seen of a part."""
    image = widget.grab().toImage()
    places = ((x, y) for x in range(0, image.width(), 2) for y in range(0, image.height(), 2))
    return {QColor(image.pixel(x, y)).name() for x, y in places}
