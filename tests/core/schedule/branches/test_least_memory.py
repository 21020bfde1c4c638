"""Real networks in the least memory that cascades across branches bring them to, and with a little
more: bytes, and cycles beside those that the ecosystem's compiler needs with more memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest

from core.api import networks, schedules, targets
from core.base.frozen import Frozen, replace
from core.base.progress import SILENT
from core.ir.freedoms import ALL
from core.ir.options import Options, Search, Strategy
from core.ir.scheduled import Run, Scheduled
from core.schedule.branches.groups import Part
from core.schedule.front.cuts import Cuts
from core.schedule.front.engine import FrontEngine
from core.schedule.front.raised import raised
from core.schedule.question import Question
from core.target.target import Area
from tests.shared import need

TARGET = targets.resolve_target("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
SIZE = Options(strategy=Strategy.SIZE)
COMPATIBLE = Options(strategy=Strategy.SIZE, search=Search.COMPATIBLE)
CHAINS = replace(ALL, whole_cuts=False, operator_order=False)


class Least(Frozen):
    """What a network is to need."""

    size_bytes: int
    cycles: float
    """At most, to those of the compatible search in the memory that it needs with Size."""


LEAST = {
    "omv_yolov8n_192": Least(size_bytes=400 << 10, cycles=0.79),
    "omv_blazeface_front_128": Least(size_bytes=241 << 10, cycles=0.79),
    "resnet8_int8": Least(size_bytes=19 << 10, cycles=1.48),
    "mobilenet_v2_1.0_224_quant": Least(size_bytes=280 << 10, cycles=1.02),
    "tf2_mobilenet_v2_1.0_224_ptq": Least(size_bytes=285 << 10, cycles=1.01),
    "kws_dscnn_int8": Least(size_bytes=27 << 9, cycles=3.5),
    "person_detect": Least(size_bytes=23 << 10, cycles=1.06),
    "vww_96_int8": Least(size_bytes=83 << 9, cycles=1.13),
    "mobilenet_v1_0.25_128_quant": Least(size_bytes=70 << 10, cycles=1.07),
    "str_ww_int8": Least(size_bytes=5 << 10, cycles=0.99),
}

pytestmark = pytest.mark.slow


def run_of(model: str) -> Run:
    return networks.run(need(f"models/{model}.tflite").read_bytes(), TARGET, Options())


def scheduled(run: Run, options: Options, limit_bytes: int | None = None) -> Scheduled:
    found = schedules.Workbench(run).schedule(TARGET.with_limit(limit_bytes), options)
    assert limit_bytes is None or found.layout.used_bytes(Area.SRAM) <= limit_bytes
    return found


def like_others(model: str) -> Scheduled:
    """What the compatible search makes in the memory that it needs with Size."""
    data = need(f"models/{model}.tflite").read_bytes()
    return scheduled(networks.run(data, TARGET, COMPATIBLE), COMPATIBLE)


@pytest.mark.parametrize("model", LEAST)
def test_it_takes_so_much_memory_at_most(model: str) -> None:
    found = scheduled(run_of(model), SIZE).layout.used_bytes(Area.SRAM)
    assert found <= LEAST[model].size_bytes


@pytest.mark.parametrize("model", LEAST)
def test_it_takes_so_many_cycles_at_most_within_that(model: str) -> None:
    most = LEAST[model]
    found, other = scheduled(run_of(model), Options(), most.size_bytes), like_others(model)
    ratio = found.total.total_cycles / other.total.total_cycles
    assert ratio <= most.cycles


@pytest.mark.parametrize("model", LEAST)
def test_with_a_fifth_more_memory_it_is_never_slower_than_with_chains(model: str) -> None:
    run = run_of(model)
    least = scheduled(run, SIZE).layout.used_bytes(Area.SRAM)
    limit = least * 6 // 5 // 16 * 16
    found = scheduled(run, Options(), limit)
    with patch.object(Options, "freedoms", CHAINS):
        chains = schedules.Workbench(run).schedule(TARGET.with_limit(limit), Options())
    if chains.layout.is_within_limits:
        assert found.total.total_cycles <= chains.total.total_cycles
    else:
        assert chains.layout.used_bytes(Area.SRAM) > limit


@pytest.mark.parametrize("model", ["kws_dscnn_int8", "resnet8_int8"])
def test_no_heights_of_stripes_and_no_groups_are_faster_within_that(model: str) -> None:
    limit = LEAST[model].size_bytes
    bench = schedules.Workbench(run_of(model))
    way = bench._searches.of(Question.of(TARGET, Options())).stored
    engine = FrontEngine(
        problem=way.problems[0],
        estimates=way.estimates,
        defaults=way.defaults,
        limit_bytes=limit,
        progress=SILENT,
        known=way.known,
        far_formats=way.far_formats,
    )
    cuts = engine._cuts()
    best = cuts.best(frozenset(), limit, SILENT)
    assert best is not None
    cycles = sum(
        cycles_of(cuts, piece.part, piece.heights or (0,)) for piece in raised(cuts, best).pieces
    )
    # Higher stripes than those of the enumeration may be faster still.
    assert cycles <= fewest_cycles(cuts, limit) * 1.004


_HEIGHTS = range(1, 9)


def cycles_of(cuts: Cuts, part: Part, heights: Sequence[int]) -> float:
    """Of all nodes of a part, whose weights are read where they are stored."""
    nodes = cuts.ground.flow.nodes[part.first : part.last + 1]
    return sum(
        cuts.ground.cost(node, height, ()).cycles
        for node, height in zip(nodes, heights, strict=True)
    )


def fewest_cycles(cuts: Cuts, limit_bytes: int) -> float:
    """Of all ways to group operators, and of all heights up to eight rows."""
    flow = cuts.ground.flow
    found = np.full(len(flow.nodes) + 1, np.inf)
    found[0] = 0
    for last, earliest in enumerate(flow.earliest):
        for first in range(earliest, last + 1):
            if cuts.least[last][first - earliest] <= limit_bytes:
                cycles = found[first] + fewest_of(cuts, Part(first, last), limit_bytes)
                found[last + 1] = min(found[last + 1], cycles)
    return float(found[-1])


def fewest_of(cuts: Cuts, part: Part, limit_bytes: int) -> float:
    """What has no room with the lowest stripes behind it has none with higher ones."""
    nodes = cuts.ground.flow.nodes[part.first : part.last + 1]
    if len(nodes) == 1:
        return cycles_of(cuts, part, (0,))
    choices = [[h for h in _HEIGHTS if not (node.needs_even_rows and h % 2)] for node in nodes]
    heights = [each[0] for each in choices]
    begun: list[tuple[int, ...]] = [()]
    for place, mine in enumerate(choices):
        begun = [
            (*start, height)
            for start, height in product(begun, mine)
            if height < nodes[place].op.ofm.touched.h
            and has_room(cuts, part, [*start, height, *heights[place + 1 :]], limit_bytes)
        ]
    return min((cycles_of(cuts, part, each) for each in begun), default=np.inf)


def has_room(cuts: Cuts, part: Part, heights: list[int], limit_bytes: int) -> bool:
    player = cuts.ground.player
    return player.has_room(player.play(part, heights), limit_bytes)
