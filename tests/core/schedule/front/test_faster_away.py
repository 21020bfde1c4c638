"""A map stays out of fast storage where it costs cycles there, though it has room."""

from __future__ import annotations

import pytest

from core.api import networks
from core.base.ids import FmId
from core.edits.names import Names
from core.ir.decisions import Fate, MapPlaced
from core.ir.edits import Edit, Living, What
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.target.region import Region
from core.target.resolve import resolve
from tests.shared import need

TARGET = resolve("ethos-u65-512", "Ethos_U65_High_End", "Dedicated_Sram")
LIMITS = [1_531_165, 3_062_330, 20_000_000]


@pytest.fixture(scope="module")
def bench() -> Workbench:
    model = need("models/deeplabv3_mnv2_dm05_pascal_quant.tflite").read_bytes()
    return Workbench(networks.run(model, TARGET, Options()))


def away(scheduled: Scheduled) -> list[FmId]:
    return [
        fm
        for record in scheduled.schedule.decisions
        if isinstance(record, MapPlaced) and record.reason is Fate.FASTER_AWAY
        for fm in record.fms
    ]


def test_what_is_only_copied_out_is_made_where_it_ends(bench: Workbench):
    found = bench.schedule(TARGET.with_limit(LIMITS[-1]), Options())
    (copied,) = away(found)
    (reader,) = [op for op in found.graph.ops if op.ifm.fm == copied]
    assert found.schedule.maps[copied].region is Region.SCRATCH
    assert found.costs[reader.id].total_cycles == 0
    near = Edit(subject=Names.of(found.graph).maps[copied], what=What.REGION, value=Living.FAST)
    asked = bench.schedule(TARGET.with_limit(LIMITS[-1]), Options(edits=(near,)))
    assert asked.schedule.maps[copied].region is Region.SCRATCH_FAST
    assert asked.total.total_cycles > 1.03 * found.total.total_cycles


def test_more_room_for_such_maps_makes_nothing_slower(bench: Workbench):
    cycles = [
        bench.schedule(TARGET.with_limit(limit), Options()).total.total_cycles for limit in LIMITS
    ]
    assert cycles == sorted(cycles, reverse=True)
