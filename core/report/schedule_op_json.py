"""One scheduled operator as JSON."""

from __future__ import annotations

from typing import Any

from core.base.geometry import Block, Shape4
from core.ir.npugraph import View
from core.ir.schedule import IslandSchedule, OpPlan
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import ACCUMULATORS
from core.report.inspect_json import describe_op
from core.report.places import Places, address_of
from core.target.block import BlockConfig
from core.target.region import memory_of

Json = dict[str, Any]


def describe_plan(material: Scheduled, places: Places, island: IslandSchedule, index: int) -> Json:
    """All that is known of the operator that an island runs in this position."""
    plan = island.ops[index]
    op = material.op(plan)
    described = describe_op(material.graph, op, index)
    for role, view in (("ifm", op.ifm), ("ifm2", op.ifm2), ("ofm", op.ofm)):
        if view is not None:
            described["feature_maps"][role] |= _place(material, places, view)
    return {
        **described,
        **_block(plan.block),
        "stripe": list(plan.stripe.ofm),
        "stripe_input": list(plan.stripe.ifm),
        "stripe_input2": None if plan.stripe.ifm2 is None else list(plan.stripe.ifm2),
        "cascade": 0 if plan.cascade is None else cascade_key(island, plan.cascade),
        "time_index": material.layout.op_times[plan.op],
        **_weights(plan, places, op.ofm.shape.c),
        "weights_address": address_of(places.streams.get(op.id)),
        "table_address": address_of(places.tables.get(op.id)),
        "op_cycles": plan.cycles,
        "op_macs": plan.macs,
        "slack_buffering_cycles": plan.slack_cycles,
        "slack_buffering_memory": plan.slack_bytes,
        "cost": _cost(material, plan),
    }


def cascade_key(island: IslandSchedule, cascade: int) -> int:
    """What the ecosystem calls a cascade: the position of its last operator in the island."""
    return positions(island)[island.cascades[cascade].ops[-1]]


def positions(island: IslandSchedule) -> dict[int, int]:
    """By operator, its position in its island."""
    return {plan.op: position for position, plan in enumerate(island.ops)}


def _place(material: Scheduled, places: Places, view: View) -> Json:
    plan = material.map_plan(view)
    return {
        "format": plan.format.value,
        "mem_area": memory_of(material.target, plan.region).area.value,
        "mem_type": plan.region.value,
        "rolling": None if plan.rolling is None else list(plan.rolling),
        "address": address_of(places.maps.get(view.fm)),
    }


def _block(block: BlockConfig) -> Json:
    ofm, ifm = block.ofm_block, block.ifm_block
    return {
        "block_config": [ofm.h, ofm.w, ifm.c, ofm.c],
        "ifm_block": list(_box(ifm)),
        "ofm_block": list(_box(ofm)),
        "acc_type": ACCUMULATORS[block.accumulator],
        "is_partkernel": block.is_part_kernel,
    }


def _box(block: Block) -> Shape4:
    return Shape4(1, *block)


def _weights(plan: OpPlan, places: Places, depth: int) -> Json:
    weights = plan.weights
    if weights is None:
        return {
            "depth_slices": [0, depth],
            "encoded_weight_bytes": None,
            "weight_buffers": [],
            "full_weight_transfer_cycles": 0,
        }
    purpose = "DoubleBuffer" if weights.is_double_buffered else "Standard"
    return {
        "depth_slices": list(weights.depth_slices),
        "encoded_weight_bytes": weights.stream_bytes,
        "weight_buffers": [
            {
                "bytes": size,
                "sub_purpose": purpose,
                "pre_buffer": weights.is_prefetched and number == 0,
                "address": address_of(places.buffers.get((plan.op, number))),
            }
            for number, size in enumerate(weights.buffer_bytes)
        ],
        "full_weight_transfer_cycles": weights.transfer_cycles,
        "slice_bytes": list(weights.slice_bytes),
        "encoding": weights.encoding,
    }


def _cost(material: Scheduled, plan: OpPlan) -> Json:
    cost = material.cost(plan)
    return {
        "npu_cycles": cost.npu_cycles,
        "sram_cycles": cost.sram_cycles,
        "dram_cycles": cost.dram_cycles,
        "on_chip_flash_cycles": cost.on_chip_flash_cycles,
        "off_chip_flash_cycles": cost.off_chip_flash_cycles,
        "total_cycles": cost.total_cycles,
        "bound": cost.bound.value,
        "limit": cost.limit.value,
    }
