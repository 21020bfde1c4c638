"""All views, in the order in which menus and keys count them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from gui.state.store import Store
from gui.views.cascades.view import CascadesView
from gui.views.controls.view import ControlsView
from gui.views.front.view import FrontView
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.summary.view import SummaryView
from gui.views.timeline.view import TimelineView
from gui.views.why.view import WhyView


class Panel(NamedTuple):
    """A view, and what it is called."""

    name: str
    title: str
    make: Callable[[Store], QWidget]


PANELS = (
    Panel(TimelineView.NAME, TimelineView.TITLE, TimelineView),
    Panel(MemoryView.NAME, MemoryView.TITLE, MemoryView),
    Panel(OperatorsView.NAME, OperatorsView.TITLE, OperatorsView),
    Panel(NetworkView.NAME, NetworkView.TITLE, NetworkView),
    Panel(CascadesView.NAME, CascadesView.TITLE, CascadesView),
    Panel(ControlsView.NAME, ControlsView.TITLE, ControlsView),
    Panel(SummaryView.NAME, SummaryView.TITLE, SummaryView),
    Panel(WhyView.NAME, WhyView.TITLE, WhyView),
    Panel(FrontView.NAME, FrontView.TITLE, FrontView),
)
