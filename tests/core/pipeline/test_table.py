"""What becomes of the examples within some limits: whoever changes a figure sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.api.networks import run
from core.ir.options import Engine, Options, Strategy
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Area

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")

LIMITS_KIB = {
    ("kws_dscnn", DEDICATED): (8, 12, 20),
    ("kws_dscnn", SHARED): (16, 24),
    ("mobilenet_v2_035_96", DEDICATED): (8, 24),
    ("mobilenet_v2_035_96", SHARED): (16, 64),
    ("residual_tower", DEDICATED): (16, 48),
    ("resnet8", SHARED): (36, 48),
    ("shuffle_with_cpu", DEDICATED): (8, 16),
    ("camera_and_motion", SHARED): (64, 96),
    ("denoise_int16", DEDICATED): (8, 24),
}
"""Most are below what all maps take, so that there is something to decide."""

HEADER = (
    f"{'network':20}{'memory':10}{'KiB':>4} {'engine':10}{'strategy':12}{'cycles':>9}{'peak':>8}"
    f"{'SRAM':>8}{'cascades':>9}{'of ops':>7}{'evicted':>8}{'bytes':>8}"
)


def rows() -> Iterator[str]:
    yield HEADER
    for (name, target), limits in LIMITS_KIB.items():
        data = (EXAMPLES / f"{name}.tflite").read_bytes()
        table = Workbench(run(data, target, Options()))
        for limit in limits:
            for engine in Engine:
                for strategy in Strategy:
                    options = Options(engine=engine, strategy=strategy)
                    done = table.schedule(target.with_limit(limit << 10), options)
                    memory = "dedicated" if target is DEDICATED else "shared"
                    yield f"{name:20}{memory:10}{limit:4} {engine.value:10}{strategy.value:12}" + (
                        figures(done)
                    )


def figures(done: Scheduled) -> str:
    islands = done.schedule.islands
    cascades = [cascade for island in islands for cascade in island.cascades]
    evicted = [item for island in islands for item in island.evicted]
    return (
        f"{round(done.total.total_cycles):9}{max(island.peak_bytes for island in islands):8}"
        f"{done.layout.used_bytes(Area.SRAM):8}{len(cascades):9}"
        f"{sum(len(cascade.ops) for cascade in cascades):7}"
        f"{len(evicted):8}{sum(item.size_bytes for item in evicted):8}"
    )


@pytest.mark.long
def test_examples_within_limits(golden):
    golden.check("examples_within_limits.txt", "\n".join(rows()) + "\n")
