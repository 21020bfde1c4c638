"""The summary of a scheduled network: one row, by the column names of the ecosystem's reports.

Scripts read those reports as CSV, so every value is text. Memory is in KiB, bandwidth in GiB/s.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePath

from core.base.frozen import NamedTuple
from core.base.geometry import round_up
from core.cost.rates import Rates
from core.ir.cost import Direction, EcosystemEstimate, Purpose
from core.ir.schedule import WeightPlan
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import AREA_COLUMNS, AREA_TITLES
from core.report.words import KIB
from core.target.accelerator import Accelerator
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region, memory_of

_GIB = 1024**3
_TERA = 1e12
_OPERATIONS_OF_A_MAC = 2


def summary_row(material: Scheduled, ecosystem: EcosystemEstimate | None) -> dict[str, str | None]:
    """All columns in their order; the last one is no column of the ecosystem's."""
    return {
        **_identity(material),
        **_speed(material),
        **_passes(material),
        **_memory(material),
        **_traffic(material),
        **_work(material),
        "cycles_ecosystem": None if ecosystem is None else str(ecosystem.total_cycles),
    }


def _identity(material: Scheduled) -> dict[str, str | None]:
    target, limit = material.target, material.limit_bytes
    rates = Rates.of(target)
    gib_per_cycle = target.system.core_clock_hz / _GIB
    return {
        "experiment": "default",
        "network": PurePath(material.name).stem,
        "accelerator_configuration": target.accelerator.name.replace("-", "_").title(),
        "system_config": target.system.name,
        "memory_mode": target.mode.name,
        "core_clock": str(float(target.system.core_clock_hz)),
        "arena_cache_size": None if limit is None else str(limit / KIB),
        **{
            f"{name}_bandwidth": str(rates.areas[area].bytes_per_cycle * gib_per_cycle)
            for area, name in AREA_COLUMNS.items()
        },
        "weights_storage_area": AREA_TITLES[memory_of(target, Region.PERMANENT_NPU).area],
        "feature_map_storage_area": AREA_TITLES[memory_of(target, Region.SCRATCH).area],
    }


def _speed(material: Scheduled) -> dict[str, str]:
    return {
        "inferences_per_second": str(material.total.inferences_per_second),
        "batch_size": "1",
        "inference_time": str(material.total.seconds),
    }


def _passes(material: Scheduled) -> dict[str, str]:
    """Operators as the ecosystem counts them: on the CPU an island counts as one operator.

    Each subgraph and, before fusing, each island has one more, in which it begins.
    """
    graph = material.graph
    on_cpu = len(material.network.subgraphs) + len(graph.cpu_ops) + len(graph.islands)
    return {
        "passes_before_fusing": str(on_cpu + len(graph.islands) + len(graph.ops)),
        "passes_after_fusing": str(on_cpu),
    }


def _memory(material: Scheduled) -> dict[str, str | None]:
    """What each memory holds, without the command stream."""
    used = {
        f"{name}_memory_used": str(material.layout.used_bytes(area) / KIB)
        for area, name in AREA_COLUMNS.items()
    }
    sizes = weight_sizes(material)
    return {
        **used,
        "total_original_weights": None if sizes is None else str(sizes.original_bytes),
        "total_npu_encoded_weights": None if sizes is None else str(sizes.encoded_bytes),
    }


class WeightSizes(NamedTuple):
    """Bytes of all weights; those that are equal count once, and scales do not count."""

    original_bytes: int
    encoded_bytes: int


def weight_sizes(material: Scheduled) -> WeightSizes | None:
    """What the weights take in the model, and in their streams; None of a compiled model, which
    does not tell which of its constants are weights."""
    if material.compiled_by is not None:
        return None
    originals: dict[str, int] = {}
    encoded: dict[str, int] = {}
    for plan in material.plans():
        weights = material.op(plan).weights
        if weights is not None and plan.weights is not None:
            originals[weights.values.digest] = weights.values.size_bytes
            encoded[plan.weights.encoding] = weight_bytes(plan.weights, material.target.accelerator)
    return WeightSizes(sum(originals.values()), sum(encoded.values()))


def weight_bytes(weights: WeightPlan, accelerator: Accelerator) -> int:
    """Bytes of a stream without the scales; in each slice the cores share the channels."""
    cores, record_bytes = accelerator.cores, accelerator.family.weights.record.size_bytes
    scales = sum(
        round_up(len(range(core, end - start, cores)) * record_bytes, ALIGNMENT_BYTES)
        for start, end in pairwise(weights.depth_slices)
        for core in range(cores)
    )
    return weights.stream_bytes - scales


def _traffic(material: Scheduled) -> dict[str, str]:
    row = {}
    for area, name in AREA_COLUMNS.items():
        for what, purpose in (("feature_map", Purpose.FEATURE_MAP), ("weight", Purpose.WEIGHTS)):
            for direction in Direction:
                moved = material.total.moved_bytes(area, purpose, direction)
                row[f"{name}_{what}_{direction.value}_bytes"] = str(moved)
        row[f"{name}_total_bytes"] = str(material.total.moved_bytes(area))
    return row


def _work(material: Scheduled) -> dict[str, str]:
    total = material.total
    operations = total.macs * _OPERATIONS_OF_A_MAC
    return {
        "nn_macs": str(total.macs),
        "nn_tops": str(operations * total.inferences_per_second / _TERA),
        "cycles_npu": str(float(total.npu_cycles)),
        "cycles_sram_access": str(total.sram_cycles),
        "cycles_dram_access": str(total.dram_cycles),
        "cycles_on_chip_flash_access": str(total.on_chip_flash_cycles),
        "cycles_off_chip_flash_access": str(total.off_chip_flash_cycles),
        "cycles_total": str(total.total_cycles),
    }
