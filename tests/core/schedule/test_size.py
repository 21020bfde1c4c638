"""Size takes no more fast storage with its freedoms than without."""

from __future__ import annotations

import pytest

from core.api import networks, schedules, targets
from core.ir.options import Options, Search, Strategy
from core.tflite import writer
from tests.core.emit.random_chains import random_chain
from tests.shared import need

TARGET = targets.resolve_target("ethos-u65-512", "Ethos_U65_Mid_End", "Dedicated_Sram_256KB")


def peak_bytes(model: bytes, search: Search) -> int:
    options = Options(search=search, strategy=Strategy.SIZE)
    run = networks.run(model, TARGET, options)
    found = schedules.Workbench(run).schedule(TARGET, options).schedule
    return max((island.peak_bytes for island in found.islands), default=0)


@pytest.mark.parametrize("name", ["str_ww_int8", "kws_dscnn_int8", "vww_96_int8"])
def test_lower_rings_take_no_more_in_longer_cascades(name: str):
    model = need(f"models/{name}.tflite").read_bytes()
    assert peak_bytes(model, Search.DIRECT) <= peak_bytes(model, Search.COMPATIBLE)


@pytest.mark.parametrize("seed", range(8))
def test_random_chains_take_no_more(seed: int):
    model = writer.write(random_chain(seed))
    assert peak_bytes(model, Search.DIRECT) <= peak_bytes(model, Search.COMPATIBLE)


@pytest.mark.long
@pytest.mark.parametrize("name", ["str_ww_int8", "resnet8_int8", "keras_lstm_mnist_ptq"])
def test_no_cascade_is_slower_than_whole_maps_where_they_live(name: str):
    run = networks.run(need(f"models/{name}.tflite").read_bytes(), TARGET, Options())
    bench = schedules.Workbench(run)
    small = bench.schedule(TARGET, Options(strategy=Strategy.SIZE))
    nothing = bench.schedule(TARGET.with_limit(0), Options())
    assert small.total.total_cycles <= 1.01 * nothing.total.total_cycles
