"""More memory is no slower: where random networks once were, each for a reason of its own."""

from __future__ import annotations

import pytest

from core.api import networks, schedules
from core.ir.options import Options
from core.target.resolve import resolve
from core.tflite import writer
from tests.networks.branching_networks import branching_network
from tests.networks.random_networks import random_network

DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")


@pytest.mark.parametrize(
    ("make", "seed", "target", "less_bytes", "more_bytes"),
    [
        pytest.param(
            branching_network, 300, DEDICATED, 18_584, 22_873, id="a map is sent away for weights"
        ),
        pytest.param(
            branching_network,
            313,
            SHARED,
            58_419,
            73_024,
            id="another order has room where bytes are lost",
        ),
        pytest.param(
            branching_network,
            301,
            SHARED,
            5_779,
            7_224,
            id="less everywhere costs less than free bytes",
        ),
        pytest.param(random_network, 308, DEDICATED, 4_748, 5_639, id="a copy takes cycles"),
        pytest.param(
            branching_network, 312, DEDICATED, 3_456, 4_492, id="a block suits where maps are"
        ),
    ],
)
def test_more_memory_is_no_slower(make, seed, target, less_bytes, more_bytes):
    run = networks.run(writer.write(make(seed)), target, Options())
    less, more = (
        schedules.Workbench(run).schedule(target.with_limit(limit_bytes), Options())
        for limit_bytes in (less_bytes, more_bytes)
    )
    assert less.layout.is_within_limits
    assert more.layout.is_within_limits
    assert more.total.total_cycles <= less.total.total_cycles
