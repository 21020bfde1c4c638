"""Schedules of the ecosystem's compiler, told by our reports, read as its own files do."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from core.report import schedule_json
from tests.core.lower.test_like_the_peer import comparison
from tests.core.report.peer_material import material_of
from tests.peer import FINISHED, SAMPLE, load, name_of

NAMES = {"name", "tensors"}
"""Lowering gives feature maps names of its own."""


def differences(peer: Any, ours: Any, where: str) -> list[str]:
    """Where the first value says something that the second does not."""
    if isinstance(peer, dict):
        missing = [f"{where}.{key} is missing" for key in peer if key not in ours]
        both = [key for key in peer if key in ours and key not in NAMES]
        return missing + [
            line for key in both for line in differences(peer[key], ours[key], f"{where}.{key}")
        ]
    if isinstance(peer, list) and len(peer) == len(ours):
        pairs = enumerate(zip(peer, ours, strict=True))
        return [line for at, (a, b) in pairs for line in differences(a, b, f"{where}[{at}]")]
    return [] if peer == ours else [f"{where}: {peer} there, {ours} here"]


def of_its_own(part: dict[str, Any]) -> dict[str, Any]:
    """A schedule without its name, and without what other islands have live before it."""
    start = part["ops"][0]["time_index"]
    live = part["memory_snapshot"][start:]
    return part | {"label": "", "memory_snapshot": live, "fast_storage_peak_usage": max(live)}


def unknown_columns(peer: dict[str, Any]) -> set[str]:
    """Columns that cannot be found from what else such a file says."""
    ops = [op for part in peer["schedules"] for op in part["ops"]]
    names: set[str] = set()
    if any(len(op["depth_slices"]) > 2 for op in ops):
        names |= {"cycles_npu", "cycles_total", "inference_time", "inferences_per_second"}
        names |= {"nn_tops"}
    if "lstm" in peer["model"]:
        # Where a time step repeats weights, scales are counted by the width of the bias.
        names |= {name for name in peer["summary"] if "weight_read" in name or "total" in name}
        names |= {"inference_time", "inferences_per_second", "nn_tops"}
        names |= {name for name in peer["summary"] if "access" in name}
    if peer["summary"]["memory_mode"] == "Sram_Only":
        # Constants in the arena's SRAM take the place of a flash that nothing uses.
        names.add("off_chip_flash_bandwidth")
    return names


def different_columns(peer: dict[str, Any], ours: dict[str, str]) -> list[str]:
    summary = peer["summary"]
    assert [*summary, "cycles_ecosystem"] == list(ours)
    return [
        f"{key}: {summary[key]} there, {ours[key]} here"
        for key in summary.keys() - unknown_columns(peer)
        if not same_cell(summary[key], ours[key])
    ]


def same_cell(there: str, here: str) -> bool:
    try:
        return math.isclose(float(there), float(here), rel_tol=1e-9)
    except ValueError:
        return there == here


def check(path: Path) -> None:
    peer = load(path)
    ours = schedule_json.describe(material_of(path))
    for name, same, total in comparison().exact_rows(peer, ours, verbose=False):
        assert same == total, name
    assert different_columns(peer, ours["summary"]) == []
    assert set(peer) <= set(ours)
    for key in ("model", "sram_limit", "cpu_ops"):
        assert peer[key] == ours[key]
    kept = [a for a in peer["allocations"] if a["mem_types"] != ["Permanent_NPU"]]
    assert differences(kept, ours["allocations"], "allocations") == []
    parts = zip(peer["schedules"], ours["schedules"], strict=True)
    for there, here in parts:
        assert differences(of_its_own(there), of_its_own(here), there["subgraph"])[:5] == []


@pytest.mark.long
@pytest.mark.parametrize("path", [s for s in FINISHED if name_of(s) in SAMPLE], ids=name_of)
def test_a_schedule_is_told_alike(path):
    check(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", FINISHED, ids=name_of)
def test_all_schedules_are_told_alike(path):
    check(path)
