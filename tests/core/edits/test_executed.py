"""Edited schedules compute what their originals do: compiled, executed, and held against LiteRT."""

from __future__ import annotations

import random

import pytest

from core.base.frozen import replace
from core.ir.options import Engine
from core.pipeline.compile import compile_model
from tests.core.edits.frozen import bench_of
from tests.core.edits.random_edits import random_cascades, random_edits, some_of
from tests.core.emit.executed import largest_differences
from tests.core.emit.test_random_networks import allowed, case

FAST, SLOW = range(9), range(9, 400)


@pytest.mark.parametrize("seed", [*FAST, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
def test_an_edited_network_computes_what_its_original_does(seed: int):
    network, target, options = case(seed)
    draws = random.Random(seed)
    options = replace(options, engine=draws.choice(list(Engine)))
    table = bench_of(network, target, options)
    first = table.schedule(target, options)
    if seed % 3:
        some = some_of(first, seed, 0.2) if draws.random() < 0.3 else ()
        edits = (*some, *random_edits(first.graph, seed, 10))
    else:
        target = target.with_limit(None)
        edits = random_cascades(first.graph, seed)
    done = table.schedule(target, replace(options, edits=edits))
    compiled = compile_model(done, encodings=table.encodings)
    differences, faults = largest_differences(network, compiled.data, [seed])
    assert not faults
    assert max(differences.values(), default=0) <= allowed(network)
