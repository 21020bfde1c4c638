"""Commands of single views: their keys work while the view has the focus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtWidgets import QWidget

from core.base.frozen import NamedTuple
from gui.commands.app import App
from gui.commands.command import Command, Run, When
from gui.views.cascades.view import CascadesView
from gui.views.edits.view import EditsView
from gui.views.front.view import FrontView
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.roofline.view import RooflineView
from gui.views.timeline.view import TimelineView
from gui.views.tradeoff.view import TradeOffView
from gui.views.why.view import WhyView

View = TypeVar("View", bound=QWidget)


class _Move(NamedTuple):
    """What a view can do, and the keys that start it."""

    id: str
    title: str
    keys: tuple[str, ...]
    run: Run
    section: int = 1
    is_on: Callable[[App], bool] | None = None


def _of(kind: type[View], do: Callable[[View], object]) -> Run:
    """Lets the one view of a kind do something."""
    return lambda app: do(app.view(kind))


_TIMELINE = (
    _Move("zoom_in", "Zoom in", ("W",), _of(TimelineView, TimelineView.zoom_in)),
    _Move("zoom_out", "Zoom out", ("S",), _of(TimelineView, TimelineView.zoom_out)),
    _Move("pan_left", "Earlier", ("A",), _of(TimelineView, TimelineView.pan_left)),
    _Move("pan_right", "Later", ("D",), _of(TimelineView, TimelineView.pan_right)),
    _Move(
        "frame",
        "Frame the selection, then everything",
        ("F",),
        _of(TimelineView, TimelineView.frame_selection),
    ),
    _Move("all", "Show the whole run", (), _of(TimelineView, TimelineView.show_all)),
    _Move("next", "Next on the lane", (".",), _of(TimelineView, TimelineView.select_next), 2),
    _Move(
        "previous",
        "Previous on the lane",
        (",",),
        _of(TimelineView, TimelineView.select_previous),
        2,
    ),
    _Move(
        "producer", "To the producer", ("[",), _of(TimelineView, TimelineView.follow_producer), 2
    ),
    _Move(
        "consumer", "To the consumer", ("]",), _of(TimelineView, TimelineView.follow_consumer), 2
    ),
    _Move("fold", "Fold the cascade", ("E",), _of(TimelineView, TimelineView.fold_selection), 3),
    _Move(
        "lanes",
        "Arrange lanes...",
        ("L",),
        _of(TimelineView, lambda view: view.stage.strip.lanes.showMenu()),
        3,
    ),
)

_MEMORY = (
    _Move("zoom_in", "Zoom in", ("W",), _of(MemoryView, MemoryView.zoom_in)),
    _Move("zoom_out", "Zoom out", ("S",), _of(MemoryView, MemoryView.zoom_out)),
    _Move("pan_left", "Earlier", ("A",), _of(MemoryView, lambda view: view.pane.canvas.pan_left())),
    _Move("pan_right", "Later", ("D",), _of(MemoryView, lambda view: view.pane.canvas.pan_right())),
    _Move(
        "frame",
        "Frame the selection, then everything",
        ("F",),
        _of(MemoryView, MemoryView.frame_selection),
    ),
    _Move("all", "Show the whole memory", (), _of(MemoryView, MemoryView.show_all)),
    _Move("peak", "To the peak", ("Home",), _of(MemoryView, MemoryView.go_to_peak), 2),
    _Move(
        "later", "What is live a step later", (".",), _of(MemoryView, lambda view: view.step(1)), 2
    ),
    _Move(
        "earlier",
        "What is live a step earlier",
        (",",),
        _of(MemoryView, lambda view: view.step(-1)),
        2,
    ),
    _Move("next_region", "Next memory", ("M",), _of(MemoryView, MemoryView.next_region), 2),
    _Move(
        "place",
        "Drag to addresses, as with Alt",
        ("G",),
        _of(MemoryView, lambda view: view.header.places.toggle()),
        3,
        is_on=lambda app: app.view(MemoryView).header.places.isChecked(),
    ),
)

_NETWORK = (
    _Move("zoom_in", "Zoom in", ("W",), _of(NetworkView, NetworkView.zoom_in)),
    _Move("zoom_out", "Zoom out", ("S",), _of(NetworkView, NetworkView.zoom_out)),
    _Move("pan_left", "To the left", ("A",), _of(NetworkView, lambda view: view.canvas.pan_left())),
    _Move(
        "pan_right", "To the right", ("D",), _of(NetworkView, lambda view: view.canvas.pan_right())
    ),
    _Move(
        "frame",
        "Frame the selection, then everything",
        ("F",),
        _of(NetworkView, NetworkView.frame_selection),
    ),
    _Move("all", "Show the whole network", (), _of(NetworkView, NetworkView.show_all)),
)

_CASCADES = (
    _Move("play", "Play or pause", ("Space",), _of(CascadesView, CascadesView.play_or_pause)),
    _Move("next", "Next stripe", ("Right",), _of(CascadesView, CascadesView.step_forward)),
    _Move("previous", "Previous stripe", ("Left",), _of(CascadesView, CascadesView.step_back)),
    _Move("first", "First stripe", ("Home",), _of(CascadesView, CascadesView.first)),
    _Move("last", "Last stripe", ("End",), _of(CascadesView, CascadesView.last)),
)

_OPERATORS = (
    _Move("copy", "Copy as text", ("Ctrl+C",), _of(OperatorsView, OperatorsView.copy)),
    _Move("copy_all", "Copy all as text", (), _of(OperatorsView, OperatorsView.copy_all)),
    _Move("copy_markdown", "Copy as Markdown", (), _of(OperatorsView, OperatorsView.copy_markdown)),
)

_WHY = (_Move("copy", "Copy as text", (), _of(WhyView, WhyView.copy)),)

_FRONT = (
    _Move("faster", "Next faster schedule", ("Left",), _of(FrontView, FrontView.faster)),
    _Move("smaller", "Next smaller schedule", ("Right",), _of(FrontView, FrontView.smaller)),
    _Move("adopt", "Adopt what is pointed at", ("Return",), _of(FrontView, FrontView.adopt)),
    _Move("keep", "Keep what is pointed at as A", ("K",), _of(FrontView, FrontView.keep)),
    _Move("all", "Show the whole front", (), _of(FrontView, FrontView.show_all), 2),
)

_ROOFLINE = (
    _Move("zoom_in", "Zoom in", ("W",), _of(RooflineView, lambda view: view.canvas.zoom_in())),
    _Move("zoom_out", "Zoom out", ("S",), _of(RooflineView, lambda view: view.canvas.zoom_out())),
    _Move(
        "frame",
        "Frame the selection, then everything",
        ("F",),
        _of(RooflineView, RooflineView.frame_selection),
    ),
    _Move("all", "Show the whole roofline", (), _of(RooflineView, RooflineView.show_all)),
    _Move("next", "Next operator", (".",), _of(RooflineView, RooflineView.step_on), 2),
    _Move("previous", "Previous operator", (",",), _of(RooflineView, RooflineView.step_back), 2),
    _Move(
        "next_memory",
        "Bytes of the next memory",
        ("M",),
        _of(RooflineView, RooflineView.next_memory),
        2,
    ),
)

_TRADEOFF = (
    _Move(
        "adopt",
        "Adopt the cell that is pointed at",
        (),
        _of(TradeOffView, TradeOffView.adopt_pointed),
    ),
    _Move(
        "keep",
        "Keep the cell that is pointed at as A",
        ("K",),
        _of(TradeOffView, TradeOffView.keep_pointed),
    ),
)

_EDITS = (
    _Move(
        "up",
        "Move up in the list",
        ("Ctrl+Shift+Up",),
        _of(EditsView, lambda view: view.move_by(-1)),
    ),
    _Move(
        "down",
        "Move down in the list",
        ("Ctrl+Shift+Down",),
        _of(EditsView, lambda view: view.move_by(1)),
    ),
)

_VIEWS = (
    (TimelineView, _TIMELINE),
    (MemoryView, _MEMORY),
    (OperatorsView, _OPERATORS),
    (NetworkView, _NETWORK),
    (CascadesView, _CASCADES),
    (WhyView, _WHY),
    (FrontView, _FRONT),
    (RooflineView, _ROOFLINE),
    (TradeOffView, _TRADEOFF),
    (EditsView, _EDITS),
)


def commands() -> tuple[Command, ...]:
    """All of them, view by view."""
    return tuple(
        Command(
            id=f"{kind.NAME}.{move.id}",
            title=move.title,
            menu=("Go", kind.TITLE),
            section=move.section,
            keys=move.keys,
            scopes=(kind.NAME,),
            # Else a button in the view could not be pressed with Space or Enter.
            view_listens=kind in (CascadesView, FrontView),
            when=_WHEN.get(kind, _no_answer),
            run=move.run,
            is_on=move.is_on,
        )
        for kind, moves in _VIEWS
        for move in moves
    )


def _no_answer(app: App) -> str:
    return "" if app.store.answer else "there is no schedule yet"


def _no_front(app: App) -> str:
    answer = app.store.answer
    if answer is not None and not answer.scheduled.schedule.front:
        return "the Pareto engine alone finds a front"
    return _no_answer(app)


def _no_cell(app: App) -> str:
    return "" if app.view(TradeOffView).panels.current else "no cell of a sweep is pointed at"


_WHEN: Mapping[type[QWidget], When] = {FrontView: _no_front, TradeOffView: _no_cell}
