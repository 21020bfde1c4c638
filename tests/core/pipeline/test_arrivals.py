"""Free memory goes to weights that arrive earlier, where time is gained and none is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from core.api import compiler, networks, programs
from core.base.frozen import replace
from core.ir.addresses_tried import ArrivalsTried
from core.ir.freedoms import ALL
from core.ir.options import Engine, Options, ParetoOptions, Search, Strategy
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.schedule import buffering
from core.target.resolve import resolve
from core.target.target import Target
from tests.shared import need

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
MODEL = (EXAMPLES / "resnet8.tflite").read_bytes()
TOWER = (EXAMPLES / "residual_tower.tflite").read_bytes()
SHARED = resolve("ethos-u55-64", "Ethos_U55_High_End_Embedded", "Shared_Sram")
FAST = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
LATE = replace(ALL, early_arrivals=False)


def scheduled(target: Target, options: Options, model: bytes = MODEL) -> Scheduled:
    return Workbench(networks.run(model, target, options)).schedule(target, options)


def late(target: Target, options: Options, model: bytes = MODEL) -> Scheduled:
    with patch.object(Options, "freedoms", LATE):
        return scheduled(target, options, model)


def tried(found: Scheduled) -> ArrivalsTried:
    (record,) = (each for each in found.schedule.decisions if isinstance(each, ArrivalsTried))
    return record


def test_the_same_schedule_takes_less_time_as_the_commands_say():
    found, before = scheduled(SHARED, Options()), late(SHARED, Options())
    assert found.schedule.ops == before.schedule.ops
    assert found.total.total_cycles < before.total.total_cycles
    record = tried(found)
    assert record.is_taken
    assert (record.cycles, record.size_bytes) == (found.total.total_cycles, found.fast_bytes)
    assert record.cycles_before == before.total.total_cycles
    assert record.size_bytes_before == before.fast_bytes
    data = compiler.compile_model(found).data
    read = programs.read_back(programs.open_compiled(data, lambda _: SHARED)).scheduled
    assert read.total.total_cycles == pytest.approx(found.total.total_cycles)


def test_weights_come_whole_in_time_that_the_last_operator_but_one_leaves():
    """Operators that read their input again for each slice need not where the transfer has begun
    before; where that has no room, they are cut as if it had not."""
    found, before = scheduled(FAST, Options(), TOWER), late(FAST, Options(), TOWER)
    joined = [
        (ahead.weights, cut.weights)
        for ahead, cut in zip(found.schedule.ops, before.schedule.ops, strict=True)
        if cut.weights is not None and len(cut.weights.slice_bytes) > 1 and cut != ahead
    ]
    assert joined
    assert all(len(ahead.slice_bytes) == 1 and ahead.is_prefetched for ahead, _ in joined)
    assert found.total.total_cycles < 0.99 * before.total.total_cycles
    bench = Workbench(networks.run(TOWER, FAST, Options()))
    for limit in range(before.fast_bytes * 3 // 4, before.fast_bytes + 1, 1 << 13):
        less = FAST.with_limit(limit)
        without = late(less, Options(), TOWER).total.total_cycles
        assert bench.schedule(less, Options()).total.total_cycles <= 1.001 * without


def test_time_is_left_for_weights_that_come_while_an_operator_without_any_runs():
    """Weights that are read directly keep the memory busy, which large ones of the operator after
    the next wait for, where the next one has none."""
    model, wanted = need("models/resnet8_int8.tflite").read_bytes(), buffering._wanted_cycles

    def wanted_next(*asked: Any, looks_beyond: bool) -> list[int]:
        del looks_beyond
        return wanted(*asked, looks_beyond=False)

    found = scheduled(FAST, Options(), model)
    with patch.object(buffering, "_wanted_cycles", wanted_next):
        before = scheduled(FAST, Options(), model)
    assert found.fast_bytes == before.fast_bytes
    assert found.total.total_cycles < 0.985 * before.total.total_cycles


def test_a_limit_without_room_for_them_is_kept():
    least = late(SHARED, Options()).fast_bytes
    most = scheduled(SHARED, Options()).fast_bytes
    assert most > least
    bench = Workbench(networks.run(MODEL, SHARED, Options()))
    for limit, is_taken in ((least, False), (most - 1, False), (most, True)):
        found = scheduled(SHARED.with_limit(limit), Options())
        assert bench.schedule(SHARED.with_limit(limit), Options()) == found
        assert found.fast_bytes <= limit
        assert tried(found).is_taken is is_taken


@pytest.mark.parametrize(
    "options",
    [
        Options(strategy=Strategy.SIZE),
        Options(engine=Engine.PARETO, pareto=ParetoOptions(most_bytes=48 << 10)),
        Options(search=Search.BEST, effort=4, strategy=Strategy.SIZE),
    ],
    ids=["size", "chosen", "best"],
)
def test_who_saves_memory_gives_none_for_time(options: Options):
    assert scheduled(SHARED, options).fast_bytes <= late(SHARED, options).fast_bytes


def test_a_front_has_the_schedule_with_both_addresses():
    options = Options(search=Search.BEST, effort=0)
    most, least = scheduled(SHARED, Options()), late(SHARED, Options())
    sizes = {
        point.peak_bytes: point.cost.total_cycles
        for point in scheduled(SHARED, options).schedule.front
    }
    for each in (most, least):
        assert sizes[each.fast_bytes] == each.total.total_cycles
