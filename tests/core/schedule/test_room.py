"""What is said to have no room, and to be proved: no schedule of a small network has it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, pairwise, product

import pytest

from core.base.frozen import replace
from core.cost.from_graph import block_query
from core.ir.edits import Living, WeightsAsked
from core.ir.fixed import NOTHING_FIXED, Fixed, Reserve
from core.ir.freedoms import ALL
from core.ir.npugraph import NpuGraph, NpuOp
from core.liveness.sizes import map_bytes
from core.schedule.candidates import max_schedule, min_schedule
from core.schedule.draft import Draft, Ring, rolling_maps, sized, snapshot
from core.schedule.links import links
from core.schedule.problem import IslandProblem, Node, with_formats
from core.schedule.room import proved_need
from core.schedule.run import Prepared, obeying
from core.target.blocks import block_search
from core.target.format import Format
from core.target.target import Target
from tests.core.schedule.sketch import DEDICATED, SHARED, Sketch, bench

CHAINS = replace(ALL, whole_cuts=False, dead_rows=False)


def small(seed: int) -> NpuGraph:
    """A few windows, one of which may be summed up with what was before."""
    draws, sketch = random.Random(seed), Sketch()
    maps = [sketch.input((1, draws.choice((6, 8)), 6, draws.choice((4, 16))))]
    for _ in range(draws.randint(2, 4)):
        alike = [fm for fm in maps[:-1] if sketch.maps[fm].shape == sketch.maps[maps[-1]].shape]
        if alike and draws.random() < 0.5:
            maps.append(sketch.add(maps[-1], draws.choice(alike)))
        else:
            maps.append(sketch.conv(maps[-1], draws.choice((4, 12, 16, 40)), draws.choice((1, 3))))
    return sketch.build(maps[-1])


def fixings(graph: NpuGraph, target: Target) -> Iterator[Fixed]:
    """Single decisions that take memory."""
    for op in graph.ops:
        yield Fixed(never=frozenset((op.id,)))
        yield Fixed(reserves=(Reserve(op.id, op.id, 256),))
        for order in Format:
            yield Fixed(formats=((op.ofm.fm, order),))
        if target.is_spilling:
            yield Fixed(living=((op.ofm.fm, Living.FAST),))
        if op.weights is not None:
            yield Fixed(weights=((op.id, WeightsAsked(prefetch=True)),))
            for count, depths in product((1, 2), (None, slices_of(op))):
                yield Fixed(weights=((op.id, WeightsAsked(buffers=count, depths=depths)),))
    for op, reader in pairwise(graph.ops):
        yield Fixed(together=((op.id, reader.id),))
        yield Fixed(rolling=((op.ofm.fm, 5),))


def slices_of(op: NpuOp) -> tuple[int, ...]:
    depth = op.weights.values.shape[0]
    return (*range(0, depth, 16), depth)


def buffer_bytes(prepared: Prepared, node: Node) -> int:
    """What the weights of a node take where they are to have buffers: in each legal block, in each
    way to cut them, looked at one by one."""
    estimates = prepared.stored.estimates
    asked = estimates.fixed.weights_of.get(node.op.id)
    if asked is None:
        return 0
    target, depth = estimates.model.target, node.op.weights.values.shape[0]
    query = block_query(prepared.graph, node.op, estimates.stripe(node, 1).stripe)
    blocks = block_search(target.accelerator).blocks_at_both_ends(target.accelerator, query, 1000)
    cuts = range(16, depth, 16)
    every = [(0, *inner, depth) for n in range(len(cuts) + 1) for inner in combinations(cuts, n)]
    count = asked.buffers or 1
    sizes = [
        sum(sorted(pair)[-count:])
        for block, cut in product(blocks, every if asked.depths is None else [asked.depths])
        if count == 1 or len(cut) > 2
        for pair in (estimates.encoder(node.op, block, cut).pair_bytes,)
    ]
    return min(sizes, default=0)


def every_peak(prepared: Prepared, problem: IslandProblem) -> Iterator[int]:
    """Of all schedules in the lowest stripes: each grouping, each format, each place of a map."""
    estimates = prepared.stored.estimates
    buffers = [buffer_bytes(prepared, node) for node in problem.nodes]
    free = sorted(prepared.free.fms.intersection(node.ofm.fm for node in problem.nodes))
    for orders in product(Format, repeat=len(free)):
        formats = list(problem.formats)
        for fm, order in zip(free, orders, strict=True):
            formats[fm] = order
        stored = with_formats(problem, tuple(formats))
        priced = estimates.with_formats(tuple(formats))
        for draft in drafts(stored, priced):
            if not is_together(problem, draft, estimates.fixed):
                continue
            must = {fm for fm, where in estimates.fixed.living if where is Living.FAST}
            rolls = set(rolling_maps(draft))
            live = snapshot(stored, draft, must & stored.movable - rolls)
            with_weights = (
                live.usage[live.times[node.index]] + buffers[node.index] for node in problem.nodes
            )
            yield max(live.peak_bytes, *with_weights)


def is_together(problem: IslandProblem, draft: Draft, fixed: Fixed) -> bool:
    """Whether all who are to be in one cascade are."""
    place = {node.op.id: draft.ops[node.index].cascade for node in problem.nodes}
    groups = ({place[op] for op in chain} for chain in fixed.together)
    return all(len(group) == 1 and None not in group for group in groups)


def drafts(problem: IslandProblem, estimates) -> Iterator[Draft]:
    low, whole = min_schedule(problem, estimates), max_schedule(problem, estimates)
    edges = [
        reader.index
        for node, reader in pairwise(problem.nodes)
        if links(node, reader) and reader.index not in problem.bonds.cuts
    ]
    for count in range(len(edges) + 1):
        for joined in combinations(edges, count):
            draft = Draft(ops=dict(whole.ops))
            index = 0
            while index < len(problem.nodes):
                last = index
                while last + 1 in joined:
                    last += 1
                if last > index:
                    for at in range(index, last + 1):
                        draft.ops[at] = replace(low.ops[at], cascade=last)
                    shapes = []
                    for at in range(index, last):
                        node = problem.nodes[at]
                        rows = low.ops[at].cost.stripe.ofm.h + low.ops[at + 1].cost.stripe.ifm.h - 1
                        stored = node.ofm.format.stored(node.ofm.shape)
                        rows = estimates.fixed.rolling_of.get(node.ofm.fm, rows)
                        shape = stored._replace(h=min(rows, stored.h))
                        shapes.append(Ring(node.ofm.fm, shape))
                    draft.cascades[last] = sized(problem, draft.ops, index, last, tuple(shapes))
                index = last + 1
            yield draft


@pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=["shared", "dedicated"])
@pytest.mark.parametrize("seed", range(6))
def test_no_schedule_needs_less_than_is_proved(seed: int, target: Target):
    graph = small(seed)
    # What is tried one by one is chains: across branches there are too many ways.
    prepared = bench(graph, target, CHAINS).prepared
    tight = 0
    for fixed in (NOTHING_FIXED, *fixings(graph, target)):
        given = obeying(prepared, fixed)
        (problem,) = given.stored.problems
        least = min(every_peak(given, problem), default=None)
        if least is None:
            # Nobody can do what is asked for: that was said before it came to memory.
            assert given.against
            continue
        need = proved_need(given)
        proved = need.size_bytes
        live = sum(
            min(map_bytes(graph.feature_maps[fm], each) for each in Format) for fm in need.maps
        )
        # What is named is live then, and not all of it may be.
        assert live <= proved or any(node.overwrites or node.alike for node in problem.nodes)
        assert proved <= least
        tight += proved == least
    assert tight


@pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=["shared", "dedicated"])
@pytest.mark.parametrize("seed", range(6))
def test_cascades_across_branches_leave_less_that_is_proved(seed: int, target: Target):
    graph = small(seed)
    chains, branches = (bench(graph, target, each).prepared for each in (CHAINS, ALL))
    for fixed in (NOTHING_FIXED, *fixings(graph, target)):
        given = obeying(chains, fixed)
        # What no chain can do is left out there.
        if not given.against:
            least = proved_need(obeying(branches, fixed)).size_bytes
            assert least <= proved_need(given).size_bytes
