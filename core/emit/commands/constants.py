"""The bytes that do not change, each where the memory layout has put it."""

from __future__ import annotations

import numpy as np

from core.base.ids import NpuOpId
from core.emit.commands.run import StreamOf
from core.ir.constdata import ConstData
from core.ir.layout import MemoryLayout, Placement, Purpose
from core.ir.npugraph import NpuGraph
from core.ir.schedule import OpPlan, Schedule
from core.target.region import Region


def constants(
    graph: NpuGraph, schedule: Schedule, layout: MemoryLayout, stream_of: StreamOf
) -> bytes:
    """Weights, tables and maps that the accelerator reads."""
    area = next(area for area in layout.areas if Region.PERMANENT_NPU in area.regions)
    image, plans = bytearray(area.height_bytes), {plan.op: plan for plan in schedule.ops}
    for item in area.placements:
        data = _bytes(graph, plans, item, stream_of)
        image[item.address : item.address + len(data)] = data
    return bytes(image)


def _bytes(
    graph: NpuGraph, plans: dict[NpuOpId, OpPlan], item: Placement, stream_of: StreamOf
) -> bytes:
    data: ConstData | None = None
    if item.op is None:
        data = graph.feature_maps[item.fms[0]].data
    elif item.purpose is Purpose.WEIGHTS:
        data = stream_of(plans[item.op]).data
    else:
        activation = graph.ops[item.op].activation
        data = None if activation is None else activation.table
    return b"" if data is None else np.ascontiguousarray(data.array).tobytes()
