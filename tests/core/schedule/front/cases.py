"""Small islands as the search of their cuts sees them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from core.ir.options import Options
from core.schedule.front.cuts import Cuts
from core.schedule.front.engine import FrontEngine
from core.target.resolve import resolve
from tests.core.edits.frozen import bench_of
from tests.networks.branching_networks import branching_network

TARGETS = {
    "shared": ("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    "dedicated": ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
}
FREE = Options()
LIMITS = (512, 1024, 2048, 4096)


@cache
def cuts_of(seed: int, target: str) -> Cuts:
    """Those of a random network, as its search has left them."""
    return next(_searched(seed, target))


def _searched(seed: int, target: str) -> Iterator[Cuts]:
    resolved, found = resolve(*TARGETS[target]), []
    search = FrontEngine._best_cut

    def told(self: FrontEngine, cuts: Cuts, limit_bytes: int):
        found.append(cuts)
        return search(self, cuts, limit_bytes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FrontEngine, "_best_cut", told)
        bench = bench_of(branching_network(seed), resolved, FREE)
        for limit_bytes in LIMITS:
            bench.schedule(resolved.with_limit(limit_bytes), FREE)
    yield from found
