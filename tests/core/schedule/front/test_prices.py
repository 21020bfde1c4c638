"""What operators cost wherever their maps are is what their commands cost there."""

from __future__ import annotations

from itertools import product

import pytest

from core.base.frozen import replace
from core.ir.npugraph import OpKind
from core.ir.schedule import MapPlan
from core.target.region import Region
from tests.core.schedule.front.cases import TARGETS, cuts_of


@pytest.mark.parametrize(("seed", "target"), list(product((1, 7), TARGETS)))
def test_they_are_the_prices_of_commands(seed: int, target: str) -> None:
    prices = cuts_of(seed, target).ground.prices
    compared = 0
    for node, height, keeps in product(prices.problem.nodes, (0, 1, 3), (False, True)):
        if node.op.kind is OpKind.COPY or height > node.most_rows:
            continue
        plan = prices.plan(node, height)
        if plan.weights is None and keeps:
            continue
        read = None if plan.weights is None else plan.weights
        if read is not None and keeps:
            read = replace(read, buffers=(read.stream.stream_bytes,))
        for sides in product((False, True), repeat=len(node.fms)):
            side_of = dict(zip(node.fms, sides, strict=True))
            if any(side_of[fm] is not side for fm, side in zip(node.fms, sides, strict=True)):
                continue
            near = {fm for fm in node.fms if side_of[fm] and fm in prices.problem.movable}

            def map_of(fm, near=near):
                if fm in near:
                    return MapPlan(format=prices.problem.formats[fm], region=Region.SCRATCH_FAST)
                return replace(prices.defaults[fm], format=prices.far_formats[fm])

            stripe, block = plan.cost.stripe.ofm.h, plan.cost.block
            told = prices.estimates.prices.of(
                node.op, stripe, block, None if read is None else read.plan, map_of
            )
            places = tuple(fm in near for fm in node.fms)
            own = prices.cycles(node, plan, places, keeps_weights=keeps)
            assert own == pytest.approx(told.sums.cycles)
            compared += 1
    assert compared
