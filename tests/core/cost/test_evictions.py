"""What evictions cost, held against schedules in which they did not happen."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import schedules, targets
from core.base.frozen import replace
from core.cost.evictions import eviction_costs
from core.cost.island import schedule_cost
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.ir.cost import Purpose
from core.ir.options import Options, Search
from core.ir.schedule import MapPlan
from core.ir.scheduled import Scheduled
from core.target.region import Region
from tests.core.schedule.random_cases import SHORT_CASES, TARGETS, Case, scheduled
from tests.effort import some_of
from tests.remembered import remembered

DIRECT, COMPATIBLE = Options(), Options(search=Search.COMPATIBLE)
EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"


@remembered
def example(name: str, limit_kib: int = 64, options: Options = DIRECT) -> Scheduled:
    target = targets.resolve_target(
        "ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram", arena_cache_size=limit_kib << 10
    )
    return schedules.schedule((EXAMPLES / f"{name}.tflite").read_bytes(), target, options)


def check(done: Scheduled) -> int:
    """What holds for all costs of evictions; their number."""
    graph, schedule = done.run.graph, done.schedule
    prices = StripePrices(graph, CostModel(done.target))
    found = eviction_costs(done)
    places = [(each.island, at) for each in schedule.islands for at in range(len(each.evicted))]
    assert [(each.island, each.position) for each in found] == places
    for each in found:
        island = schedule.islands[each.island]
        evicted = island.evicted[each.position]
        maps: list[MapPlan] = list(schedule.maps)
        for fm in evicted.fms:
            assert maps[fm].region is Region.SCRATCH
            maps[fm] = replace(maps[fm], region=Region.SCRATCH_FAST)
        costs, total = schedule_cost(prices, replace(schedule, maps=tuple(maps)), done.layout)
        assert each.cycles == pytest.approx(done.total.total_cycles - total.total_cycles, abs=1e-3)
        slow = done.target.arena.area
        saved = [
            now.traffic_of(slow) - then.traffic_of(slow)
            for now, then in zip(map(Moved, done.costs), map(Moved, costs), strict=True)
        ]
        assert each.traffic_bytes == pytest.approx(math.fsum(saved), abs=1e-3)
        live = island.snapshot[evicted.start_time : evicted.end_time + 1]
        assert each.live_with_it_bytes == max(live) + evicted.size_bytes
        assert each.live_with_it_bytes >= evicted.size_bytes
    return len(found)


class Moved:
    def __init__(self, cost) -> None:
        self.cost = cost

    def traffic_of(self, area) -> float:
        return math.fsum(
            part.size_bytes
            for part in self.cost.traffic
            if part.area is area and part.purpose is Purpose.FEATURE_MAP
        )


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.tflite")), ids=lambda file: file.stem)
def test_examples(file):
    check(example(file.stem))


def test_the_examples_have_evictions():
    assert check(example("unet_128")) > 1
    assert check(example("unet_128", 4096)) == 0


@pytest.mark.long
@settings(max_examples=some_of(8))
@given(SHORT_CASES, st.sampled_from([names for names in TARGETS if names[2] == "Dedicated_Sram"]))
def test_random_schedules(case: Case, target: tuple[str, str, str]) -> None:
    """Where maps can leave fast storage at all."""
    check(scheduled(case._replace(target=target)))


def test_a_map_stays_at_the_limit_that_is_told():
    """The smallest schedule of them all is the same there, but for the map that stays."""
    done = example("camera_and_motion", 48, COMPATIBLE)
    (cost,) = eviction_costs(done)
    (evicted,) = done.schedule.islands[0].evicted
    limit = cost.live_with_it_bytes
    model = (EXAMPLES / "camera_and_motion.tflite").read_bytes()
    there = schedules.schedule(model, done.target.with_limit(limit), COMPATIBLE)
    assert not there.schedule.islands[0].evicted
    assert there.schedule.maps[evicted.fms[0]].region is Region.SCRATCH_FAST
    saved = done.total.total_cycles - there.total.total_cycles
    # Blocks that suit where the map is now save a little more.
    assert saved == pytest.approx(cost.cycles, rel=0.02)
    below = schedules.schedule(model, done.target.with_limit(limit - 16), COMPATIBLE)
    assert below.schedule.islands[0].evicted
