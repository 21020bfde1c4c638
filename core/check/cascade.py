"""Judges cascades: who hands rows to whom, and that the rows are there when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from core.base.geometry import Resampling, round_up
from core.base.ids import NpuOpId
from core.check.finding import Finding
from core.check.lifetimes import Uses, is_fast, is_whole, map_name, op_name, stored_bytes
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from core.ir.schedule import Cascade, IslandSchedule, RollingBuffer, Schedule, Stripe
from core.target.format import Format
from core.target.target import Target


class Rows(NamedTuple):
    """Rows of a feature map, from the first to before the end."""

    start: int
    end: int


def rows_needed(op: NpuOp, made: Rows) -> Rows:
    """Rows of the first input that an operator reads to make these rows of its output."""
    height, kernel = op.ifm.touched.h, op.kernel
    if op.kind is OpKind.COPY and op.ifm.touched != op.ofm.touched:
        rows = Rows(0, height)
    elif op.kind.is_elementwise and height == 1:
        rows = Rows(0, 1)
    else:
        factor = 1 if op.resampling is Resampling.NONE else 2
        first = made.start * kernel.stride_h - op.padding.top
        last = (made.end - 1) * kernel.stride_h - op.padding.top
        last += (kernel.h - 1) * kernel.dilation_h
        rows = Rows(max(first // factor, 0), min(last // factor + 1, height))
    start, step = op.ifm.start.h, op.ifm.step_h
    return Rows(start + rows.start * step, start + (rows.end - 1) * step + 1)


class _Runner:
    """Makes the stripes of a cascade in the order of the hardware, and notes rows that are lost."""

    def __init__(self, graph: NpuGraph, cascade: Cascade, stripes: list[Stripe]) -> None:
        self.findings: list[Finding] = []
        self._graph = graph
        self._ops = [graph.ops[number] for number in cascade.ops]
        self._steps = [stripe.ofm.h for stripe in stripes]
        self._read_at_once = [stripe.ifm.h for stripe in stripes]
        self._rows_kept = [buffer.shape.h for buffer in cascade.buffers]
        self._made = [0] * len(self._ops)

    def run(self) -> None:
        """All stripes of the last operator, from top to bottom."""
        last = len(self._ops) - 1
        while self._made[last] < self._height(last) and not self.findings:
            self._make(last)

    def _height(self, at: int) -> int:
        return self._ops[at].ofm.touched.h

    def _make(self, at: int) -> None:
        """One more stripe of an operator, after what it needs of the operator before."""
        start = self._made[at]
        made = Rows(start, min(start + self._steps[at], self._height(at)))
        needed = rows_needed(self._ops[at], made)
        if needed.end - needed.start > self._read_at_once[at]:
            text = f"reads rows {needed.start} to {needed.end}, more than {self._read_at_once[at]}"
            self._find(at, made, text)
        if at > 0:
            while self._made[at - 1] < needed.end and not self.findings:
                if self._made[at - 1] >= self._height(at - 1):
                    self._find(at, made, f"needs row {needed.end - 1}, which is never made")
                    return
                self._make(at - 1)
            oldest = self._made[at - 1] - self._rows_kept[at - 1]
            if needed.start < oldest:
                text = f"needs row {needed.start} of its input, but {oldest} is the first that is"
                self._find(at, made, f"{text} left of {self._made[at - 1]} in its rolling buffer")
        self._made[at] = made.end

    def _find(self, at: int, made: Rows, text: str) -> None:
        where = op_name(self._graph, self._ops[at].id)
        self.findings.append(Finding(where, f"for rows {made.start} to {made.end} {text}"))


def _row_by_row(graph: NpuGraph, cascade: Cascade, stripes: list[Stripe]) -> list[Finding]:
    """What a run, row by row, comes across; it ends at the first fault."""
    if any(stripe.ofm.h < 1 for stripe in stripes):
        return []
    runner = _Runner(graph, cascade, stripes)
    runner.run()
    return runner.findings


def verify(
    graph: NpuGraph, target: Target, schedule: Schedule, uses: Uses, island: IslandSchedule
) -> Iterator[Finding]:
    """Everything that is wrong with the cascades of an island."""
    stripes = {plan.op: plan.stripe for plan in island.ops}
    members: dict[int, list[int]] = {}
    for plan in island.ops:
        if plan.cascade is not None:
            members.setdefault(plan.cascade, []).append(plan.op)
    for number in sorted(members.keys() - set(range(len(island.cascades)))):
        text = f"operators {members[number]} say that they are in it, but it does not exist"
        yield Finding(f"island {island.island} cascade {number}", text)
    for number, cascade in enumerate(island.cascades):
        where = f"island {island.island} cascade {number}"
        if members.get(number, []) != list(cascade.ops) or len(cascade.ops) < 2:
            text = f"lists operators {list(cascade.ops)}, but {members.get(number, [])} are in it"
            yield Finding(where, text)
            continue
        faults = tuple(_links(graph, uses, cascade))
        yield from faults or _steps(graph, target, schedule, cascade, stripes)
    yield from _rolling(graph, schedule, island)


def _links(graph: NpuGraph, uses: Uses, cascade: Cascade) -> Iterator[Finding]:
    """Each operator reads what the one before it makes, and has a buffer for it."""
    for maker, reader in pairwise(graph.ops[number] for number in cascade.ops):
        yield from _pair(graph, uses, cascade, maker, reader)
    made = [graph.ops[number].ofm.fm for number in cascade.ops[:-1]]
    buffered = [buffer.fm for buffer in cascade.buffers]
    if made != buffered:
        where = f"cascade of {op_name(graph, cascade.ops[0])}"
        yield Finding(where, f"hands on maps {made}, but has buffers for {buffered}")


def _steps(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    cascade: Cascade,
    stripes: Mapping[NpuOpId, Stripe],
) -> Iterator[Finding]:
    """Buffers are as large as rows need, and rows are there when they are read."""
    for maker, buffer in zip(cascade.ops, cascade.buffers, strict=False):
        yield from _buffer(graph, target, schedule, buffer, graph.ops[maker])
    yield from _row_by_row(graph, cascade, [stripes[number] for number in cascade.ops])


def _pair(
    graph: NpuGraph, uses: Uses, cascade: Cascade, maker: NpuOp, reader: NpuOp
) -> Iterator[Finding]:
    """Neighbours hand on a whole map that nobody else knows of."""
    where, fm = op_name(graph, reader.id), maker.ofm.fm
    if reader.ifm.fm != fm:
        text = f"reads feature map {reader.ifm.fm} in a cascade in which it is given {fm}"
        yield Finding(where, text)
        return
    name = map_name(graph, fm)
    if uses.writes[fm] != (uses.moments[maker.id],):
        yield Finding(name, f"is rolling, but has {len(uses.writes[fm])} writers")
    if uses.reads[fm] != (uses.moments[reader.id],):
        yield Finding(name, f"is rolling, but is read {len(uses.reads[fm])} times")
    if fm in uses.outside or fm in uses.fixed:
        yield Finding(name, "is rolling, but has to exist outside its cascade")
    if not is_whole(maker.ofm):
        yield Finding(op_name(graph, maker.id), f"writes only a part of {name}, which is rolling")
    if maker.ofm.shape != reader.ifm.shape or not _reads_downwards(reader):
        text = f"reads {name} as {reader.ifm.shape}, which is made as {maker.ofm.shape}"
        yield Finding(where, text)
    inner = {graph.ops[number].ofm.fm for number in cascade.ops[:-1]}
    if reader.ifm2 is not None and reader.ifm2.fm in inner:
        second = map_name(graph, reader.ifm2.fm)
        yield Finding(where, f"its second input {second} never exists whole")


def _reads_downwards(reader: NpuOp) -> bool:
    """Whether rows are read in the order in which they are made."""
    view = reader.ifm
    return view.step_h > 0 and not view.is_transposed and not view.base_offset_bytes


def _buffer(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    buffer: RollingBuffer,
    maker: NpuOp,
) -> Iterator[Finding]:
    name, plan = map_name(graph, buffer.fm), schedule.maps[buffer.fm]
    full, shape = maker.ofm.shape, buffer.shape
    depth = round_up(full.c, 16) if plan.format is Format.BRICKS else full.c
    if shape.n != full.n or shape.w < full.w or shape.c != depth:
        yield Finding(name, f"its rolling buffer is {shape}, but rows are {full}")
    size = stored_bytes(graph.feature_maps[buffer.fm], replace(plan, rolling=shape))
    if buffer.size_bytes != size:
        text = f"its rolling buffer takes {size} bytes, but {buffer.size_bytes} are said"
        yield Finding(name, text)
    if plan.rolling != shape:
        yield Finding(name, f"its plan says {plan.rolling} where its rolling buffer is {shape}")
    if not is_fast(target, plan):
        yield Finding(name, f"is rolling, but lies in {plan.region.value}")


def _rolling(graph: NpuGraph, schedule: Schedule, island: IslandSchedule) -> Iterator[Finding]:
    """Only what a cascade hands on may be rolling."""
    buffered = {buffer.fm for cascade in island.cascades for buffer in cascade.buffers}
    touched = {view.fm for plan in island.ops for view in graph.ops[plan.op].views}
    for fm in sorted(touched - buffered):
        if schedule.maps[fm].rolling is not None:
            yield Finding(map_name(graph, fm), "is rolling, but no cascade hands it on")
