"""The operators of an answer as columns, in order of execution; those of the CPU among them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from core.api.comparisons import Comparison, tables
from core.api.schedules import Scheduled
from core.base.frozen import Frozen, replace
from core.base.ids import FmId, IslandId, NpuOpId, OpRef
from core.ir.cost import OperatorCost
from core.ir.network import Network
from core.ir.npugraph import CpuOp, FoldReason, NpuGraph, NpuOp, View
from core.ir.schedule import IslandSchedule, OpPlan
from core.target.format import Format
from core.target.region import memory_of
from core.target.target import Area
from gui.document.answer import Answer
from gui.present.operators.columns import COLUMNS
from gui.present.rects import Floats, Ints

NONE = math.nan
"""In a column of numbers: there is none."""
BUFFERINGS = ("direct", "single", "double")
"""By number of weight buffers."""
_MEMORIES = {"sram": "SRAM", "dram": "DRAM"}


class OperatorTable(Frozen, eq=False):
    """One row for each operator."""

    scheduled: Scheduled
    op: Ints
    """The NPU operator of each row; -1 on the CPU."""
    cpu_op: Ints
    """Position among the CPU operators; -1 on the NPU."""
    numbers: Mapping[str, Floats]
    """By id of a column."""
    texts: Mapping[str, tuple[str, ...]]
    sizes: Mapping[str, Floats]
    """What columns of texts are sorted by, where that is a number."""
    full: Mapping[str, float]
    """What fills the bar of a column."""
    clock_hz: float
    labels: tuple[str, ...]
    """What tells most of each name: numbers and kinds have columns of their own."""
    titles: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.op)

    def is_used(self, column: str) -> bool:
        """Whether any row has a value in this column."""
        if column in self.texts:
            return any(self.texts[column])
        return bool(np.any(np.nan_to_num(self.numbers[column])))


def operator_table(answer: Answer) -> OperatorTable:
    """The table of an answer."""
    rows = _Rows(answer)
    nothing = np.full(len(rows.op), NONE)
    numbers = {**rows.costs(), **rows.plans(), **rows.measured(answer)}
    numbers |= {"cycles_a": nothing, "change": nothing}
    texts, sizes = rows.texts()
    texts["decided"] = ("",) * len(rows.op)
    full = {column.id: _greatest(numbers[column.id]) for column in COLUMNS if column.has_bar}
    # Bars of both are of one scale, so that they can be compared.
    full["cycles"] = full["measured"] = max(full["cycles"], full["measured"])
    full["live"] = float(live_limit_bytes(answer) or full["live"])
    return OperatorTable(
        scheduled=answer.scheduled,
        op=rows.op,
        cpu_op=rows.cpu_op,
        numbers=numbers,
        texts=texts,
        sizes=sizes,
        full=full,
        clock_hz=answer.scheduled.total.clock_hz,
        labels=rows.labels(),
        titles=rows.titles(),
    )


def with_comparison(table: OperatorTable, found: Comparison) -> OperatorTable:
    """The same with what each operator takes in A, and what is decided otherwise there."""
    pairs = {pair.b.numbers[0]: pair for pair in found.operators if pair.b}
    before, change = np.full(table.count, NONE), np.full(table.count, NONE)
    decided = [""] * table.count
    for row, op in enumerate(table.op.tolist()):
        pair = pairs.get(op)
        if pair is not None:
            before[row] = NONE if pair.a is None else pair.before_cycles
            change[row] = pair.cycles
            decided[row] = tables.decided(found, pair)
    return replace(
        table,
        numbers={**table.numbers, "cycles_a": before, "change": change},
        texts={**table.texts, "decided": tuple(decided)},
    )


def without_partner(found: Comparison | None) -> int:
    """How many operators of A there are no rows for."""
    return 0 if found is None else sum(pair.b is None for pair in found.operators)


def cascade_numbers(islands: Iterable[IslandSchedule]) -> dict[tuple[IslandId, int], int]:
    """Numbers of cascades from 1 on in order of execution, by island and position there."""
    first_ops = sorted(
        (cascade.ops[0], island.island, position)
        for island in islands
        for position, cascade in enumerate(island.cascades)
    )
    return {(island, at): number for number, (_, island, at) in enumerate(first_ops, 1)}


@lru_cache(maxsize=4096)
def shape_text(shape: tuple[int, ...]) -> str:
    """Dimensions with crosses between them."""
    return "x".join(str(dim) for dim in shape) or "scalar"


def live_limit_bytes(answer: Answer) -> int | None:
    """Fast storage that a schedule may use; None where nobody set a limit."""
    target = answer.scheduled.target
    limit = target.fast_limit_bytes
    return limit if limit < target.accelerator.max_address else None


class _Rows:
    """Operators in order of execution, and columns made of them; no row is made alone."""

    def __init__(self, answer: Answer) -> None:
        self._scheduled = answer.scheduled
        self._ecosystem = answer.analysis.ecosystem
        self._starts = answer.analysis.trace.op_start_cycle
        graph, schedule = answer.scheduled.run.graph, answer.scheduled.schedule
        self._graph = graph
        self._plans: list[tuple[IslandSchedule, OpPlan]] = []
        self._cpu_ops: list[CpuOp] = []
        order: list[tuple[int, int]] = []
        for step in (step for steps in graph.steps for step in steps):
            if isinstance(step, CpuOp):
                order.append((-1, len(self._cpu_ops)))
                self._cpu_ops.append(step)
            else:
                island = schedule.islands[step]
                order += [(plan.op, -1) for plan in island.ops]
                self._plans += [(island, plan) for plan in island.ops]
        columns = np.array(order, dtype=np.int32).reshape(-1, 2)
        self.op, self.cpu_op = columns[:, 0], columns[:, 1]
        self._on_npu, self._on_cpu = self.op >= 0, self.op < 0
        self._evicted = self._find_evicted()

    def _numbers(self, values: Iterable[float]) -> Floats:
        """A column of what only operators of the NPU have."""
        column = np.full(len(self.op), NONE)
        column[self._on_npu] = np.fromiter(values, np.float64, len(self._plans))
        return column

    def _merged(self, npu: Iterable[str], cpu: Iterable[str]) -> tuple[str, ...]:
        """A column of texts, from those of either side in their order."""
        column = np.empty(len(self.op), dtype=object)
        column[self._on_npu] = list(npu)
        column[self._on_cpu] = list(cpu)
        return tuple(column.tolist())

    def labels(self) -> tuple[str, ...]:
        """Of each name what tells most; number and kind have columns of their own."""
        titles = self._graph.titles
        return self._merged((titles.op_parts[plan.op] for _, plan in self._plans), titles.cpu_parts)

    def titles(self) -> tuple[str, ...]:
        """The short name of each."""
        titles = self._graph.titles
        return self._merged((titles.op(plan.op) for _, plan in self._plans), titles.cpu_ops)

    def costs(self) -> dict[str, Floats]:
        """What operators cost."""
        total = self._scheduled.total
        costs = [self._scheduled.costs[plan.op] for _, plan in self._plans]
        cycles = self._numbers(cost.total_cycles for cost in costs)
        macs = self._numbers(cost.macs for cost in costs)
        moved = {area: np.zeros(len(costs)) for area in Area}
        for position, cost in enumerate(costs):
            for part in cost.traffic:
                moved[part.area][position] += part.size_bytes
        possible = cycles * total.macs_per_cycle
        estimates = () if self._ecosystem is None else self._ecosystem.cycles
        return {
            "cycles": cycles,
            "ecosystem": self._numbers(
                estimates[plan.op] if estimates else NONE for _, plan in self._plans
            ),
            "share": _ratio(cycles, np.full(len(cycles), total.total_cycles)),
            "macs": macs,
            "utilisation": _ratio(macs, possible),
            "sram": self._numbers(moved[Area.SRAM]),
            "dram": self._numbers(moved[Area.DRAM]),
            "flash": self._numbers(moved[Area.ON_CHIP_FLASH] + moved[Area.OFF_CHIP_FLASH]),
        }

    def measured(self, answer: Answer) -> dict[str, Floats]:
        """What was measured of operators."""
        known = {} if answer.measured is None else answer.measured.cycles_of
        cycles = self._numbers(known.get(plan.op, NONE) for _, plan in self._plans)
        estimates = self._numbers(
            self._scheduled.costs[plan.op].total_cycles for _, plan in self._plans
        )
        return {"measured": cycles, "deviation": _ratio(cycles, estimates)}

    def plans(self) -> dict[str, Floats]:
        """How operators run."""
        cascades = cascade_numbers(self._scheduled.schedule.islands)
        ops, times, starts = self._graph.ops, self._scheduled.layout.op_times, self._starts
        weights = [plan.weights for _, plan in self._plans]
        return {
            "cascade": self._numbers(
                NONE if plan.cascade is None else cascades[island.island, plan.cascade]
                for island, plan in self._plans
            ),
            "stripe": self._numbers(
                rows if (rows := plan.stripe.ofm.h) < ops[plan.op].ofm.touched.h else NONE
                for _, plan in self._plans
            ),
            "live": self._numbers(island.snapshot[plan.time] for island, plan in self._plans),
            "time": self._numbers(times[plan.op] for _, plan in self._plans),
            "start": self._numbers(starts[plan.op] for _, plan in self._plans),
            "weights": self._numbers(part.stream_bytes if part else NONE for part in weights),
            "slices": self._numbers(len(part.slice_bytes) if part else NONE for part in weights),
            "evicted_bytes": self._numbers(
                sum(island.evicted[place].size_bytes for place in places) or NONE
                for island, places in self._evicted
            ),
        }

    def _find_evicted(self) -> list[tuple[IslandSchedule, dict[int, str]]]:
        """For each operator, the evicted groups that it touches, each by a map that it touches."""
        groups = {
            (island.island, fm): place
            for island in self._scheduled.schedule.islands
            for place, group in enumerate(island.evicted)
            for fm in group.fms
        }
        titles = self._graph.titles
        return [
            (
                island,
                {
                    place: titles.map(view.fm)
                    for view in self._graph.ops[plan.op].views
                    if (place := groups.get((island.island, view.fm))) is not None
                },
            )
            for island, plan in self._plans
        ]

    def _lies_in(self, op: NpuOp) -> str:
        region = self._scheduled.map_plan(op.ofm).region
        return memory_of(self._scheduled.target, region).area.value

    def _stored_as(self, op: NpuOp) -> str:
        is_bricks = self._scheduled.map_plan(op.ofm).format is Format.BRICKS
        return "bricks" if is_bricks else "rows"

    def _streams(self) -> Iterator[str]:
        """What passes through fast storage in parts."""
        streaming = self._scheduled.schedule.streaming
        for _, plan in self._plans:
            yield streaming[plan.op].value if plan.op in streaming else ""

    def texts(self) -> tuple[dict[str, tuple[str, ...]], dict[str, Floats]]:
        """Columns of texts, and the numbers by which some of them are sorted."""
        graph, cpu_ops = self._graph, self._cpu_ops
        ops = [graph.ops[plan.op] for _, plan in self._plans]
        sources, reasons = _source_titles(self._scheduled.run.network), _reasons(graph)
        nothing = [""] * len(cpu_ops)
        folded = _folded(graph)
        costs = [self._scheduled.costs[plan.op] for _, plan in self._plans]
        texts = {
            "index": self._merged(
                (str(op.id) for op in ops), (f"CPU {at}" for at in range(len(cpu_ops)))
            ),
            "name": self._merged((op.name for op in ops), (op.name for op in cpu_ops)),
            "kind": self._merged(
                (op.kind.value for op in ops), (f"CPU: {op.kind}" for op in cpu_ops)
            ),
            "reason": self._merged([""] * len(ops), (reasons.get(op.source, "") for op in cpu_ops)),
            "bound": self._merged(
                (bound_text(cost.bound.value, cost.limit.value) for cost in costs), nothing
            ),
            "decides": self._merged((_term_text(cost, 0) for cost in costs), nothing),
            "next": self._merged((_term_text(cost, 1) for cost in costs), nothing),
            "block": self._merged(
                (shape_text(plan.block.ofm_block) for _, plan in self._plans), nothing
            ),
            "ifm_stripe": self._merged(
                (shape_text(plan.stripe.ifm) for _, plan in self._plans), nothing
            ),
            "ifm_block": self._merged(
                (shape_text(plan.block.ifm_block) for _, plan in self._plans), nothing
            ),
            "buffers": self._merged((_buffers(plan) for _, plan in self._plans), nothing),
            "buffering": self._merged((_buffering(plan) for _, plan in self._plans), nothing),
            "streams": self._merged(self._streams(), nothing),
            "memory": self._merged((self._lies_in(op) for op in ops), nothing),
            "format": self._merged((self._stored_as(op) for op in ops), nothing),
            "evicted": self._merged(
                (", ".join(places.values()) for _, places in self._evicted), nothing
            ),
            "folded": self._merged((folded.get(op.id, "") for op in ops), nothing),
            "sources": self._merged(
                (_joined(sources.get(ref, "") for ref in op.sources) for op in ops),
                (sources.get(op.source, "") for op in cpu_ops),
            ),
        }
        sizes = {"index": np.arange(len(self.op), dtype=np.float64)}
        plans = [plan for _, plan in self._plans]
        sizes["block"] = self._numbers(plan.block.ofm_block.elements for plan in plans)
        sizes["ifm_block"] = self._numbers(plan.block.ifm_block.elements for plan in plans)
        sizes["ifm_stripe"] = self._numbers(plan.stripe.ifm.elements for plan in plans)
        sizes["buffers"] = self._numbers(
            sum(plan.weights.buffer_bytes) if plan.weights else NONE for plan in plans
        )
        for name, views, fms in self._sides(ops):
            texts[name], sizes[name] = self._shapes(views, fms)
        return texts, sizes

    def _sides(
        self, ops: Sequence[NpuOp]
    ) -> Iterable[tuple[str, list[View | None], list[tuple[FmId, ...]]]]:
        """For each column of shapes, what operators of the NPU and of the CPU have there."""
        nothing: list[tuple[FmId, ...]] = [()] * len(self._cpu_ops)
        yield "ifm", [op.ifm for op in ops], [op.inputs for op in self._cpu_ops]
        yield "ifm2", [op.ifm2 for op in ops], nothing
        yield "ofm", [op.ofm for op in ops], [op.outputs for op in self._cpu_ops]

    def _shapes(
        self, views: Sequence[View | None], fms: Sequence[tuple[FmId, ...]]
    ) -> tuple[tuple[str, ...], Floats]:
        touched = [None if view is None else view.touched for view in views]
        maps = self._graph.feature_maps
        texts = self._merged(
            ("" if shape is None else shape_text(shape) for shape in touched),
            (", ".join(shape_text(maps[fm].shape) for fm in side) for side in fms),
        )
        sizes = self._numbers(NONE if shape is None else shape.elements for shape in touched)
        sizes[self._on_cpu] = [
            sum(math.prod(maps[fm].shape) for fm in side) if side else NONE for side in fms
        ]
        return texts, sizes


def _folded(graph: NpuGraph) -> dict[NpuOpId, str]:
    """The file's shape of the maps of operators that see them in another."""
    return {
        op: shape_text(fold.shape)
        for fold in graph.folds
        if fold.reason is FoldReason.CHEAPER
        for op in fold.ops
    }


def bound_text(bound: str, limit: str) -> str:
    """The slowest memory; where the accelerator itself is slowest, what its blocks wait for."""
    return limit if bound == "npu" else _MEMORIES.get(bound, bound)


def _term_text(cost: OperatorCost, place: int) -> str:
    """What an operator is slow for, in the order of its cycles."""
    if len(cost.ranked) <= place:
        return ""
    term, cycles = cost.ranked[place]
    return f"{term.value} {cost.term_share(cycles):.0%}"


def _buffers(plan: OpPlan) -> str:
    return " + ".join(f"{size:,}" for size in plan.weights.buffer_bytes) if plan.weights else ""


def _buffering(plan: OpPlan) -> str:
    weights = plan.weights
    if weights is None:
        return ""
    return BUFFERINGS[len(weights.buffer_bytes)] + weights.early_text


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(filter(None, texts)))


def _ratio(part: Floats, whole: Floats) -> Floats:
    """A part of something, and none of nothing."""
    shares = np.full(len(part), NONE)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


def _greatest(numbers: Floats) -> float:
    present = numbers[~np.isnan(numbers)]
    return float(present.max(initial=0.0))


def _source_titles(network: Network) -> dict[OpRef, str]:
    """Operators of the model by kind and number; those of another subgraph name it too."""
    return {
        ref: f"{op.title} {ref.op}" + (f" in subgraph {ref.subgraph}" if ref.subgraph else "")
        for ref, op in network.operators()
    }


def _reasons(graph: NpuGraph) -> dict[OpRef, str]:
    reasons: dict[OpRef, list[str]] = {}
    for rejection in graph.rejections:
        reasons.setdefault(rejection.op, []).append(
            f"{rejection.rule}: found {rejection.found}, accepted {rejection.accepted}"
        )
    return {ref: ". ".join(texts) for ref, texts in reasons.items()}
