"""All views: one row each, in the order in which menus and keys count them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Protocol

from PySide6.QtWidgets import QWidget

from core.base.frozen import NamedTuple
from core.ir.options import Engine
from core.ir.settings import Settings
from gui.document.answer import Answer
from gui.document.wares import Pictured
from gui.state.store import Store
from gui.views.advice.view import AdviceView
from gui.views.cascades.view import CascadesView
from gui.views.compare.view import CompareView
from gui.views.controls.view import ControlsView
from gui.views.decide.view import DecideView
from gui.views.edits.view import EditsView
from gui.views.front.view import FrontView
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.notes.view import NotesView
from gui.views.operators.view import OperatorsView
from gui.views.proof.view import ProofView
from gui.views.roofline.view import RooflineView
from gui.views.runs.view import RunsView
from gui.views.summary.view import SummaryView
from gui.views.timeline.view import TimelineView
from gui.views.tradeoff.view import TradeOffView
from gui.views.why.view import WhyView


class Corner(enum.Enum):
    """Where a view is at first; those in one corner are tabs."""

    TIME = enum.auto()
    """At the left, over the cycles of the run."""
    SPACE = enum.auto()
    """Below it and as wide, so that both have one axis."""
    ASKED = enum.auto()
    """At the right, what is asked for, and what is told of it."""
    LISTED = enum.auto()
    """Below it, tables and figures of the whole."""


class ViewKind(Protocol):
    """The class of a view."""

    @property
    def NAME(self) -> str: ...
    @property
    def TITLE(self) -> str: ...
    def __call__(self, store: Store, /) -> QWidget: ...


class Panel(NamedTuple):
    """A view, and where it can be seen."""

    make: ViewKind
    corner: Corner
    report_height: int = 0
    """Of its picture in a report; none where the report tells the same as text."""
    is_pictured: bool = True
    """Whether there are pictures of it: it shows what the compiler says."""
    needs_front: bool = False
    """Whether it has nothing to show without a front."""
    needs_sweep: bool = False
    """The same without a sweep."""
    needs_cascades: bool = False
    """Whether a report on paper leaves it out where there is no cascade."""
    shows_a: bool = False
    """Whether its picture tells how B differs from A."""
    leads: bool = False
    """Whether it is the first of its corner, wherever menus have it."""

    @property
    def name(self) -> str:
        """What it is called in commands and files."""
        return self.make.NAME

    @property
    def title(self) -> str:
        """What it is called in the window."""
        return self.make.TITLE


PANELS = (
    Panel(TimelineView, Corner.TIME, report_height=520, shows_a=True),
    Panel(MemoryView, Corner.SPACE, report_height=600, shows_a=True),
    Panel(OperatorsView, Corner.LISTED),
    Panel(NetworkView, Corner.LISTED, report_height=600, shows_a=True),
    Panel(CascadesView, Corner.SPACE, report_height=480, needs_cascades=True),
    Panel(ControlsView, Corner.ASKED, is_pictured=False),
    Panel(SummaryView, Corner.LISTED, leads=True),
    Panel(WhyView, Corner.ASKED),
    Panel(FrontView, Corner.LISTED, report_height=480, needs_front=True),
    Panel(RooflineView, Corner.SPACE, report_height=520),
    Panel(TradeOffView, Corner.SPACE, needs_sweep=True),
    Panel(EditsView, Corner.ASKED, is_pictured=False),
    Panel(DecideView, Corner.ASKED, is_pictured=False),
    Panel(CompareView, Corner.LISTED, is_pictured=False),
    Panel(AdviceView, Corner.LISTED, is_pictured=False),
    Panel(RunsView, Corner.LISTED, is_pictured=False),
    Panel(ProofView, Corner.LISTED, is_pictured=False),
    Panel(NotesView, Corner.ASKED, is_pictured=False),
)


def pictured(
    settings: Settings, answer: Answer | None = None, *, has_sweep: bool = False
) -> Mapping[str, Pictured]:
    """Views that have something to show where this is asked, by their names.

    One engine alone finds a front; whether there is one, its answer says as soon as it is there.
    """
    has_front = settings.options.engine is Engine.PARETO
    if answer is not None and answer.document.settings == settings:
        has_front = bool(answer.scheduled.schedule.front)
    return {
        panel.name: Pictured(panel.title, panel.report_height, panel.shows_a, panel.needs_cascades)
        for panel in PANELS
        if panel.is_pictured
        and (has_front or not panel.needs_front)
        and (has_sweep or not panel.needs_sweep)
    }
