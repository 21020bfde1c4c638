"""What padding takes at the peak, against sizes that are plain to see."""

from __future__ import annotations

import math

import pytest

from core.api import networks, schedules, targets
from core.ir.options import Options, Search
from core.ir.scheduled import Scheduled
from core.report.padding import padding_at_peak
from core.synth.builder import Builder
from core.synth.windows import window
from core.tflite import writer
from tests.core.emit.random_chains import random_chain


def scheduled(network, mode: str = "Shared_Sram", limit: int | None = None) -> Scheduled:
    target = targets.resolve_target(
        "ethos-u65-256", "Ethos_U65_Embedded", mode, arena_cache_size=limit
    )
    options = Options(search=Search.COMPATIBLE)
    run = networks.run(writer.write(network), target, options)
    return schedules.Workbench(run).schedule(target, options)


def convolutions(depth: int) -> Scheduled:
    b = Builder(1)
    x = b.input((1, 16, 16, 16))
    y = b.conv(b.conv(x, depth, window((3, 3), 1)), 16, window((3, 3), 1))
    return scheduled(b.build([b.conv(y, 16, window((3, 3), 1))], "depths"))


def test_a_map_of_half_bricks_is_half_padding():
    padding = padding_at_peak(convolutions(8))
    assert padding is not None
    assert padding.size_bytes == padding.largest_bytes == 16 * 16 * 8


def test_whole_bricks_have_no_padding():
    assert padding_at_peak(convolutions(16)) is None


@pytest.mark.parametrize("seed", range(6))
def test_padding_at_the_peak_is_what_live_maps_do_not_fill(seed: int):
    done = scheduled(random_chain(seed), limit=16_384)
    padding = padding_at_peak(done)
    left = {
        place.fms: place.size_bytes
        - max(math.prod(done.graph.feature_maps[fm].shape) for fm in place.fms)
        for place in done.layout.areas[0].placements
        if place.fms and all(done.schedule.maps[fm].rolling is None for fm in place.fms)
    }
    if padding is not None:
        assert padding.size_bytes >= padding.largest_bytes > 0
        of = {fms: size for fms, size in left.items() if padding.largest in fms}
        bits = done.graph.feature_maps[padding.largest].dtype.bits
        assert bits > 8 or list(of.values()) in ([], [padding.largest_bytes])
