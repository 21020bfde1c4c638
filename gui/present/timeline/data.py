"""What the timeline draws of an answer: its trace, and the cascades as stretches of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.base.frozen import Frozen, NamedTuple, field
from core.base.ids import NpuOpId
from core.ir.npugraph import NpuGraph
from core.ir.trace import NOTHING, Trace
from gui.document.answer import Answer
from gui.document.selection import CascadeRef
from gui.present.rects import Ints
from gui.present.runs.measured import MeasuredLane, measured_lane
from gui.present.runs.proof import ErrorLane


class CascadeSpan(NamedTuple):
    """A cascade over time."""

    ref: CascadeRef
    number: int
    """In order of execution, counted from 1."""
    ops: tuple[NpuOpId, ...]
    start_cycle: float
    end_cycle: float
    stripes: int
    """Stripes of all its operators together."""


class TimelineData(Frozen, eq=False):
    """A trace with names."""

    trace: Trace
    op_titles: Sequence[str]
    cpu_titles: Sequence[str]
    cascades: tuple[CascadeSpan, ...] = ()
    cascade_of_op: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """Position in `cascades`, by operator; -1 for none."""
    measured: MeasuredLane | None = None
    errors: ErrorLane | None = None
    """Of a proof, where there is one."""
    states: Mapping[int, str] = field(default_factory=dict)
    """By operator that touches what is kept from one inference to the next: how it does."""

    @property
    def end_cycle(self) -> float:
        """Where time ends."""
        measured = 0.0 if self.measured is None else float(self.measured.end_cycle[-1])
        return max(self.trace.end_cycle_of_all, measured, 1.0)


def timeline_data(answer: Answer) -> TimelineData:
    """What the timeline draws of an answer."""
    graph, trace = answer.scheduled.run.graph, answer.analysis.trace
    stripes = np.bincount(
        trace.op[(trace.stripe != NOTHING) & (trace.op != NOTHING)], minlength=len(graph.ops)
    )
    steps = {(each.island, each.cascade): len(each.steps) for each in answer.analysis.cascades}
    numbers = answer.scheduled.cascade_numbers()
    cascades: list[CascadeSpan] = []
    cascade_of_op = np.full(len(graph.ops), NOTHING, dtype=np.int32)
    for island in answer.scheduled.schedule.islands:
        for position, cascade in enumerate(island.cascades):
            ops = list(cascade.ops)
            cascade_of_op[ops] = len(cascades)
            cascades.append(
                CascadeSpan(
                    CascadeRef(island.island, position),
                    numbers[island.island, position],
                    cascade.ops,
                    float(trace.op_start_cycle[ops].min()),
                    float(trace.op_end_cycle[ops].max()),
                    steps.get((island.island, position), int(stripes[ops].sum())),
                )
            )
    return TimelineData(
        trace=trace,
        op_titles=graph.titles.ops,
        cpu_titles=graph.titles.cpu_ops,
        cascades=tuple(cascades),
        cascade_of_op=cascade_of_op,
        measured=measured_lane(answer),
        states=dict(_states(graph)),
    )


def _states(graph: NpuGraph) -> Iterator[tuple[int, str]]:
    for op in graph.ops:
        *read, made = (view.fm for view in op.views)
        takes = [graph.titles.map(fm) for fm in dict.fromkeys(read) if graph.lives_on([fm])]
        leaves = [graph.titles.map(made)] if graph.lives_on([made]) else []
        told = [
            f"{does} {', '.join(maps)}"
            for does, maps in (("takes", takes), ("leaves", leaves))
            if maps
        ]
        if told:
            yield op.id, f"{' and '.join(told)}, kept from one inference to the next"
