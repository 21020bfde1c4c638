"""What it is worth to cut networks as a whole: `python -m tests.benchmarks.bench_cuts [MODEL ...]`.

Shared models are scheduled within many limits, with the freedom `whole_cuts` and without it.
Printed are, by target: cycles with it to those without it where both meet the limit (geomean, best,
worst), and the CPU time of both.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unittest.mock import patch

from core.api import networks, schedules
from core.base.frozen import replace
from core.ir.freedoms import ALL, Freedoms
from core.ir.options import Options
from tests.core.emit.shared_cases import target_of
from tests.shared import files

LIMITS_KIB = {
    "u65-256-dedicated-384k": (8, 16, 32, 48, 64, 96, 128, 192, 384),
    "u55-256-shared-perf": (16, 32, 48, 64, 96, 128, 192, 256, 384, 1024),
}
STEPWISE = replace(ALL, whole_cuts=False)


class Found(NamedTuple):
    """A schedule, as far as it is compared."""

    cycles: float
    meets_limit: bool


def found(model: bytes, name: str, freedoms: Freedoms) -> Iterator[Found]:
    """Schedules within all limits, one after the other as somebody drags."""
    target, _ = target_of(name)
    with patch.object(Options, "freedoms", freedoms):
        bench = schedules.Workbench(networks.run(model, target, Options()))
        for limit_kib in LIMITS_KIB[name]:
            done = bench.schedule(target.with_limit(limit_kib << 10), Options())
            yield Found(done.total.total_cycles, done.layout.is_within_limits)


def main(words: Sequence[str]) -> None:
    """Print a row for each target."""
    models = [path for path in files("models/*.tflite") if not words or path.stem in words]
    print(
        f"{'target':24}{'pairs':>6}{'geomean':>9}{'best':>7}{'worst':>7}{'CPU s':>8}{'before':>8}"
    )
    for name in LIMITS_KIB:
        ratios: list[float] = []
        seconds = {ALL: 0.0, STEPWISE: 0.0}
        for path in models:
            model, both = path.read_bytes(), []
            for freedoms in seconds:
                start = time.process_time()
                both.append(list(found(model, name, freedoms)))
                seconds[freedoms] += time.process_time() - start
            ratios += [
                mine.cycles / other.cycles
                for mine, other in zip(*both, strict=True)
                if mine.meets_limit and other.meets_limit
            ]
        geomean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(
            f"{name:24}{len(ratios):6}{geomean:9.3f}{min(ratios):7.3f}{max(ratios):7.3f}"
            f"{seconds[ALL]:8.1f}{seconds[STEPWISE]:8.1f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
