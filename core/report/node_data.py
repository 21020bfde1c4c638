"""Figures by source operator, as node data that Model Explorer lays over the network.

A file has one quantity for the network's main graph. Its keys are names of tensors, by which the
viewer finds the operators that make them: an operator has the figure of its first output. Where
two tensors have one name, neither is a key, since the viewer would mean the last of them.
"""

from __future__ import annotations

import enum
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from core.base.ids import OpId, SubgraphId
from core.ir.npugraph import NpuOp, SourceFate
from core.ir.schedule import OpPlan
from core.ir.scheduled import Scheduled

_MAIN = SubgraphId(0)
_GRADIENT = (("#ffffff", "#1f1f1f"), ("#f6c26b", "#1f1f1f"), ("#b3261e", "#ffffff"))


class Quantity(enum.Enum):
    """What a file of node data tells of each operator; the value names the file."""

    CYCLES = "cycles"
    MOVED = "bytes-moved"
    LIVE = "bytes-live"
    PLACEMENT = "placement"


_TITLES = {
    Quantity.CYCLES: "Cycles",
    Quantity.MOVED: "Bytes moved",
    Quantity.LIVE: "Bytes of fast storage in use",
    Quantity.PLACEMENT: "Placement",
}
_PLACES = {
    SourceFate.NPU: ("NPU", "#1a7f37"),
    SourceFate.FUSED: ("NPU, in another operator", "#8fd0a3"),
    SourceFate.CPU: ("CPU", "#b3261e"),
    SourceFate.REMOVED: ("nothing to compute", "#d8dde3"),
}


def node_data(material: Scheduled, quantity: Quantity) -> dict[str, Any]:
    """Node data of one quantity, as JSON.

    What an operator of the accelerator costs is told where its arithmetic comes from, so that
    nothing is counted twice. The CPU's operators have a placement only: they have no estimate.
    """
    if quantity is Quantity.PLACEMENT:
        found = _placements(material)
        return {
            "name": _TITLES[quantity],
            "results": _by_tensor(material, found),
            "showExpandedSummaryOnGroupNode": True,
            "showLabelCountColumnsInChildrenStatsTable": True,
        }
    figures = {op: {"value": value} for op, value in _FIGURES[quantity](material).items()}
    last = len(_GRADIENT) - 1
    return {
        "name": _TITLES[quantity],
        "results": _by_tensor(material, figures),
        "gradient": [
            {"stop": at / last, "bgColor": fill, "textColor": ink}
            for at, (fill, ink) in enumerate(_GRADIENT)
        ],
        # Live bytes of operators that follow each other are the same bytes.
        **({"hideAggregatedStats": ["sum"]} if quantity is Quantity.LIVE else {}),
    }


def _by_tensor(material: Scheduled, found: Mapping[OpId, dict[str, Any]]) -> dict[str, Any]:
    graph = material.network.main
    names = Counter(tensor.name for tensor in graph.tensors)
    results = {}
    for op, told in sorted(found.items()):
        outputs = graph.operators[op].outputs
        name = graph.tensors[outputs[0]].name if outputs else ""
        if name and names[name] == 1:
            results[name] = told
    return results


def _placements(material: Scheduled) -> dict[OpId, dict[str, Any]]:
    return {
        entry.op.op: {"value": _PLACES[entry.fate][0], "bgColor": _PLACES[entry.fate][1]}
        for entry in material.graph.lineage
        if entry.op.subgraph == _MAIN
    }


def _cycles(material: Scheduled) -> dict[OpId, float]:
    return _sums(material, lambda plan: float(material.cost(plan).total_cycles))


def _moved(material: Scheduled) -> dict[OpId, float]:
    return _sums(
        material, lambda plan: math.fsum(part.size_bytes for part in material.cost(plan).traffic)
    )


def _sums(material: Scheduled, figure: Callable[[OpPlan], float]) -> dict[OpId, float]:
    parts: dict[OpId, list[float]] = defaultdict(list)
    for plan in material.plans():
        op = _source(material.op(plan))
        if op is not None:
            parts[op].append(figure(plan))
    return {op: math.fsum(figures) for op, figures in parts.items()}


def _live(material: Scheduled) -> dict[OpId, float]:
    """The most that is live while one of an operator's parts runs."""
    most: dict[OpId, float] = {}
    for island in material.schedule.islands:
        for plan in island.ops:
            op = _source(material.op(plan))
            if op is not None and plan.time < len(island.snapshot):
                most[op] = max(most.get(op, 0), island.snapshot[plan.time])
    return most


def _source(op: NpuOp) -> OpId | None:
    """The operator of the main graph that gave this one its arithmetic, where there is one."""
    main = (ref.op for ref in op.sources[:1] if ref.subgraph == _MAIN)
    return next(main, None)


_FIGURES: Mapping[Quantity, Callable[[Scheduled], dict[OpId, float]]] = {
    Quantity.CYCLES: _cycles,
    Quantity.MOVED: _moved,
    Quantity.LIVE: _live,
}
