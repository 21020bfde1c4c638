"""How near the limit: `python -m tests.benchmarks.bench_least [STEPS] [TARGET ...] [MODEL ...]`.

A table in Markdown, by model and target: the cycles of the direct search, and of a front of so many
steps (12 where no number is given, and with 0 none), each to what no schedule does without
(`core/cost/least.py`). Below are the geomeans. A target's name asks for it alone, anything else for
the models with it in their names.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

from core.api import networks
from core.base.frozen import replace
from core.ir.options import Options, Search
from core.pipeline.scheduled import Workbench
from core.target.target import Target
from tests.core.emit.shared_cases import target_of
from tests.shared import files

TARGETS = (
    "u55-256-shared-perf",
    "u55-64-sramonly-perf",
    "u65-256-dedicated-384k",
    "u65-512-dedicated-128k",
)
STEPS = 12


class Ratios(NamedTuple):
    """Of one network on one target, to what is proved."""

    direct: float
    best: float


def ratios(model: bytes, target: Target, steps: int) -> Ratios:
    """How near the schedules of a network are."""
    bench = Workbench(networks.run(model, target, Options()))
    least = bench.least_cycles(target)
    direct = best = bench.schedule(target, Options())
    if steps:
        best = bench.schedule(target, replace(Options(), search=Search.BEST, effort=steps))
    return Ratios(direct.total.total_cycles / least, best.total.total_cycles / least)


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    steps = next((int(word) for word in arguments if word.isdigit()), STEPS)
    asked = [name for name in TARGETS if name in arguments] or list(TARGETS)
    words = [word for word in arguments if word not in TARGETS and not word.isdigit()]
    models = [
        path
        for path in files("models/*.tflite")
        if not words or any(word in path.stem for word in words)
    ]
    _print(["network", *asked])
    _print(["---"] * (len(asked) + 1))
    found: list[list[Ratios]] = []
    for path in models:
        found.append([ratios(path.read_bytes(), target_of(name)[0], steps) for name in asked])
        _print([path.stem, *(f"{each.direct:.3f}, {each.best:.3f}" for each in found[-1])])
    columns = zip(*found, strict=True)
    _print(["geomean", *(", ".join(map(_geomean, zip(*own, strict=True))) for own in columns)])


def _geomean(numbers: Sequence[float]) -> str:
    return f"{math.exp(math.fsum(map(math.log, numbers)) / len(numbers)):.3f}"


def _print(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
