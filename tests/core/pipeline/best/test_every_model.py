"""On every model, more memory never costs cycles, and no single search is better."""

from __future__ import annotations

import math
import random
from itertools import pairwise, product
from pathlib import Path

import pytest

from core.api import networks
from core.base.frozen import replace
from core.ir.options import Engine, Options, Search
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from tests.shared import files, need

TARGETS = (
    resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
    resolve("ethos-u55-64", "Ethos_U55_Deep_Embedded", "Sram_Only"),
)
BEST = Options(search=Search.BEST, effort=12)
KIB = 1024
LIMITS = 60
SINGLE = 3
"""So many of the limits are given to both engines too."""


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.mode.name)
@pytest.mark.parametrize("model", files("models/*.tflite"), ids=lambda each: each.stem)
def test_answers_to_random_limits_are_in_order(model: Path, target: Target):
    bench = Workbench(networks.run(need(model).read_bytes(), target, BEST))
    for front in bench.fronts.growing(target, BEST):
        sizes = [point.fast_bytes for point in front.points]
    numbers = random.Random(model.stem)
    low, high = math.log(max(sizes[0], KIB) / 2), math.log(max(sizes[-1], KIB) * 2)
    limits = [round(math.exp(numbers.uniform(low, high))) for _ in range(LIMITS)]
    for limit in limits:
        bench.fronts.look_up(target.with_limit(limit), BEST)
    within = [target.with_limit(limit) for limit in sorted(limits)]
    found = [bench.fronts.look_up(each, BEST) for each in within]
    for less, more in pairwise(found):
        assert not fits(less) or (fits(more) and cycles(more) <= cycles(less))
    for limit, answer in zip(sorted(limits), found, strict=True):
        assert fits(answer) or limit < sizes[0]
    places = numbers.sample(range(LIMITS), SINGLE)
    for place, engine in product(places, Engine):
        single = bench.schedule(within[place], replace(BEST, search=Search.DIRECT, engine=engine))
        best = bench.schedule(within[place], BEST)
        assert not fits(single) or (fits(best) and cycles(best) <= cycles(single))


def cycles(done: Scheduled) -> float:
    return done.total.total_cycles


def fits(done: Scheduled) -> bool:
    return done.layout.is_within_limits
