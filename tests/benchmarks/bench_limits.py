"""Limits from 64 KiB to 1 MiB, each search: `python -m tests.benchmarks.bench_limits`.

A larger limit should never cost cycles; how often it does with one search for one limit, and what a
front takes for that, is what this prints. Parts of model names as arguments choose models.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from core.api import networks
from core.ir.options import Options, Search
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from tests.shared import need

KIB = 1024
LIMITS_KIB = (64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024)
MODELS = (
    "mobilenet_v2_1.0_224_quant",
    "omv_yolov8n_192",
    "movenet_single_pose_lightning_ptq",
    "mobilenet_v1_0.25_128_quant",
    "person_detect",
    "omv_blazeface_front_128",
)
TARGETS = (
    ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
    ("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
)


class Sweep(NamedTuple):
    """One model on one target, by limit; how long all limits take, and how long they do again."""

    cycles: list[float]
    excess_bytes: list[int]
    first_seconds: float
    warm_seconds: float

    @property
    def worse(self) -> list[float]:
        """By what part a step to a larger limit makes it slower, where it does."""
        return [more / less - 1 for less, more in pairwise(self.cycles) if more > less]


def sweep(model: str, target: Target, search: Search) -> Sweep:
    """The model for all limits."""
    options = Options(search=search)
    run = networks.run(need(f"models/{model}.tflite").read_bytes(), target, options)
    table = Workbench(run)
    seconds, cycles, excess = [], [], []
    for _ in range(2):
        start = time.perf_counter()
        done = [table.schedule(target.with_limit(limit * KIB), options) for limit in LIMITS_KIB]
        seconds.append(time.perf_counter() - start)
        cycles = [each.total.total_cycles for each in done]
        excess = [sum(area.excess_bytes for area in each.layout.areas) for each in done]
    return Sweep(cycles, excess, *seconds)


def main(arguments: Sequence[str]) -> None:
    """Print a line of thousands of cycles for each sweep; a star marks a limit that is not met."""
    chosen = [m for m in MODELS if all(part in m for part in arguments)]
    shown = "".join(f"{limit:>8}" for limit in LIMITS_KIB)
    print(f"{'thousands of cycles with KiB':>50}{shown}   worse   first s  warm s")
    for search in Search:
        worse: list[float] = []
        steps = 0
        for names in TARGETS:
            for model in chosen:
                found = sweep(model, resolve(*names), search)
                worse += found.worse
                steps += len(found.cycles) - 1
                cells = "".join(
                    f"{cycles / 1e3:7.0f}{'*' if excess else ' '}"
                    for cycles, excess in zip(found.cycles, found.excess_bytes, strict=True)
                )
                print(
                    f"{search.value:9} {names[0]:14} {model[:24]:25} {cells}"
                    f" {len(found.worse):7} {found.first_seconds:9.2f} {found.warm_seconds:7.2f}",
                    flush=True,
                )
        most = max(worse, default=0)
        print(f"{search.value}: {len(worse)} of {steps} steps cost cycles, at most {most:.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
