"""Size takes no more fast storage with its freedoms than without."""

from __future__ import annotations

import pytest

from core.api import networks, schedules, targets
from core.ir.options import Options, Search, Strategy
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.target import Target
from core.tflite import writer
from tests.core.emit.random_chains import random_chain
from tests.core.pipeline.read_backs import EXAMPLES
from tests.shared import need

TARGET = targets.resolve_target("ethos-u65-512", "Ethos_U65_Mid_End", "Dedicated_Sram_256KB")


def peak_bytes(model: bytes, search: Search, target: Target = TARGET) -> int:
    options = Options(search=search, strategy=Strategy.SIZE)
    run = networks.run(model, target, options)
    found = schedules.Workbench(run).schedule(target, options).schedule
    return max((island.peak_bytes for island in found.islands), default=0)


@pytest.mark.parametrize("name", ["str_ww_int8", "kws_dscnn_int8", "vww_96_int8"])
def test_lower_rings_take_no_more_in_longer_cascades(name: str):
    model = need(f"models/{name}.tflite").read_bytes()
    assert peak_bytes(model, Search.DIRECT) <= peak_bytes(model, Search.COMPATIBLE)


@pytest.mark.parametrize("seed", range(8))
def test_random_chains_take_no_more(seed: int):
    model = writer.write(random_chain(seed))
    assert peak_bytes(model, Search.DIRECT) <= peak_bytes(model, Search.COMPATIBLE)


@pytest.mark.parametrize("name", ["kws_dscnn", "residual_tower", "denoise_int16"])
def test_what_is_asked_for_within_as_many_bytes_is_no_faster(name: str):
    """Addresses can be above what is live: what they take anyway is there for speed."""
    target = targets.resolve_target("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    run = networks.run((EXAMPLES / f"{name}.tflite").read_bytes(), target, Options())
    bench = schedules.Workbench(run)
    small = bench.schedule(target, Options(strategy=Strategy.SIZE))
    within = bench.schedule(target.with_limit(small.fast_bytes), Options())
    assert small.total.total_cycles <= within.total.total_cycles


def test_none_takes_less_within_a_limit():
    """The last two operators make one map together, and share no ring: they are no cascade, and
    what they would take as one is not to be counted on."""
    b = Builder(7)
    early = x = b.conv(b.input((1, 48, 48, 3)), 16, window(5))
    for _ in range(3):
        x = b.conv(x, 16, window(3))
    x = b.conv(b.add(x, early), 12, window(3), "NONE")
    model = writer.write(b.build([b.depth_to_space(x, 2)], "larger"))
    target = targets.resolve_target("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    bench = schedules.Workbench(networks.run(model, target, Options()))
    size_bytes = bench.schedule(target, Options(strategy=Strategy.SIZE)).fast_bytes
    within = bench.schedule(target.with_limit(size_bytes - 1), Options())
    assert within.fast_bytes >= size_bytes
    assert size_bytes < bench.schedule(target, Options()).fast_bytes / 2


@pytest.mark.parametrize("limit_kib", [14, 16])
def test_cascades_that_do_not_fit_are_no_measure_of_what_it_may_take(limit_kib: int):
    """The longest cascades of this chain need more than there is; shorter ones do with less."""
    b = Builder(3)
    x = b.conv(b.input((1, 96, 128, 3)), 24, window(3, 2))
    for depth, step in ((48, 1), (96, 2), (96, 1), (192, 2), (192, 1)):
        x = b.conv(b.depthwise(x, window(3, step)), depth)
    model, target = writer.write(b.build([x], "chain")), TARGET.with_limit(limit_kib << 10)
    found = [peak_bytes(model, each, target) for each in (Search.DIRECT, Search.COMPATIBLE)]
    assert found[0] <= found[1] <= target.fast_limit_bytes


@pytest.mark.long
@pytest.mark.parametrize("name", ["str_ww_int8", "resnet8_int8", "keras_lstm_mnist_ptq"])
def test_no_cascade_is_slower_than_whole_maps_where_they_live(name: str):
    run = networks.run(need(f"models/{name}.tflite").read_bytes(), TARGET, Options())
    bench = schedules.Workbench(run)
    small = bench.schedule(TARGET, Options(strategy=Strategy.SIZE))
    nothing = bench.schedule(TARGET.with_limit(0), Options())
    assert small.total.total_cycles <= 1.01 * nothing.total.total_cycles
