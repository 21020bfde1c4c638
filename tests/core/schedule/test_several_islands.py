"""Islands that share one memory with each other and with the CPU."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.geometry import Kernel
from core.ir.decisions import RoomGiven
from core.ir.npugraph import NpuGraph
from core.ir.options import Options, Strategy
from core.ir.schedule import Schedule
from tests.core.schedule.sketch import DEDICATED, SHARED, Sketch, scheduled

WINDOW = Kernel(h=3, w=3)
MAP_BYTES = 24 * 24 * 16


def between_cpu(cpu_maps: int) -> NpuGraph:
    """A chain, an operator of the CPU that needs so many maps at once, and a chain once more."""
    s = Sketch()
    value = s.input((1, 24, 24, 16))
    for _ in range(3):
        value = s.conv(value, 16, WINDOW)
    made = tuple(s.map((1, 24, 24, 16)) for _ in range(cpu_maps - 1))
    s.cpu((value,), made)
    value = made[0]
    for _ in range(3):
        value = s.conv(value, 16, WINDOW)
    return s.build(value, *made[1:])


def passed_by() -> NpuGraph:
    """A map that is made before a chain and read by the CPU after it."""
    s = Sketch()
    aside = s.conv(s.input((1, 24, 24, 16)), 16, WINDOW)
    waiting = s.map((1, 24, 24, 16))
    s.cpu((aside,), (waiting,))
    value = aside
    for _ in range(3):
        value = s.conv(value, 16, WINDOW)
    made = s.map((1, 24, 24, 16))
    s.cpu((value, waiting), (made,))
    return s.build(made)


def records(schedule: Schedule) -> list[RoomGiven]:
    return [each for each in schedule.decisions if isinstance(each, RoomGiven)]


def test_what_the_cpu_needs_is_there_for_all():
    graph = between_cpu(cpu_maps=4)
    below, enough = (scheduled(graph, SHARED, limit) for limit in (1, 4 * MAP_BYTES))
    assert below.islands == enough.islands
    assert max(island.peak_bytes for island in below.islands) <= 4 * MAP_BYTES
    assert records(below) == [RoomGiven(size_bytes=4 * MAP_BYTES, limit_bytes=1)]
    assert records(enough) == []


def test_size_takes_what_costs_nothing():
    graph = between_cpu(cpu_maps=4)
    options = Options(strategy=Strategy.SIZE)
    assert scheduled(graph, SHARED, 1 << 20, options).islands == (
        scheduled(graph, SHARED, 4 * MAP_BYTES).islands
    )


@given(limit=st.integers(1, 8 * MAP_BYTES))
def test_with_spilling_nobody_has_more_than_the_limit(limit):
    """Maps of the CPU are in another memory."""
    schedule = scheduled(between_cpu(cpu_maps=4), DEDICATED, limit)
    assert records(schedule) == []
    assert max(island.peak_bytes for island in schedule.islands) <= limit


@pytest.mark.parametrize("strategy", Strategy)
def test_a_map_that_passes_by_leaves_less_room(strategy):
    """The chain runs beside it, so that the peak is that of its own maps and one more."""
    graph = passed_by()
    schedule = scheduled(graph, SHARED, 3 * MAP_BYTES, Options(strategy=strategy))
    chain = schedule.islands[-1]
    assert chain.peak_bytes <= 3 * MAP_BYTES
    assert min(chain.snapshot[:-1]) >= MAP_BYTES
    whole = scheduled(graph, SHARED, 1 << 30).islands[-1]
    assert whole.peak_bytes >= 3 * MAP_BYTES
