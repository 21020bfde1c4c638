"""Parts in the smallest stripes: whichever were asked for before, they take what they take when
they are played by themselves."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.schedule.branches.groups import Part
from core.schedule.branches.heights import heights_of
from core.schedule.branches.lowest import Lowest
from tests.core.schedule.front.cases import TARGETS, cuts_of


@pytest.mark.parametrize(("seed", "target"), list(product((1, 7), TARGETS)))
def test_they_take_what_they_take_when_played(seed: int, target: str) -> None:
    ground, draws = cuts_of(seed, target).ground, np.random.default_rng(seed)
    flow, player = ground.flow, ground.player
    lowest, rolling = Lowest(player), 0
    for last, first in enumerate(flow.earliest):
        for begin in sorted(range(first, last), key=lambda at: (draws.random() < 0.1, -at)):
            part = Part(begin, last)
            played = player.play(part, heights_of(flow.nodes[begin : last + 1], 0, {}))
            rolling += len(played.rings) > 1
            assert lowest.size_bytes(part) == played.size_bytes
    assert rolling
