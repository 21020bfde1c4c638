"""Orders of operators: what is needed comes first, wishes hold, and all else stays as it is."""

from __future__ import annotations

from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from core.base.ids import NpuOpId
from core.ir.fixed import Precedence
from core.liveness.order import Needs, arranged, needs_of
from tests.core.check.schedules import fork


@st.composite
def graphs(draw: st.DrawFn) -> Needs:
    """Operators of which each needs some of those before it."""
    count = draw(st.integers(1, 6))
    ops = tuple(NpuOpId(at) for at in range(count))
    return Needs(
        ops,
        {
            op: dict.fromkeys(draw(st.sets(st.sampled_from(ops[:at]))) if at else (), None)
            for at, op in enumerate(ops)
        },
    )


def is_right(needs: Needs, order: tuple[NpuOpId, ...]) -> bool:
    place = {op: at for at, op in enumerate(order)}
    return all(place[before] < place[op] for op in order for before in needs.of[op])


def orders(needs: Needs, wishes: list[Precedence]) -> list[tuple[NpuOpId, ...]]:
    """All that are right, by trying every one."""
    return [
        order
        for order in permutations(needs.ops)
        if is_right(needs, order)
        and all(order.index(wish.first) < order.index(wish.then) for wish in wishes)
    ]


@given(graphs(), st.data())
def test_an_order_is_found_wherever_there_is_one(needs: Needs, data: st.DataObject):
    pair = st.tuples(st.sampled_from(needs.ops), st.sampled_from(needs.ops), st.booleans())
    wishes = [Precedence(*each) for each in data.draw(st.lists(pair, max_size=4))]
    possible = orders(needs, wishes)
    if possible:
        assert arranged(needs, wishes) in possible


@given(graphs())
def test_without_a_wish_it_stays_as_it_is(needs: Needs):
    assert arranged(needs, ()) == needs.ops


@given(graphs(), st.data())
def test_wishes_of_all_neighbours_are_that_order(needs: Needs, data: st.DataObject):
    order = data.draw(st.sampled_from(orders(needs, [])))
    wishes = [Precedence(*pair) for pair in pairwise(order)]
    assert arranged(needs, wishes) == order


@given(graphs(), st.data())
def test_a_path_says_why_one_is_behind_another(needs: Needs, data: st.DataObject):
    one, other = (data.draw(st.sampled_from(needs.ops)) for _ in range(2))
    path = needs.path(one, other)
    is_always_so = all(order.index(one) <= order.index(other) for order in orders(needs, []))
    assert bool(path) == is_always_so
    assert all(before in needs.of[after] for before, after in pairwise(path))


def test_readers_need_makers_and_nobody_else():
    graph = fork()
    needs = needs_of(graph, graph.islands[0].ops)
    for op in graph.ops:
        makers = {each.id for each in graph.ops if each.ofm.fm in {v.fm for v in op.views[:-1]}}
        assert set(needs.of[op.id]) == makers


def test_one_that_waits_stands_behind_and_one_that_is_drawn_before():
    ops = tuple(NpuOpId(at) for at in range(4))
    needs = Needs(ops, {op: {} for op in ops})
    assert arranged(needs, [Precedence(ops[3], ops[0])]) == (3, 0, 1, 2)
    assert arranged(needs, [Precedence(ops[3], ops[0], waits=True)]) == (1, 2, 3, 0)
