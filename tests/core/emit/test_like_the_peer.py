"""Models that another compiler compiles on the spot, beside what it says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.base.geometry import ceil_div
from core.pipeline.compiled import Opened, open_compiled
from core.target.resolve import resolve
from tests.core.emit.streams import assemble, disassemble
from tests.core.peer import NEEDS_PEER, compiled_by_peer

pytestmark = NEEDS_PEER

SCHEDULES = (
    "u55-128-shared-256k/kws_dscnn_int8",
    "u55-256-shared-size/person_detect",
    "u55-32-shared-64k/vww_96_int8",
    "u65-256-dedicated-384k/deeplabv3_mnv2_dm05_pascal_quant",
    "u65-512-dedicated-128k/mobilenet_v2_1.0_224_quant",
)


@pytest.fixture(params=SCHEDULES)
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[dict[str, Any], Opened]:
    """What the peer says of a model, and what its file says."""
    made = compiled_by_peer(request.param, tmp_path)
    opened = open_compiled(made.compiled.read_bytes(), lambda found: resolve(found.name))
    assert opened is not None
    return made.report, opened


def operations_of(op: dict[str, Any]) -> int:
    """How many operations a scheduled operator becomes."""
    height = op["feature_maps"]["ofm"]["shape"][1]
    stripes = ceil_div(height, op["stripe"][1]) if op["cascade"] else 1
    return stripes * max(len(op["depth_slices"]) - 1, 1)


def test_streams_are_what_schedules_say(pair: tuple[dict[str, Any], Opened]):
    said, opened = pair
    assert all(study.part.stream.problem is None for study in opened.studies)
    for schedule, study in zip(said["schedules"], opened.studies, strict=True):
        # A copy is a transfer.
        ops = [op for op in schedule["ops"] if op["type"] != "Memcpy"]
        assert len(study.part.stream.operations) == sum(map(operations_of, ops))
        cascades = sorted(schedule["cascades"], key=lambda item: item["start"])
        assert [len(found.layers) for found in study.structure.cascades] == [
            item["end"] - item["start"] + 1 for item in cascades
        ]


def test_live_ranges_are_inside_what_was_allocated(pair: tuple[dict[str, Any], Opened]):
    said, opened = pair
    allocated = [
        (found["address"], found["address"] + found["bytes"])
        for area in said["allocations"]
        for found in area["live_ranges"]
        if found["address"] is not None
    ]
    for study in opened.studies:
        for life in study.lives:
            end = life.address + life.size_bytes
            assert any(low <= life.address and end <= high for low, high in allocated)


def test_register_effects_survive(pair: tuple[dict[str, Any], Opened]):
    for study in pair[1].studies:
        part = study.part
        words = assemble(part.stream, part.accelerator)
        assert disassemble(words) == part.stream
        assert len(words) <= part.stream.size_words
