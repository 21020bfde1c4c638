"""What every panel shows, held against the schedule that it shows."""

from __future__ import annotations

from core.api import schedules
from core.base.rough import rough_text
from core.ir.schedule import Evicted
from gui.document.selection import Selection
from gui.shell.running import RunningApp
from gui.views.cascades.view import CascadesView
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.roofline.view import RooflineView
from gui.views.summary.view import SummaryView
from gui.views.timeline.view import TimelineView
from gui.views.why.view import WhyView


def evicted_groups(app: RunningApp) -> list[Evicted]:
    """What the schedule says had no room in fast storage."""
    islands = app.store.answer.scheduled.schedule.islands
    return [group for island in islands for group in island.evicted]


def check_all(app: RunningApp) -> None:
    """Every panel shows as much as there is in the answer."""
    assert app.store.is_current
    app.store.turns.finish()
    answer = app.store.answer
    scheduled = answer.scheduled
    graph = scheduled.run.graph
    timeline = app.view(TimelineView)
    assert timeline.stage.data.trace.count == answer.analysis.trace.count
    app.panels.show_panel("memory")
    memory = app.view(MemoryView).shown
    placements = scheduled.layout.areas[memory.area].placements
    assert sum(1 + len(part.twins) for part in memory.drawn.ranges) == len(placements)
    app.panels.show_panel("operators")
    assert app.view(OperatorsView)._model.table.count == len(graph.ops) + len(graph.cpu_ops)
    app.panels.show_panel("network")
    assert app.view(NetworkView).drawing is not None
    app.panels.show_panel("roofline")
    app.store.turns.finish()
    marks = app.view(RooflineView).picture.marks if graph.ops else ()
    # What is copied onto itself takes no time, and is nowhere.
    at_work = {op.id for op in graph.ops if scheduled.costs[op.id].total_cycles}
    assert {mark.op for mark in marks} == at_work
    app.panels.show_panel("cascades")
    cascades = [part for island in scheduled.schedule.islands for part in island.cascades]
    assert len(app.view(CascadesView)._cascades) == len(cascades)
    app.panels.show_panel("summary")
    assert app.view(SummaryView).headline.text()
    app.panels.show_panel("why")
    assert app.view(WhyView).text.toPlainText()
    cycles = f"{rough_text(scheduled.total.total_cycles)} cycles"
    # The range follows the answer.
    if answer.spread is not None:
        cycles += f", {schedules.range_text(answer.spread)}"
    assert app.headline.parts["time"].told.small[0] == cycles
    assert app.window.windowTitle().startswith(answer.document.model.name)


def check_evictions(app: RunningApp) -> None:
    """The map's lane, the table and the sentences tell of the evictions of the schedule.

    Operators and Why have to be in sight; to bring them there would end a drag.
    """
    groups = evicted_groups(app)
    memory = app.view(MemoryView)
    ghosts = memory.shown.ghosts
    assert sorted(ghost.evicted.fms for ghost in ghosts) == sorted(part.fms for part in groups)
    assert memory.pane.ghosts.rects.count == len(groups)
    assert memory.pane.lane.isHidden() == (not groups)
    costs = app.store.answer.analysis.evictions
    assert None not in [ghost.cost for ghost in ghosts]
    assert len(costs) == len(groups)
    table = app.view(OperatorsView)._model.table
    assert {number for number, text in enumerate(table.texts["evicted"]) if text} == touching(app)
    names = app.store.answer.scheduled.run.graph.titles.maps
    for group, cost in zip(groups, costs, strict=True):
        app.store.select(Selection(fm=group.fms[0]))
        app.view(WhyView).open_all()
        text = app.view(WhyView).text.toPlainText()
        assert names[group.fms[0]] in text
        assert f"{cost.live_with_it_bytes:,} bytes" in text
        assert memory.pane.ghosts.selected


def touching(app: RunningApp) -> set[int]:
    """Operators that read or write an evicted feature map."""
    evicted = {fm for group in evicted_groups(app) for fm in group.fms}
    ops = app.store.answer.scheduled.run.graph.ops
    return {op.id for op in ops if evicted & {view.fm for view in op.views}}
