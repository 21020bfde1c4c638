"""What is remembered of the commands of islands prices them as all of their commands do."""

from __future__ import annotations

import math

import pytest

from core.api import networks, schedules, targets
from core.cost.island import Entry, Pieces, costs_of_commands
from core.cost.model import CostModel
from core.cost.stripes import MapOf, StripePrices
from core.ir.options import Options
from core.ir.schedule import OpPlan
from core.tflite import writer
from tests.core.emit.random_chains import random_chain
from tests.networks.random_networks import random_network

LIMITS_KIB = (4, 8, 16, 24, 64, 16)


def entry_of(prices: StripePrices, plan: OpPlan, map_of: MapOf) -> Entry:
    op = prices.graph.ops[plan.op]
    key = prices.key(op, plan.stripe.ofm.h, plan.block, plan.weights, map_of)
    is_rolling = plan.cascade is not None and map_of(op.ofm.fm).rolling is not None
    return Entry(op.id, key, plan.cascade, is_rolling)


@pytest.mark.parametrize("mode", ["Shared_Sram", "Dedicated_Sram"])
@pytest.mark.parametrize("seed", range(12))
def test_pieces_of_other_schedules_add_up_to_the_price_of_this_one(seed: int, mode: str):
    """Tables, buffers and cascades of a schedule run into those of the one before."""
    system = "Ethos_U65_Embedded" if mode == "Shared_Sram" else "Ethos_U65_High_End"
    of = [
        targets.resolve_target("ethos-u65-256", system, mode, arena_cache_size=limit << 10)
        for limit in LIMITS_KIB
    ]
    network = random_chain(seed) if seed % 2 else random_network(seed)
    run = networks.run(writer.write(network), of[0], Options())
    bench = schedules.Workbench(run)
    prices = StripePrices(run.graph, CostModel(of[0].with_limit(None)))
    pieces = Pieces(prices)
    for target in of:
        schedule = bench.schedule(target, Options()).schedule
        for island in schedule.islands:
            map_of = schedule.maps.__getitem__
            costs = costs_of_commands(prices, island.ops, map_of)
            entries = [entry_of(prices, plan, map_of) for plan in island.ops]
            found = pieces.cycles(entries, lambda plans=island.ops: plans, map_of)
            assert found.total == math.fsum(cost.total_cycles for cost in costs)
            assert found.dram == math.fsum(cost.dram_cycles for cost in costs)
