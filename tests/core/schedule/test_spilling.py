"""Which feature maps move to fast storage, where they live elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.geometry import Kernel
from core.base.ids import FmId, NpuOpId
from core.base.progress import SILENT
from core.ir.decisions import Fate, MapPlaced, SpillSolved
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import EvictionPolicy
from core.ir.schedule import Evicted
from core.liveness.lives import Life
from core.schedule.cascading.cascades import Surroundings, with_cascades
from core.schedule.draft import Draft, rolling_maps, snapshot
from core.schedule.eviction.policies import POLICIES
from core.schedule.fast_storage import FastIsBeside
from core.schedule.problem import IslandProblem
from core.schedule.spilling import Spill, evicted_beside, spill
from core.target.region import Region
from tests.core.schedule.chains import Link, chain
from tests.core.schedule.sketch import DEDICATED, Bench, Sketch, bench

TALL = (1, 32, 8, 16)
SIZE = 32 * 8 * 16
PLENTY = 1 << 40
BOTH = pytest.mark.parametrize("policy", list(EvictionPolicy), ids=lambda each: each.value)


def spilled(
    found: Bench,
    limit_bytes: int,
    policy: EvictionPolicy = EvictionPolicy.COMPONENT,
    draft: Draft | None = None,
) -> Spill:
    return spill(
        found.problem,
        found.estimates,
        draft or found.whole(),
        limit_bytes,
        POLICIES[policy],
        SILENT,
    )


def fast(s: Sketch, *outputs: FmId) -> set[FmId]:
    """What is in fast storage when there is room for everything."""
    return set(spilled(bench(s.build(*outputs), DEDICATED), PLENTY).fast)


class TestMapsThatMove:
    def test_are_those_between_operators_where_there_is_room(self):
        s = Sketch()
        one = s.conv(s.input(TALL))
        two = s.conv(one)
        assert fast(s, s.conv(two)) == {one, two}

    def test_are_no_inputs_and_no_outputs_be_they_read_inside_or_not(self):
        s = Sketch()
        both = s.conv(s.input(TALL))
        assert fast(s, both, s.conv(both)) == set()

    def test_are_none_that_leave_the_island(self):
        s = Sketch()
        one = s.conv(s.input(TALL))
        read_there, made_there = s.conv(one), s.map(TALL)
        last = s.conv(read_there)
        s.cpu((read_there,), (made_there,))
        assert fast(s, last, s.conv(made_there)) == {one}

    def test_are_none_that_nobody_reads(self):
        s = Sketch()
        one = s.conv(s.input(TALL))
        s.conv(one)
        assert fast(s, s.conv(one)) == {one}

    def test_are_no_states_and_nothing_in_their_bytes(self):
        s = Sketch()
        state = s.map(TALL, is_variable=True)
        after = s.map(TALL, storage=state)
        s.op(OpKind.ADD, after, state, s.conv(s.input(TALL)))
        last = s.conv(after)
        assert after not in fast(s, last)
        assert state not in fast(s, last)

    def test_are_no_states_that_the_island_writes(self):
        s = Sketch()
        state = s.map(TALL, is_variable=True)
        s.op(OpKind.ABS, state, s.conv(s.input(TALL)))
        assert state not in fast(s, s.conv(state))

    def test_are_no_constants(self):
        s = Sketch()
        row = s.constant((1, 1, 1, 16))
        one = s.conv(s.input(TALL))
        two = s.add(one, row)
        assert fast(s, s.conv(two)) == {one, two}

    def test_are_those_that_several_operators_make(self):
        s = Sketch()
        joined = s.map((1, 32, 8, 32))
        first = s.input(TALL)
        for start in (0, 16):
            s.op(OpKind.CONV_2D, s.part(joined, (0, 0, 0, start), TALL), first)
        assert fast(s, s.conv(joined)) == {joined}

    def test_do_not_move_where_a_cascade_makes_them(self):
        """What it makes goes through rolling buffers, and its last output stays where it is."""
        found = bench(chain([Link(OpKind.CONV_2D, 16, Kernel(h=3, w=3))] * 5, 64), DEDICATED)
        draft = cascaded(found, 12_000, last=3)
        rolling = set(rolling_maps(draft))
        inside = {found.problem.nodes[at].ofm.fm for at in range(3)}
        assert rolling == {1, 2}
        assert spilled(found, PLENTY, draft=draft).fast.isdisjoint(inside)

    def test_move_where_a_cascade_reads_them(self):
        found = bench(chain([Link(OpKind.CONV_2D, 16, Kernel(h=3, w=3))] * 4, 64), DEDICATED)
        draft = found.whole()
        last = cascaded(found, 12_000, first=1)
        draft.ops |= {at: plan for at, plan in last.ops.items() if at}
        draft.cascades = last.cascades
        assert 1 in spilled(found, PLENTY, draft=draft).fast


def cascaded(found: Bench, limit_bytes: int, first: int = 0, last: int | None = None) -> Draft:
    """The nodes from the first to before the last in a cascade, the others whole."""
    nodes = found.problem.nodes[first:last]
    around = Surroundings(
        nodes=nodes, limit_bytes=limit_bytes, beside_bytes={}, storage=FastIsBeside()
    )
    whole = found.whole()
    built = with_cascades(found.smallest(), whole.ops, around)
    assert len(built.cascades) == 1
    whole.ops |= built.ops
    whole.cascades = built.cascades
    return whole


class TestTheLog:
    def test_says_of_each_map_where_it_is_for_how_long_and_what_that_is_worth(self):
        s = Sketch()
        one = s.conv(s.input(TALL))
        found = bench(s.build(s.conv(one)), DEDICATED)
        worth = [
            count
            for node in found.problem.nodes
            for view, count in zip(
                node.op.views,
                found.estimates.accesses(node, found.whole().ops[node.index].cost.block),
                strict=True,
            )
            if view.fm == one
        ]
        assert spilled(found, PLENTY).decisions[0] == MapPlaced(
            fms=(one,),
            region=Region.SCRATCH_FAST,
            reason=Fate.ALWAYS_FITS,
            size_bytes=SIZE,
            start_time=0,
            end_time=3,
            accesses=sum(worth),
            within_bytes=PLENTY,
        )
        assert len(worth) == 2

    def test_says_that_what_is_larger_than_the_limit_never_fits(self):
        s = Sketch()
        graph = s.build(s.conv(s.conv(s.input(TALL))))
        found = spilled(bench(graph, DEDICATED), SIZE - 1)
        assert found.fast == frozenset()
        assert found.decisions[0].region is Region.SCRATCH
        assert found.decisions[0].reason is Fate.NEVER_FITS

    def test_counts_maps_that_share_their_bytes_as_one(self):
        s = Sketch()
        one = s.conv(s.input(TALL))
        two = s.alone(one)
        found = spilled(bench(s.build(s.conv(two)), DEDICATED), SIZE)
        assert found.fast == {one, two}
        assert [each.fms for each in found.decisions] == [(one, two)]


GRAPH_PLANS = st.lists(
    st.tuples(st.sampled_from(("conv", "conv", "add", "alone")), st.integers(0, 30)),
    min_size=2,
    max_size=9,
)


def network(steps: list[tuple[str, int]]) -> NpuGraph:
    """Each step reads the map before it, and a sum one from further back."""
    s = Sketch()
    pool = [s.conv(s.input(TALL))]
    for kind, back in steps:
        other = pool[-1 - back % len(pool)]
        if kind == "conv":
            pool.append(s.conv(pool[-1]))
        elif kind == "alone":
            pool.append(s.alone(pool[-1]))
        else:
            pool.append(s.add(pool[-1], other))
    return s.build(s.conv(pool[-1]))


@BOTH
@given(steps=GRAPH_PLANS, limit=st.integers(0, 5 * SIZE), buffer=st.integers(0, 2 * SIZE))
@settings(max_examples=40)
def test_what_is_kept_fits_wherever_what_cannot_move_does(policy, steps, limit, buffer):
    found = bench(network(steps), DEDICATED)
    draft = found.whole()
    # A weight buffer beside the third operator, which nobody can move.
    weights = replace(draft.ops[0].weights, buffers=(buffer,))
    draft.ops[2] = replace(draft.ops[2], weights=weights)
    base = snapshot(found.problem, draft)
    done = spilled(found, limit, policy, draft)
    assert done.now.usage == snapshot(found.problem, draft, done.fast).usage
    for fixed, live in zip(base.usage, done.now.usage, strict=False):
        assert live <= limit or fixed > limit
    assert all(fixed <= live for fixed, live in zip(base.usage, done.now.usage, strict=False))


@BOTH
@given(steps=GRAPH_PLANS, limit=st.integers(0, 5 * SIZE))
@settings(max_examples=40)
def test_every_map_between_is_kept_or_evicted_and_placed_once_in_the_log(policy, steps, limit):
    graph = network(steps)
    done = spilled(bench(graph, DEDICATED), limit, policy)
    read = {view.fm for op in graph.ops for view in op.views[:-1]}
    between = {op.ofm.fm for op in graph.ops if op.ofm.fm in read}
    gone = [fm for each in done.sent_away for fm in each.fms]
    assert sorted([*gone, *done.fast]) == sorted(between)
    placed = [each for each in done.decisions if isinstance(each, MapPlaced)]
    assert sorted(fm for each in placed for fm in each.fms) == sorted(between)
    for each in placed:
        is_fast = each.region is Region.SCRATCH_FAST
        assert {fm in done.fast for fm in each.fms} == {is_fast}
        assert (each.reason in {Fate.ALWAYS_FITS, Fate.WON}) == is_fast
    assert [(each.fms, each.start_time, each.end_time, each.size_bytes) for each in placed
            if each.region is Region.SCRATCH] == [
        (each.fms, each.start_time, each.end_time, each.size_bytes) for each in done.sent_away
    ]  # fmt: skip


@given(steps=GRAPH_PLANS, limit=st.integers(0, 5 * SIZE))
@settings(max_examples=40)
def test_groups_that_were_decided_together_hold_what_won_or_lost(steps, limit):
    done = spilled(bench(network(steps), DEDICATED), limit)
    contested = {
        fm
        for each in done.decisions
        if isinstance(each, MapPlaced) and each.reason in {Fate.WON, Fate.LOST}
        for fm in each.fms
    }
    groups = [each for each in done.decisions if isinstance(each, SpillSolved)]
    assert sorted(fm for each in groups for fm in each.fms) == sorted(contested)
    assert all(each.is_proven_optimal for each in groups)


TIMES = st.tuples(st.integers(0, 12), st.integers(0, 5)).map(lambda t: (t[0], t[0] + t[1]))


def second_island() -> IslandProblem:
    """Four operators in the second island: their places differ from their ids."""
    s = Sketch()
    value = s.map((1, 8, 8, 16))
    s.cpu((s.conv(s.input((1, 8, 8, 16))),), (value,))
    for _ in range(4):
        value = s.conv(value)
    return bench(s.build(value), DEDICATED).prepared.stored.problems[1]


PROBLEM = second_island()


def buffer(op: int, start: int, end: int) -> Life:
    return Life(size_bytes=1, start_time=start, end_time=end, op=NpuOpId(op))


def evicted(size: int, start: int, end: int) -> Evicted:
    return Evicted(fms=(FmId(2),), start_time=start, end_time=end, size_bytes=size)


@given(st.lists(TIMES, max_size=4), st.lists(st.tuples(TIMES, st.integers(1, 99)), max_size=4))
def test_a_buffer_meets_what_it_shares_more_than_one_time_with(buffers, others):
    """At the one time between two operators what ends and what begins may both be there."""
    lives = [buffer(op, *times) for op, times in enumerate(buffers, start=1)]
    gone = [evicted(size, *times) for times, size in others]
    expected = {}
    for place, (start, end) in enumerate(buffers):
        own = set(range(start, end + 1))
        beside = sum(
            size for (first, last), size in others if len(own & set(range(first, last + 1))) > 1
        )
        if beside:
            expected[place] = beside
    assert evicted_beside(PROBLEM, lives, gone) == expected


def test_maps_that_stayed_are_no_buffers():
    life = Life(size_bytes=64, start_time=0, end_time=9, fms=(FmId(3),))
    assert evicted_beside(PROBLEM, [life], [evicted(32, 0, 9)]) == {}


def test_operators_are_named_by_their_place_in_the_island():
    assert evicted_beside(PROBLEM, [buffer(3, 4, 5)], [evicted(32, 0, 9)]) == {2: 32}
