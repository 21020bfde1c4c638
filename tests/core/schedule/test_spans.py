"""The memory below which no schedule is: none that either engine finds, and often it is reached."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings

from core.api import networks, reasons
from core.base.frozen import replace
from core.base.geometry import Kernel
from core.ir.decisions import SmallestMemory
from core.ir.freedoms import NONE
from core.ir.layout import AreaLayout
from core.ir.options import Engine, Options, Search
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.schedule.least import least_memory
from core.schedule.spans import handed_on
from core.target.resolve import resolve
from tests.core.schedule.random_cases import CASES, Case, bench, target_of
from tests.core.schedule.sketch import Sketch
from tests.core.schedule.sketch import bench as bench_of

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
SHARED = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
WINDOW = Kernel(h=3, w=3)


def fast(done: Scheduled) -> AreaLayout:
    return done.layout.fast_area


@cache
def workbench(name: str, search: Search) -> Workbench:
    data = (EXAMPLES / f"{name}.tflite").read_bytes()
    return Workbench(networks.run(data, SHARED, Options(search=search)))


def below(
    name: str, engine: Engine, limit_bytes: int = 0, search: Search = Search.DIRECT
) -> Scheduled:
    options = Options(engine=engine, search=search)
    return workbench(name, search).schedule(SHARED.with_limit(limit_bytes), options)


@pytest.mark.parametrize("engine", Engine, ids=lambda each: each.value)
@pytest.mark.parametrize(
    ("name", "limit_bytes", "search"),
    [
        # An encoder's maps wait for the decoder; across branches they could, and do not, roll.
        ("unet_128", 100 << 10, Search.COMPATIBLE),
        # What is least in any order is 16 bytes less, and no order has it.
        ("camera_and_motion", 0, Search.COMPATIBLE),
    ],
)
def test_where_neither_engine_fits_no_schedule_could(name, limit_bytes, search, engine):
    done = below(name, engine, limit_bytes, search)
    assert fast(done).excess_bytes
    assert reasons.least_bytes(done, fast(done)) == fast(done).height_bytes


@pytest.mark.parametrize("engine", Engine, ids=lambda each: each.value)
@pytest.mark.parametrize("name", ["resnet8", "residual_tower", "shuffle_with_cpu", "kws_dscnn"])
def test_no_schedule_is_below_it(name, engine):
    done = below(name, engine)
    assert 0 < reasons.least_bytes(done, fast(done)) <= fast(done).height_bytes


@pytest.mark.long
@settings(max_examples=40)
@given(case=CASES)
def test_no_schedule_of_a_random_network_is_below_it(case: Case):
    table = bench(case._replace(steps=min(case.steps, 15)))
    for engine in Engine:
        target = target_of(case).with_limit(0)
        done = table.schedule(target, replace(case.options, engine=engine))
        area = fast(done)
        assert reasons.least_bytes(done, area) <= area.lower_bound_bytes
        if target.is_spilling:
            assert reasons.least_bytes(done, area) == 0


def test_what_waits_for_a_later_operator_counts_beside_those_before_it():
    """A sum does not run in stripes: the skip, the other input and the output exist at once."""
    s = Sketch()
    first = s.conv(s.input((1, 16, 16, 16)), 16, WINDOW)
    third = s.conv(s.conv(first, 16, WINDOW), 16, WINDOW)
    problem = bench_of(s.build(s.add(first, third)), SHARED, NONE).problem
    record = least_memory(problem, handed_on(problem), NONE)
    assert record == SmallestMemory(island=record.island, size_bytes=3 * 16**3, op=3)
    assert record.size_bytes > problem.smallest_bytes
