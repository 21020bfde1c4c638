"""What a selection means in the drawing of the network, and what a node tells."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from gui.document.answer import Answer
from gui.document.display import Display
from gui.document.selection import Selection
from gui.present import units
from gui.present.names import whole_name
from gui.present.network.picture import NODE_HEIGHT, Drawing, Metric, Node, metric_values


def edge_lines(drawing: Drawing, edges: Iterable[int]) -> npt.NDArray[np.float64]:
    """The straight pieces of some edges, from the foot of a node to the head of another."""
    rows = []
    for edge in edges:
        route = drawing.layering.routes[edge]
        first, *inner, last = route
        stops = [
            (first.x, first.y - NODE_HEIGHT / 2),
            *((point.x, point.y) for point in inner),
            (last.x, last.y + NODE_HEIGHT / 2),
        ]
        rows += [(*one, *other) for one, other in pairwise(stops)]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def selected_nodes(drawing: Drawing, answer: Answer, selection: Selection) -> frozenset[int]:
    """Nodes that the selection is about."""
    schedule = answer.scheduled.schedule
    if selection.cascade is not None:
        island = schedule.islands[selection.cascade.island]
        ops = set(island.cascades[selection.cascade.cascade].ops)
        return frozenset(i for i, node in enumerate(drawing.nodes) if node.op in ops)
    if selection.buffer is not None:
        return _node_of(drawing, Node(selection.buffer.op, None, ""))
    if selection.op is not None:
        ops = set(selection.ops)
        return frozenset(i for i, node in enumerate(drawing.nodes) if node.op in ops)
    if selection.cpu_op is not None:
        return _node_of(drawing, Node(None, selection.cpu_op, ""))
    if selection.fm is not None:
        return frozenset(
            end
            for edge in drawing.edges
            if edge.fm == selection.fm
            for end in (edge.source, edge.target)
        )
    return frozenset()


def selected_edges(drawing: Drawing, selection: Selection, nodes: frozenset[int]) -> list[int]:
    """Edges to mark: those of a map, or all that meet the one node that is selected."""
    if selection.fm is not None:
        return [i for i, edge in enumerate(drawing.edges) if edge.fm == selection.fm]
    if len(nodes) != 1:
        return []
    return [
        i for i, edge in enumerate(drawing.edges) if edge.source in nodes or edge.target in nodes
    ]


def _node_of(drawing: Drawing, wanted: Node) -> frozenset[int]:
    return frozenset(
        i
        for i, node in enumerate(drawing.nodes)
        if (node.op, node.cpu_op) == (wanted.op, wanted.cpu_op)
    )


def node_tip(answer: Answer, node: Node, display: Display) -> str:
    """What a node tells when the pointer rests on it."""
    graph = answer.scheduled.run.graph
    if node.op is None:
        assert node.cpu_op is not None
        cpu_op, title = graph.cpu_ops[node.cpu_op], graph.titles.cpu_ops[node.cpu_op]
        return f"{title}, on the CPU\n{whole_name(cpu_op.name)}"
    op, cost = graph.ops[node.op], answer.scheduled.costs[node.op]
    clock = answer.scheduled.target.system.core_clock_hz
    shape = "x".join(str(dim) for dim in op.ofm.touched)
    return (
        f"{graph.titles.op(node.op)}, {shape}\n"
        f"{units.time(cost.total_cycles, display.time_unit, clock)}, waits for {cost.bound.value}\n"
        f"{whole_name(op.name)}"
    )


def legend(drawing: Drawing, answer: Answer, metric: Metric, display: Display) -> str:
    """What the colours range over."""
    if metric is Metric.KIND:
        on_cpu = sum(node.op is None for node in drawing.nodes)
        on_npu = units.counted(len(drawing.nodes) - on_cpu, "NPU operator")
        return f"{on_npu}, {on_cpu} on the CPU"
    if metric is Metric.DIFFERENCE:
        return "faster than A, as fast, or slower, with the cycles that are more or less"
    values = [value for value in metric_values(drawing, answer, metric) if value is not None]
    if not values:
        return "nothing on the NPU"
    return f"from {_number(min(values), metric, answer, display)} to " + _number(
        max(values), metric, answer, display
    )


def _number(value: float, metric: Metric, answer: Answer, display: Display) -> str:
    if metric is Metric.CYCLES:
        return units.time(value, display.time_unit, answer.scheduled.target.system.core_clock_hz)
    if metric is Metric.UTILISATION:
        return units.share(value)
    return units.size(value, display.byte_unit)
