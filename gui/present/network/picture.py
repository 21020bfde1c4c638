"""The network as a drawing: operators, what they hand to each other, cascades, and a metric."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId, NpuOpId
from core.ir.npugraph import CpuOp, NpuGraph, NpuOp, OpKind
from core.ir.titles import BETWEEN
from core.target.target import Area
from core.target.unit import Unit
from gui.document.answer import Answer
from gui.document.selection import CascadeRef
from gui.present.network.layering import Layering, Point, layered
from gui.present.rects import Rects
from gui.theme.tones import HEAT, Tone

NODE_WIDTH = 0.92
NODE_HEIGHT = 0.9
_HULL_MARGIN = 0.16
_HULL_MARGIN_ABOVE = 0.05
"""Those of neighbours in a column touch."""
_NO_CHANGES: Mapping[int, float] = MappingProxyType({})


class Node(NamedTuple):
    """An operator in the drawing; exactly one of the two is set."""

    op: NpuOpId | None
    cpu_op: int | None
    label: str


class Edge(NamedTuple):
    """A feature map on its way from one operator to another."""

    source: int
    target: int
    fm: FmId


class Drawing(Frozen, eq=False):
    """Operators with places; the same for all answers with one graph."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    layering: Layering

    def place(self, node: int) -> Point:
        """The middle of a node."""
        return self.layering.places[node]


class Metric(enum.Enum):
    """What colours the operators."""

    KIND = "kind"
    CYCLES = "cycles"
    SRAM_LIVE = "SRAM in use"
    MOVED_SRAM = "bytes moved in SRAM"
    MOVED_OTHER = "bytes moved outside SRAM"
    WEIGHTS = "weight bytes"
    UTILISATION = "MAC utilisation"
    DIFFERENCE = "difference to A"


class Hull(NamedTuple):
    """A box around operators of one cascade that stand in one column."""

    cascade: CascadeRef
    number: int
    """Under which it is known everywhere."""
    left: float
    right: float
    bottom: float
    top: float


def drawing_of(graph: NpuGraph) -> Drawing:
    """The operators of all subgraphs in order of execution, and who reads whom."""
    nodes: list[Node] = []
    makers: defaultdict[FmId, list[int]] = defaultdict(list)
    edges: list[Edge] = []
    cpu_number = 0
    for steps in graph.steps:
        for step in steps:
            if isinstance(step, CpuOp):
                label = graph.titles.cpu_ops[cpu_number]
                _add(nodes, edges, makers, Node(None, cpu_number, label), step.inputs)
                _made(makers, step.outputs, len(nodes) - 1)
                cpu_number += 1
                continue
            for number in graph.islands[step].ops:
                op = graph.ops[number]
                inputs = tuple(view.fm for view in op.views[:-1])
                _add(nodes, edges, makers, Node(number, None, _label(graph, op)), inputs)
                _made(makers, (op.ofm.fm,), len(nodes) - 1)
    pairs = [(edge.source, edge.target) for edge in edges]
    return Drawing(nodes=tuple(nodes), edges=tuple(edges), layering=layered(len(nodes), pairs))


_SHORT = {
    OpKind.CONV_2D: "conv",
    OpKind.DEPTHWISE_CONV_2D: "dw conv",
    OpKind.TRANSPOSE_CONV_2D: "transposed",
    OpKind.FULLY_CONNECTED: "fc",
    OpKind.AVERAGE_POOL: "avg pool",
    OpKind.COUNT_LEADING_ZEROS: "clz",
}


def _label(graph: NpuGraph, op: NpuOp) -> str:
    """The number, which is never cut, and as much as there is room for of kind and name."""
    head, *name = graph.titles.op(op.id).split(BETWEEN, 1)
    number = head.split(" ", 1)[0]
    return BETWEEN.join((f"{number} {_SHORT.get(op.kind, op.kind.value)}", *name))


def _add(
    nodes: list[Node],
    edges: list[Edge],
    makers: dict[FmId, list[int]],
    node: Node,
    inputs: tuple[FmId, ...],
) -> None:
    nodes.append(node)
    target = len(nodes) - 1
    for fm in dict.fromkeys(inputs):
        edges += [Edge(source, target, fm) for source in makers.get(fm, ())]


def _made(makers: defaultdict[FmId, list[int]], fms: tuple[FmId, ...], node: int) -> None:
    for fm in fms:
        if node not in makers[fm]:
            makers[fm].append(node)


def node_rects(
    drawing: Drawing, answer: Answer, metric: Metric, changes: Mapping[int, float] = _NO_CHANGES
) -> Rects:
    """A rectangle for each operator; its key is the node's position.

    By operator, `changes` are the cycles that it takes more than in A.
    """
    places = np.array(drawing.layering.places, dtype=np.float64).reshape(-1, 2)
    count = len(places)
    keys = np.arange(count, dtype=np.int32)
    return Rects(
        left=places[:, 0] - NODE_WIDTH / 2,
        right=places[:, 0] + NODE_WIDTH / 2,
        bottom=places[:, 1] - NODE_HEIGHT / 2,
        top=places[:, 1] + NODE_HEIGHT / 2,
        ink=_inks(drawing, answer, metric, changes),
        key=keys,
        row=keys,
        inks=_INKS,
        labels=_labels(drawing, metric, changes),
    )


_TONES = (
    *(Tone.COMPUTE, Tone.ELEMENTWISE, Tone.COPY, Tone.CPU),
    *HEAT,
    *(Tone.ROLLING, Tone.PADDING, Tone.OVER),
)
_INKS = tuple(tone.value for tone in _TONES)
_FIRST_HEAT = _TONES.index(HEAT[0])
_LESS, _SAME, _MORE = (_TONES.index(tone) for tone in (Tone.ROLLING, Tone.PADDING, Tone.OVER))


def _labels(drawing: Drawing, metric: Metric, changes: Mapping[int, float]) -> tuple[str, ...]:
    """What stands on the nodes: the kind, or what is more and what is less."""
    if metric is not Metric.DIFFERENCE:
        return tuple(node.label for node in drawing.nodes)
    return tuple(
        f"{round(changes[node.op]):+,}" if node.op is not None and changes.get(node.op) else ""
        for node in drawing.nodes
    )


def _change_ink(change: float | None) -> int:
    if change is None:
        return _SAME
    return _MORE if change > 0 else _LESS if change < 0 else _SAME


def _inks(
    drawing: Drawing, answer: Answer, metric: Metric, changes: Mapping[int, float]
) -> npt.NDArray[np.uint8]:
    if metric is Metric.DIFFERENCE:
        found = (None if node.op is None else changes.get(node.op) for node in drawing.nodes)
        return np.array([_change_ink(change) for change in found], dtype=np.uint8)
    if metric is Metric.KIND:
        graph = answer.scheduled.run.graph
        return np.array([_kind_ink(graph, node) for node in drawing.nodes], dtype=np.uint8)
    values = metric_values(drawing, answer, metric)
    most = max((value for value in values if value is not None), default=0.0)
    return np.array([_heat_ink(value, most) for value in values], dtype=np.uint8)


def _kind_ink(graph: NpuGraph, node: Node) -> int:
    if node.op is None:
        return 3
    kind = graph.ops[node.op].kind
    if kind.unit is Unit.DMA:
        return 2
    return 1 if kind.is_elementwise else 0


def _heat_ink(value: float | None, most: float) -> int:
    if value is None:
        return 3
    if most <= 0:
        return _FIRST_HEAT
    return _FIRST_HEAT + min(int(value / most * len(HEAT)), len(HEAT) - 1)


def metric_values(drawing: Drawing, answer: Answer, metric: Metric) -> tuple[float | None, ...]:
    """The metric of each node; None for operators on the CPU, for which there is no estimate."""
    value = _METRICS[metric]
    return tuple(None if node.op is None else value(answer, node.op) for node in drawing.nodes)


def _moved(answer: Answer, op: NpuOpId, *, is_sram: bool) -> float:
    cost = answer.scheduled.costs[op]
    return sum(cost.moved_bytes(area) for area in Area if (area is Area.SRAM) == is_sram)


def _weight_bytes(answer: Answer, op: NpuOpId) -> float:
    plan = answer.scheduled.schedule.ops[op].weights
    return 0.0 if plan is None else float(plan.stream_bytes)


def _live(answer: Answer, op: NpuOpId) -> float:
    for island in answer.scheduled.schedule.islands:
        if any(each.op == op for each in island.ops):
            return float(island.snapshot[answer.scheduled.schedule.ops[op].time])
    return 0.0


def _utilisation(answer: Answer, op: NpuOpId) -> float:
    cost = answer.scheduled.costs[op]
    accelerator = answer.scheduled.target.accelerator
    possible = cost.total_cycles * accelerator.macs_per_cycle
    return cost.macs / possible if possible else 0.0


_METRICS: dict[Metric, Callable[[Answer, NpuOpId], float]] = {
    Metric.CYCLES: lambda answer, op: float(answer.scheduled.costs[op].total_cycles),
    Metric.SRAM_LIVE: _live,
    Metric.MOVED_SRAM: lambda answer, op: _moved(answer, op, is_sram=True),
    Metric.MOVED_OTHER: lambda answer, op: _moved(answer, op, is_sram=False),
    Metric.WEIGHTS: _weight_bytes,
    Metric.UTILISATION: _utilisation,
}


def hulls(drawing: Drawing, answer: Answer) -> tuple[Hull, ...]:
    """Boxes around cascades; a cascade that reaches into the next column has two."""
    by_op = {node.op: place for place, node in enumerate(drawing.nodes) if node.op is not None}
    found: list[Hull] = []
    numbers = answer.scheduled.cascade_numbers()
    for island in answer.scheduled.schedule.islands:
        for position, cascade in enumerate(island.cascades):
            reference = CascadeRef(island.island, position)
            points = [drawing.place(place) for place in sorted(by_op[op] for op in cascade.ops)]
            start = 0
            for at in range(1, len(points) + 1):
                # y falls along a cascade, and jumps back up where the next column begins.
                if at == len(points) or points[at].y > points[at - 1].y:
                    found.append(
                        _hull(reference, numbers[island.island, position], points[start:at])
                    )
                    start = at
    return tuple(found)


def _hull(cascade: CascadeRef, number: int, points: list[Point]) -> Hull:
    return Hull(
        cascade,
        number,
        min(point.x for point in points) - NODE_WIDTH / 2 - _HULL_MARGIN,
        max(point.x for point in points) + NODE_WIDTH / 2 + _HULL_MARGIN,
        min(point.y for point in points) - NODE_HEIGHT / 2 - _HULL_MARGIN_ABOVE,
        max(point.y for point in points) + NODE_HEIGHT / 2 + _HULL_MARGIN_ABOVE,
    )
