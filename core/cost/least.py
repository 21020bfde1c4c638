"""Cycles that no schedule of a network does without, whatever its blocks, stripes and buffers.

Each operator multiplies for its outputs and makes them, in blocks that lose nothing at their edges,
and writes them to the faster of its memories. Nothing waits, and weights come by themselves, as
nobody knows how small they can be encoded: a network that waits for its weights takes far longer.
"""

from __future__ import annotations

import math

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.cost.formulas import least_cycles
from core.cost.from_graph import Place, block_query, whole
from core.cost.model import CostModel
from core.ir.npugraph import NpuGraph, NpuOp
from core.target.format import Format
from core.target.target import Target
from core.target.unit import Unit


def least_cycles_of(graph: NpuGraph, target: Target) -> float:
    """The sum over all operators, which run one after the other."""
    model = CostModel(target)
    return math.fsum(_of_operator(model, graph, op) for op in graph.ops)


def _of_operator(model: CostModel, graph: NpuGraph, op: NpuOp) -> float:
    block = model.block(block_query(graph, op, whole(op)))
    if block is None or op.kind.unit is Unit.DMA:
        # A copy may be in place.
        return 0.0
    places = tuple(Place(model.target.fast.area, Format.LINEAR) for _ in op.views)
    work = model.work(graph, op, block, places, model.target.permanent.area)
    made = op.ofm.touched
    box = Shape4(1, made.h, made.w, made.c)
    own = least_cycles(model.rates, replace(work, ofm=replace(work.ofm, shape=box)))
    rates = (model.rates.areas[area] for area in (model.target.fast.area, model.target.arena.area))
    written = box.elements * work.ofm.element_bytes / max(rate.bytes_per_cycle for rate in rates)
    return max(own, written) + model.rates.dispatch.operation_cycles
