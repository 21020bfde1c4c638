"""A scheduled network as JSON.

The keys up to `summary` are those of the ecosystem's runs that schedules are compared with, and
texts there are the ecosystem's; `totals` has the same and more as numbers. Times are counted from
the start of the network, so that they can be held against the live ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.base.frozen import NamedTuple
from core.base.geometry import Block, Shape4
from core.base.ids import FmId, NpuOpId
from core.cost.ecosystem.of_schedule import ecosystem_estimate
from core.cost.roofline import Roofline, roofline_of
from core.ir import knobs
from core.ir.cost import EcosystemEstimate, OperatorCost, Term
from core.ir.decisions import Fate, MapPlaced
from core.ir.layout import AreaLayout, Placement
from core.ir.npugraph import View
from core.ir.options import Search
from core.ir.schedule import Cascade, Evicted, IslandSchedule, OpPlan
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.report.around import describe_around
from core.report.decisions_json import describe_decisions
from core.report.ecosystem_names import ACCUMULATORS, cpu_name, island_names
from core.report.edits import describe_edits
from core.report.front import describe_front
from core.report.inspect_json import describe_op, describe_target
from core.report.json_forms.stamp import stamp
from core.report.notes import describe_notes
from core.report.places import Places, address_of, places_of
from core.report.roofline import describe_roofs, describe_work
from core.report.summary import summary_row
from core.report.totals import describe_totals
from core.report.where import DEEDS, causes
from core.target.block import BlockConfig
from core.target.region import memory_of

Json = dict[str, Any]


class Known(NamedTuple):
    """What is worked out once for all operators."""

    places: Places
    ecosystem: EcosystemEstimate | None
    roofline: Roofline


def describe_plan(material: Scheduled, known: Known, island: IslandSchedule, index: int) -> Json:
    """All that is known of the operator that an island runs in this position."""
    places = known.places
    plan = island.ops[index]
    op = material.op(plan)
    described = describe_op(material.graph, op, index)
    for role, view in (("ifm", op.ifm), ("ifm2", op.ifm2), ("ofm", op.ofm)):
        if view is not None:
            described["feature_maps"][role] |= _place(material, places, view)
    return {
        **described,
        "number": op.id,
        **_block(plan.block),
        "stripe": list(plan.stripe.ofm),
        "stripe_input": list(plan.stripe.ifm),
        "stripe_input2": None if plan.stripe.ifm2 is None else list(plan.stripe.ifm2),
        "cascade": 0 if plan.cascade is None else cascade_key(island, plan.cascade),
        "time_index": material.layout.op_times[plan.op],
        **_weights(plan, places, op.made.c),
        "weights_address": address_of(places.streams.get(op.id)),
        "table_address": address_of(places.tables.get(op.id)),
        "op_cycles": plan.cycles,
        "op_macs": plan.macs,
        "slack_buffering_cycles": plan.slack_cycles if material.compiled_by is None else None,
        "slack_buffering_memory": plan.slack_bytes if material.compiled_by is None else None,
        "cost": _cost(material, plan, known),
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
                "lead_steps": 0 if number else weights.lead_steps,
                "address": address_of(places.buffers.get((plan.op, number))),
            }
            for number, size in enumerate(weights.buffer_bytes)
        ],
        "full_weight_transfer_cycles": weights.transfer_cycles,
        "slice_bytes": list(weights.slice_bytes),
        "encoding": weights.encoding,
    }


def _cost(material: Scheduled, plan: OpPlan, known: Known) -> Json:
    cost, ecosystem = material.cost(plan), known.ecosystem
    return {
        "npu_cycles": cost.npu_cycles,
        "sram_cycles": cost.sram_cycles,
        "dram_cycles": cost.dram_cycles,
        "on_chip_flash_cycles": cost.on_chip_flash_cycles,
        "off_chip_flash_cycles": cost.off_chip_flash_cycles,
        "total_cycles": cost.total_cycles,
        "bound": cost.bound.value,
        "limit": cost.limit.value,
        **_terms(cost),
        **describe_work(known.roofline, known.roofline.workloads[plan.op]),
        "ecosystem_cycles": None if ecosystem is None else ecosystem.cycles[plan.op],
    }


def _terms(cost: OperatorCost) -> Json:
    names = [_name(term) for term, _ in cost.ranked[:2]]
    return {
        "decides": names[0] if names else None,
        "next": names[1] if len(names) > 1 else None,
        "terms": {_name(term): cycles for term, cycles in zip(Term, cost.terms, strict=True)},
    }


def _name(term: Term) -> str:
    return term.name.lower()


def describe(material: Scheduled) -> Json:
    """Everything that `schedule` knows."""
    graph, schedule = material.graph, material.schedule
    names = island_names(material.network, graph)
    known = Known(places_of(material.layout), ecosystem_estimate(material), roofline_of(material))
    return {
        **stamp("schedule"),
        "model": material.name,
        "core": "reefpoint",
        "compiled_by": material.compiled_by,
        "options": list(_words(material)),
        "sram_limit": {
            names[island.island]: island.limit_bytes if material.compiled_by is None else None
            for island in schedule.islands
        },
        "allocations": [_allocation(material, area) for area in material.layout.areas],
        "schedules": [
            _island(material, known, island, names[island.island]) for island in schedule.islands
        ],
        "cpu_ops": [cpu_name(op.kind) for op in graph.cpu_ops],
        "summary": summary_row(material, known.ecosystem),
        "counts": counts(material),
        "where_time_goes": [
            {
                "decides": _name(cause.term),
                "operators": cause.operators,
                "cycles": cause.cycles,
                "share": cause.share,
                "what_to_do": DEEDS[cause.term],
            }
            for cause in causes(material)
        ],
        "roofline": describe_roofs(known.roofline),
        "totals": describe_totals(material, known.ecosystem),
        "target": describe_target(material.target, material.limit_bytes),
        "regions": [_region(material, area) for area in material.layout.areas],
        "front": describe_front(material),
        "decisions": describe_decisions(schedule.decisions),
        "warnings": list(graph.warnings),
        **({"edits": describe_edits(material)} if material.edits else {}),
        **({} if material.around is None else {"around": describe_around(material.around)}),
        **({"notes": describe_notes(material)} if material.notes else {}),
    }


def _words(material: Scheduled) -> Sequence[str]:
    """What asks for the same; of a compiled model no more than a target, as it is assumed."""
    if material.compiled_by is None:
        return knobs.command_line(Settings.of(material.target, material.options))
    words = {
        "--accelerator-config": material.target.accelerator.name,
        "--system-config": material.target.system.name,
        "--memory-mode": material.target.mode.name,
    }
    return [word for pair in words.items() for word in pair]


def counts(material: Scheduled) -> dict[str, int | None]:
    """How many there are of each, as the app counts them; the ecosystem counts passes."""
    graph, islands = material.graph, material.schedule.islands
    cascades = [cascade for island in islands for cascade in island.cascades]
    return {
        "npu_operators": len(graph.ops),
        "cpu_operators": len(graph.cpu_ops),
        "command_streams": len(graph.islands),
        "cascades": len(cascades),
        "cascaded_operators": sum(len(cascade.ops) for cascade in cascades),
        "evictions": material.evicted_maps,
    }


def _allocation(material: Scheduled, area: AreaLayout) -> Json:
    return {
        "mem_area": area.area.value,
        "mem_types": sorted(region.value for region in area.regions),
        "total": area.height_bytes,
        "live_ranges": [_live_range(material, placement) for placement in area.placements],
    }


def _live_range(material: Scheduled, placement: Placement) -> Json:
    names = [material.graph.feature_maps[fm].name for fm in placement.fms]
    return {
        "name": placement.name,
        "start": placement.start_time,
        "end": placement.end_time,
        "bytes": placement.size_bytes,
        "address": placement.address,
        "purpose": placement.purpose.value,
        "tensors": names or [placement.name],
        "mem_type": placement.region.value,
        "op": placement.op,
        "buffer": placement.buffer,
    }


def _region(material: Scheduled, area: AreaLayout) -> Json:
    return {
        "area": area.area.value,
        "regions": [region.value for region in area.regions],
        "required": area.height_bytes,
        "limit": area.limit_bytes,
        "excess": area.excess_bytes if material.compiled_by is None else None,
        "lower_bound": area.lower_bound_bytes,
        "is_proven_optimal": area.height_bytes == area.lower_bound_bytes,
    }


def _island(material: Scheduled, known: Known, island: IslandSchedule, name: str) -> Json:
    places = known.places
    start = material.start_time(island)
    return {
        "subgraph": name,
        "label": island.candidate.value,
        "fast_storage_peak_usage": island.peak_bytes,
        "memory_snapshot": list(material.snapshot_bytes(island)),
        "ops": [describe_plan(material, known, island, index) for index in range(len(island.ops))],
        "cascades": [
            _cascade(material, places, island, position, cascade)
            for position, cascade in enumerate(island.cascades)
        ],
        **_evictions(material, places, island, start),
    }


def _cascade(
    material: Scheduled, places: Places, island: IslandSchedule, position: int, cascade: Cascade
) -> Json:
    """A buffer is told by the operator behind the one that first makes its map: in a chain, that is
    the one that reads it."""
    place = positions(island)
    makers: dict[FmId, NpuOpId] = {}
    for op in cascade.ops:
        makers.setdefault(material.graph.ops[op].ofm.fm, op)
    readers = [(str(place[makers[buffer.fm]] + 1), buffer) for buffer in cascade.buffers]
    return {
        "key": cascade_key(island, position),
        "start": place[cascade.ops[0]],
        "end": place[cascade.ops[-1]],
        "mem_usage": cascade.size_bytes,
        "buffers": {reader: list(buffer.shape) for reader, buffer in readers},
        "buffer_bytes": {reader: buffer.size_bytes for reader, buffer in readers},
        "buffer_addresses": {
            reader: address_of(places.maps.get(buffer.fm)) for reader, buffer in readers
        },
        "overlays": [
            {
                "read": material.graph.feature_maps[overlay.given].name,
                "written": material.graph.feature_maps[overlay.made].name,
                "lead_bytes": overlay.lead_bytes,
            }
            for overlay in cascade.overlays
        ],
    }


def _evictions(material: Scheduled, places: Places, island: IslandSchedule, start: int) -> Json:
    """What is evicted, where that is known.

    To be held beside the ecosystem's, the compatible search tells what it counts there: no maps
    that cascades make.
    """
    if material.compiled_by is not None:
        return {}
    uncounted: set[FmId] = set()
    if material.options.search is Search.COMPATIBLE:
        for record in material.schedule.decisions:
            if isinstance(record, MapPlaced) and record.reason is Fate.CASCADED:
                uncounted.update(record.fms)
    told = (each for each in island.evicted if not uncounted.issuperset(each.fms))
    return {"evicted": [_evicted(material, places, each, start) for each in told]}


def _evicted(material: Scheduled, places: Places, evicted: Evicted, start: int) -> Json:
    names = [material.graph.feature_maps[fm].name for fm in evicted.fms]
    return {
        "name": names[0],
        "start": start + evicted.start_time,
        "end": start + evicted.end_time,
        "bytes": evicted.size_bytes,
        "address": address_of(places.maps.get(evicted.fms[0])),
        "tensors": names,
    }
