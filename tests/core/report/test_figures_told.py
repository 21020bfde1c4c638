"""What texts and files say of a schedule in figures, held against the schedule itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.api import comparisons, listings, programs, schedules
from core.ir.npugraph import NpuGraph
from core.ir.options import Engine, Options, Search
from core.ir.schedule import Schedule
from core.ir.scheduled import Scheduled
from core.pipeline.compile import compile_model
from core.target.region import Region
from core.target.resolve import resolve
from tests.shared import need

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
SPILLING = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
CASES = (
    ("residual_tower", 48, Options()),
    ("residual_tower", 128, Options(search=Search.COMPATIBLE)),
    ("camera_and_motion", 20, Options()),
    ("camera_and_motion", 20, Options(engine=Engine.PARETO)),
    ("shuffle_with_cpu", 8, Options()),
    ("mobilenet_v2_035_96", 20, Options()),
    ("mobilenet_v2_035_96", 48, Options(search=Search.COMPATIBLE)),
)


def found() -> Iterator[Scheduled]:
    for name, limit, options in CASES:
        model = (EXAMPLES / f"{name}.tflite").read_bytes()
        yield schedules.schedule(model, SPILLING.with_limit(limit << 10), options)


@pytest.fixture(scope="module")
def all_found() -> list[Scheduled]:
    return list(found())


def slow_maps(graph: NpuGraph, schedule: Schedule) -> set[int]:
    """Whole maps in the slower memory, although one island alone makes and reads them."""
    outside = {fm for op in graph.cpu_ops for fm in (*op.inputs, *op.outputs)}
    outside |= {fm for ends in (*graph.inputs, *graph.outputs) for fm in ends}
    for island in graph.islands:
        own = [graph.ops[op] for op in island.ops]
        made = {op.ofm.fm for op in own}
        read = {view.fm for op in own for view in op.views[:-1]}
        outside |= (made - read) | (read - made)
    made_by = {op.ofm.fm for op in graph.ops}
    return {
        fm
        for fm in made_by - outside
        if schedule.maps[fm].region is Region.SCRATCH
        and graph.feature_maps[fm].storage == fm
        and not graph.feature_maps[fm].is_variable
    }


def test_evicted_is_every_map_that_could_be_in_fast_storage_and_is_not(all_found):
    of_cascades = 0
    for done in all_found:
        slow = slow_maps(done.graph, done.schedule)
        told = [fm for each in done.schedule.evicted for fm in each.fms]
        assert sorted(told) == sorted(slow)
        cascaded = {plan.op for plan in done.schedule.ops if plan.cascade is not None}
        of_cascades += len({done.graph.ops[op].ofm.fm for op in cascaded} & slow)
    assert of_cascades


def test_what_is_told_of_evictions_is_what_was_evicted(all_found):
    for done in all_found:
        evicted = done.schedule.evicted
        size = sum(each.size_bytes for each in evicted)
        told = listings.describe_schedule("model", done)
        assert (told["totals"]["evicted_bytes"], told["totals"]["evicted_maps"]) == (
            size,
            len(evicted),
        )
        assert told["counts"]["evictions"] == len(evicted)
        listed = [each for island in told["schedules"] for each in island["evicted"]]
        if done.options.search is not Search.COMPATIBLE:
            assert sum(each["bytes"] for each in listed) == size
        text = listings.render_schedule("model", done)
        (rows,) = re.findall(r"are not\n\n.*\n.*\n((?:.+\n)+)", text) or [""]
        assert rows.count("\n") == len(evicted)


@pytest.mark.parametrize("search", [Search.DIRECT, Search.COMPATIBLE])
def test_what_is_taken_of_a_front_has_one_price(search):
    model = (EXAMPLES / "mobilenet_v2_035_96.tflite").read_bytes()
    options = Options(engine=Engine.PARETO, search=search)
    done = schedules.schedule(model, SPILLING.with_limit(64 << 10), options)
    front = done.schedule.front
    (taken,) = (point for point in front if point.is_taken)
    assert taken.cost == done.total
    told = listings.describe_schedule("model", done)
    (row,) = (each for each in told["front"] if each["is_taken"])
    assert row["cycles"] == told["totals"]["total_cycles"]
    assert row["evicted_bytes"] == told["totals"]["evicted_bytes"]
    rest = [point.cycles for point in front if not point.is_taken]
    assert rest == sorted(rest, reverse=True)
    cycles = round(done.total.total_cycles)
    text = listings.render_schedule("model", done)
    assert re.search(rf"(?m)^x .*\b{cycles:,}\b", text)
    assert re.search(rf"(?m)^cycles +{cycles:,};", text)


def test_the_trial_that_had_none_evicted_has_one_and_a_reason():
    """38,400 bytes were in DRAM with 49,552 free, and nobody counted them."""
    model = need("regressions/trials/emza_ssd_slim.tflite").read_bytes()
    target = resolve("ethos-u65-512", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(128 << 10)
    done = schedules.schedule(model, target, Options())
    assert slow_maps(done.graph, done.schedule) == {
        fm for each in done.schedule.evicted for fm in each.fms
    }


def all_keys(told: object, where: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(told, dict):
        for key, value in told.items():
            yield from all_keys(value, f"{where}.{key}")
    elif isinstance(told, list):
        for value in told:
            yield from all_keys(value, where)
    else:
        yield where, told


UNTOLD = (
    ".totals.evicted_bytes",
    ".totals.evicted_maps",
    ".totals.excess_bytes",
    ".totals.original_weight_bytes",
    ".totals.encoded_weight_bytes",
    ".counts.evictions",
    ".target.arena_cache_size",
    ".summary.arena_cache_size",
    ".summary.total_original_weights",
    ".summary.total_npu_encoded_weights",
    ".regions.limit",
    ".regions.excess",
    ".schedules.ops.slack_buffering_cycles",
    ".schedules.ops.slack_buffering_memory",
)
"""What no compiled model tells."""


@pytest.fixture(scope="module")
def both() -> tuple[Scheduled, Scheduled]:
    """A schedule in which something is evicted, and its compiled model, read back."""
    model = (EXAMPLES / "residual_tower.tflite").read_bytes()
    done = schedules.schedule(model, SPILLING.with_limit(48 << 10), Options())
    opened = programs.open_compiled(compile_model(done).data, lambda _: SPILLING)
    assert opened is not None
    return done, programs.read_back(opened).scheduled


def test_what_a_compiled_model_does_not_tell_is_null_and_never_a_number(both):
    done, back = both
    assert done.schedule.evicted_bytes
    told = listings.describe_schedule("model", back)
    values: dict[str, set[object]] = {}
    for where, value in all_keys(json.loads(json.dumps(told))):
        values.setdefault(where, set()).add(value)
    assert {where: values[where] for where in UNTOLD} == {where: {None} for where in UNTOLD}
    assert all("evicted" not in island for island in told["schedules"])
    assert set(told["sram_limit"].values()) == {None}
    assert str(back.target.accelerator.max_address) not in json.dumps(told)
    asked = {"--optimise", "--tensor-allocator", "--search", "--engine", "--arena-cache-size"}
    assert asked.isdisjoint(told["options"])


def test_the_text_of_a_compiled_model_has_no_figure_for_what_it_does_not_tell(both):
    _, back = both
    text = listings.render_schedule("model", back)
    assert f"{back.target.accelerator.max_address:,}" not in text
    assert re.search(r"(?m)^weights +-$", text)
    assert "Performance" not in text
    assert "its limit and options are not told" in text


def test_a_comparison_with_a_compiled_model_says_nothing_of_what_that_evicts(both):
    done, back = both
    a, b = (comparisons.account_of_schedule(each, "model") for each in (back, done))
    found = comparisons.compare(a, b)
    for name in ("evicted_bytes", "evicted_maps", "excess_bytes"):
        assert found.figure(name).before is None
        assert found.figure(name).change is None
    assert "evicted" not in comparisons.words.headline(found)
    assert not {"evicted", "returned"} & {pair.fate.value for pair in found.ranges}
