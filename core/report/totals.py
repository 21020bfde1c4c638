"""The figures of a scheduled network as numbers, whose names say their units."""

from __future__ import annotations

from typing import Any

from core.ir.cost import Direction, EcosystemEstimate, Purpose
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import AREA_COLUMNS
from core.report.summary import weight_sizes

Json = dict[str, Any]

PURPOSES = {
    Purpose.FEATURE_MAP: "feature_map",
    Purpose.WEIGHTS: "weight",
    Purpose.SCALES: "scale",
    Purpose.TABLE: "table",
    Purpose.COMMANDS: "commands",
}


def describe_totals(material: Scheduled, ecosystem: EcosystemEstimate | None) -> Json:
    """Cycles, bytes that are held and moved, and how many operators run where.

    What a compiled model does not tell is null: which of its constants are weights, its limits, and
    what could be in fast storage.
    """
    total, layout, islands = material.total, material.layout, material.schedule.islands
    sizes = weight_sizes(material)
    return {
        "total_cycles": total.total_cycles,
        "ecosystem_cycles": None if ecosystem is None else ecosystem.total_cycles,
        "npu_cycles": total.npu_cycles,
        "sram_cycles": total.sram_cycles,
        "dram_cycles": total.dram_cycles,
        "on_chip_flash_cycles": total.on_chip_flash_cycles,
        "off_chip_flash_cycles": total.off_chip_flash_cycles,
        "inference_seconds": total.seconds,
        "macs": total.macs,
        "fast_storage_bytes": material.fast_bytes,
        **{f"{name}_bytes": layout.used_bytes(area) for area, name in AREA_COLUMNS.items()},
        "excess_bytes": material.excess_bytes,
        "evicted_bytes": material.evicted_bytes,
        "evicted_maps": material.evicted_maps,
        "original_weight_bytes": None if sizes is None else sizes.original_bytes,
        "encoded_weight_bytes": None if sizes is None else sizes.encoded_bytes,
        **{f"{name}_moved_bytes": total.moved_bytes(area) for area, name in AREA_COLUMNS.items()},
        **{
            f"{name}_{what}_{direction.value}_bytes": total.moved_bytes(area, purpose, direction)
            for area, name in AREA_COLUMNS.items()
            for purpose, what in PURPOSES.items()
            for direction in Direction
        },
        "npu_operators": sum(len(island.ops) for island in islands),
        "cpu_operators": len(material.graph.cpu_ops),
        "command_streams": len(islands),
        "cascades": sum(len(island.cascades) for island in islands),
        "cascaded_operators": sum(
            len(cascade.ops) for island in islands for cascade in island.cascades
        ),
    }
