"""Of small networks every combination of decisions is tried: the front has what is best.

Whoever tries them takes each decision himself, as edits, so that the search has nothing to choose:
who runs with whom, in how many rows, in which order of elements, in which blocks, with which weight
buffers. What follows from that (rings, addresses, the price) is worked out as always.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise, product
from typing import NamedTuple

import pytest

from core.api import compiler, proof
from core.base.frozen import members
from core.cost.from_graph import block_query, whole
from core.edits.names import Names
from core.edits.resolve import border_of
from core.ir.edits import Edit, EditFate, Grouping, OpsNamed, WeightsAsked, What
from core.ir.front import Front
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.options import Options, Search
from core.ir.scheduled import Run
from core.lower import run as lower
from core.pipeline.scheduled import Workbench
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.blocks import block_search
from core.target.format import Format
from core.target.resolve import resolve
from core.target.target import Target
from core.tflite import writer
from tests.core.schedule.random_cases import findings

TARGETS = (
    resolve("ethos-u55-64", "Ethos_U55_Deep_Embedded", "Sram_Only"),
    resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
)
EFFORT = 600
WEIGHTS = (
    WeightsAsked(buffers=0),
    WeightsAsked(buffers=1, prefetch=False),
    WeightsAsked(buffers=1, prefetch=True),
    WeightsAsked(buffers=2, prefetch=True),
)
Choices = Callable[[NpuOp], Sequence[Edit]]
of_targets = pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.accelerator.name)


class Small(NamedTuple):
    """A network that is small enough to try everything, and its front."""

    table: Workbench
    front: Front


@lru_cache(maxsize=16)
def small(seed: int, ops: int, target: Target) -> Small:
    """The front as it is once nothing is left to look for."""
    table = workbench(seed, ops, target)
    *_, front = table.fronts.growing(target, Options(search=Search.BEST, effort=EFFORT))
    return Small(table, front)


def workbench(seed: int, ops: int, target: Target) -> Workbench:
    """A few windows, one of which may be summed up with what was before."""
    draws, b = random.Random(seed), Builder(seed)
    values = [b.input((1, draws.choice((8, 12)), 12, draws.choice((4, 8))))]
    while len(values) <= ops:
        last = values[-1]
        alike = [each for each in values[1:-1] if each.shape == last.shape]
        kind = draws.choice(("conv", "conv", "depthwise", "sum"))
        if kind == "sum" and alike:
            values.append(b.add(last, draws.choice(alike)))
        elif kind == "depthwise":
            values.append(b.depthwise(last, window(3)))
        else:
            size = draws.choice((1, 3, 3))
            values.append(b.conv(last, draws.choice((8, 16, 24)), window(size)))
    network = b.build(b.ends(), f"small_{seed}_{ops}")
    graph = lower.run(network, target.accelerator, Options().lowering)
    return Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))


def decisions(
    graph: NpuGraph, heights: Sequence[int], formats: Sequence[Format], more: Sequence[Choices]
) -> Iterator[tuple[Edit, ...]]:
    """All of them that are to be tried; `more` is about each operator by itself."""
    names = Names.of(graph)
    for groups in groupings(graph.ops):
        joined = [op for group in groups if len(group) > 1 for op in group]
        asked = [
            *([[edit] for edit in grouping_edits(graph, names, groups)]),
            *(
                [
                    Edit(subject=names.ops[op.id], what=What.STRIPE, value=rows)
                    for rows in heights
                    if rows < op.made.h
                ]
                for op in joined
            ),
            *(
                [
                    Edit(subject=names.maps[op.ofm.fm], what=What.FORMAT, value=order)
                    for order in formats
                ]
                for op in graph.ops[:-1]
                if formats
            ),
            *(found for choices in more for op in graph.ops if (found := choices(op))),
        ]
        yield from product(*asked)


def groupings(ops: Sequence[NpuOp]) -> Iterator[list[Sequence[NpuOp]]]:
    for count in range(len(ops)):
        for cuts in combinations(range(1, len(ops)), count):
            yield [ops[first:end] for first, end in pairwise((0, *cuts, len(ops)))]


def grouping_edits(
    graph: NpuGraph, names: Names, groups: Sequence[Sequence[NpuOp]]
) -> Iterator[Edit]:
    for group in groups:
        named = OpsNamed(tuple(names.ops[op.id] for op in group))
        grouping = Grouping.TOGETHER if len(group) > 1 else Grouping.NEVER
        yield Edit(subject=named, what=What.CASCADE, value=grouping)
    for before, after in pairwise(groups):
        if len(before) > 1 and len(after) > 1:
            border = border_of(graph, names, before[-1].id, after[0].id)
            yield Edit(subject=border, what=What.CASCADE, value=Grouping.APART)


def blocks_of(graph: NpuGraph, target: Target, per_end: int) -> Choices:
    """The largest and the smallest blocks that an operator can work in as a whole."""
    names, search = Names.of(graph), block_search(target.accelerator)

    def choices(op: NpuOp) -> list[Edit]:
        query = block_query(graph, op, whole(op))
        found = search.blocks_at_both_ends(target.accelerator, query, per_end)
        sizes = dict.fromkeys(each.ofm_block for each in found)
        return [Edit(subject=names.ops[op.id], what=What.BLOCK, value=size) for size in sizes]

    return choices


def weights_of(graph: NpuGraph) -> Choices:
    names = Names.of(graph)
    return lambda op: [
        Edit(subject=names.ops[op.id], what=What.WEIGHTS, value=ways)
        for ways in WEIGHTS
        if op.weights is not None
    ]


def better_ones(known: Small, target: Target, tried: Iterator[tuple[Edit, ...]]) -> Iterator[float]:
    """For each schedule that is as it was asked for: its cycles as a share of the front's; none is
    below what is proved."""
    table, front = known
    least = table.least_cycles(target)
    for edits in tried:
        done = table.schedule(target, Options(edits=edits))
        if all(each.fate is EditFate.HONOURED for each in done.edits):
            best = front.answer(done.fast_bytes)
            assert best.fast_bytes <= done.fast_bytes
            assert least <= done.total.total_cycles
            yield done.total.total_cycles / best.cycles


@pytest.mark.long
@of_targets
@pytest.mark.parametrize("seed", range(4))
def test_no_grouping_height_or_format_is_better(seed: int, target: Target) -> None:
    known = small(seed, 3, target)
    tried = decisions(known.table.run.graph, (1, 2, 4), tuple(Format), ())
    shares = list(better_ones(known, target, tried))
    assert len(shares) > 50
    assert min(shares) >= 1.0


@pytest.mark.long
@of_targets
def test_no_block_or_buffer_is_better(target: Target) -> None:
    known = small(0, 2, target)
    graph = known.table.run.graph
    more = (blocks_of(graph, target, 2), weights_of(graph))
    shares = list(better_ones(known, target, decisions(graph, (2,), (), more)))
    assert len(shares) > 30
    assert min(shares) >= 1.0


@pytest.mark.slow
@of_targets
@pytest.mark.parametrize(
    ("seed", "ops", "heights", "formats"),
    [
        *((seed, 4, (1, 3), tuple(Format)) for seed in range(4, 10)),
        *((seed, 5, (1, 3), tuple(Format)) for seed in range(20, 24)),
        *((seed, 6, (2,), tuple(Format)) for seed in range(30, 33)),
        *((seed, 7, (2,), ()) for seed in range(16, 18)),
    ],
)
def test_of_larger_networks_next_to_none_is_better(
    seed: int, ops: int, heights: tuple[int, ...], formats: tuple[Format, ...], target: Target
) -> None:
    """Steps from what engines find do not lead everywhere: where several decisions pay together and
    none by itself, the front may lack a point."""
    known = small(seed, ops, target)
    tried = decisions(known.table.run.graph, heights, formats, ())
    shares = list(better_ones(known, target, tried))
    assert sum(share < 1.0 for share in shares) <= 0.01 * len(shares)
    assert min(shares) >= 0.98


@pytest.mark.long
def test_three_are_joined_where_maps_are_in_slow_memory() -> None:
    """What was a map outside fast storage has to become a ring, and three rows have to change."""
    target = TARGETS[-1]
    known = small(6, 4, target)
    graph = known.table.run.graph
    first, *rest = graph.ops
    names = Names.of(graph)
    stripes = (Edit(subject=names.ops[op.id], what=What.STRIPE, value=1) for op in rest)
    joined = (*grouping_edits(graph, names, [[first], rest]), *stripes)
    (share,) = better_ones(known, target, iter([joined]))
    assert share >= 1.0


@pytest.mark.long
@of_targets
def test_what_is_a_step_away_holds_and_says_of_nothing_that_it_was_asked_for(
    target: Target,
) -> None:
    table, front = small(2, 3, target)
    model = writer.write(table.run.network)
    changed = [point for point in front.points if point.changes]
    assert changed
    for point in changed:
        assert findings(point.scheduled) == ()
        assert proof.verify(compiler.compile_model(point.scheduled).data, model, inputs=1).holds
        for decision in point.scheduled.schedule.decisions:
            values = members(decision).values()
            assert not any(getattr(value, "name", "") == "ASKED" for value in values)
