"""The cascades of an answer: which operators run stripe by stripe, and through which buffers."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import Frozen
from core.base.geometry import Resampling
from core.base.ids import FmId, NpuOpId
from core.ir.npugraph import NpuOp
from core.ir.schedule import Cascade, IslandSchedule, OpPlan, RollingBuffer
from core.ir.trace import CascadeSteps
from gui.document.answer import Answer
from gui.document.display import ByteUnit
from gui.document.selection import CascadeRef, Selection
from gui.present import units

ELSEWHERE = -2
"""The position of whoever makes a map that comes from outside a cascade."""


class Stage(Frozen):
    """One operator of a cascade, as a row of the picture."""

    op: NpuOpId
    name: str
    title: str
    """Its short name."""
    kind: str
    rows: int
    """Of its output."""
    stripe_rows: int
    stripes: int
    kernel: str
    buffer: RollingBuffer | None
    """Through which it hands on rows, if it is the first that makes its map."""
    makes: FmId
    reads: tuple[int, ...]
    """For each input, the position of whoever first makes it; -1 for what the cascade begins with,
    and ELSEWHERE for other maps."""
    buffer_name: str = ""

    @property
    def facts(self) -> str:
        """What stands below its name."""
        made = "1 row" if self.stripe_rows == 1 else f"{self.stripe_rows} rows"
        return f"{self.kind}{self.kernel} · {made} at once"


class CascadeInfo(Frozen, eq=False):
    """A cascade with all that is told of it."""

    ref: CascadeRef
    number: int
    """In order of execution, counted from 1."""
    stages: tuple[Stage, ...]
    input_name: str
    input_rows: int
    size_bytes: int
    """What the search counted for it."""
    steps: CascadeSteps

    @property
    def title(self) -> str:
        """Its number, and from where to where it goes."""
        first, last = self.stages[0], self.stages[-1]
        return f"Cascade {self.number}: operators {first.op} to {last.op}"

    @property
    def buffer_bytes(self) -> int:
        """Bytes of all rolling buffers."""
        return sum(stage.buffer.size_bytes for stage in self.stages if stage.buffer is not None)


def cascades_of(answer: Answer) -> tuple[CascadeInfo, ...]:
    """All cascades in order of execution."""
    found = sorted(
        (island.cascades[steps.cascade].ops[0], steps.island, steps.cascade, island, steps)
        for steps in answer.analysis.cascades
        for island in answer.scheduled.schedule.islands
        if island.island == steps.island
    )
    return tuple(
        _view(answer, number, island, steps) for number, (*_, island, steps) in enumerate(found, 1)
    )


def _view(answer: Answer, number: int, island: IslandSchedule, steps: CascadeSteps) -> CascadeInfo:
    graph = answer.scheduled.run.graph
    cascade = island.cascades[steps.cascade]
    plans = {plan.op: plan for plan in island.ops}
    first = graph.ops[cascade.ops[0]]
    makers: dict[FmId, int] = {first.ifm.fm: -1}
    for position, op in enumerate(cascade.ops):
        makers.setdefault(graph.ops[op].ofm.fm, position)
    return CascadeInfo(
        ref=CascadeRef(steps.island, steps.cascade),
        number=number,
        stages=tuple(_stage(answer, cascade, makers, plans[op]) for op in cascade.ops),
        input_name=graph.titles.map(first.ifm.fm),
        input_rows=first.ifm.shape.h,
        size_bytes=cascade.size_bytes,
        steps=steps,
    )


def _stage(answer: Answer, cascade: Cascade, makers: Mapping[FmId, int], plan: OpPlan) -> Stage:
    graph = answer.scheduled.run.graph
    op = graph.ops[plan.op]
    is_first = cascade.ops[makers[op.ofm.fm]] == op.id
    buffer = next((each for each in cascade.buffers if is_first and each.fm == op.ofm.fm), None)
    rows = op.ofm.touched.h
    return Stage(
        op=op.id,
        name=op.name,
        title=graph.titles.op(op.id),
        kind=op.kind.value,
        rows=rows,
        stripe_rows=min(plan.stripe.ofm.h, rows),
        stripes=-(-rows // max(plan.stripe.ofm.h, 1)),
        kernel=_kernel(op),
        buffer=buffer,
        makes=op.ofm.fm,
        reads=tuple(makers.get(view.fm, ELSEWHERE) for view in op.views[:-1]),
        buffer_name=graph.titles.map(buffer.fm) if buffer is not None else "",
    )


def _kernel(op: NpuOp) -> str:
    kernel = op.kernel
    texts = []
    if kernel.taps > 1:
        texts.append(f"{kernel.h}x{kernel.w}")
    if (kernel.stride_h, kernel.stride_w) != (1, 1):
        texts.append(f"stride {kernel.stride_h}")
    if (kernel.dilation_h, kernel.dilation_w) != (1, 1):
        texts.append(f"dilation {kernel.dilation_h}")
    if op.resampling is not Resampling.NONE:
        texts.append("upscaled")
    return f" {', '.join(texts)}" if texts else ""


def cascade_selected(cascades: tuple[CascadeInfo, ...], selection: Selection) -> int | None:
    """Position of the cascade that a selection belongs to."""
    op = selection.buffer.op if selection.buffer is not None else selection.op
    for position, cascade in enumerate(cascades):
        if selection.cascade == cascade.ref:
            return position
        if op is not None and any(stage.op == op for stage in cascade.stages):
            return position
        if selection.fm is not None and selection.fm in _handed_on(cascade):
            return position
    return None


def _handed_on(cascade: CascadeInfo) -> set[FmId]:
    """Maps that only this cascade hands on."""
    return {stage.buffer.fm for stage in cascade.stages if stage.buffer is not None}


def summary(cascade: CascadeInfo, unit: ByteUnit) -> str:
    """What a cascade takes, in one line."""
    buffers = [stage for stage in cascade.stages if stage.buffer is not None]
    return (
        f"{units.counted(len(cascade.stages), 'operator')}, "
        f"{units.counted(len(cascade.steps.steps), 'stripe')} through "
        f"{units.counted(len(buffers), 'rolling buffer')} of "
        f"{units.size_exact(cascade.buffer_bytes, unit)}"
    )
