"""How a front grows: `python -m tests.benchmarks.bench_front [STEPS] [PARTS OF MODEL NAMES ...]`.

For each model on three targets, in seconds of the processor: the direct search and its cycles, the
fewest cycles of the front, how far the front is from what it ends with after some times (the mean
over the logarithm of limits, from the lowest rung of the ladder on, as no chip has less), when that
is, and how long one limit takes from there. Answers to 60 random limits are held against each
other: the column `worse` counts those that are slower than for less memory, or over a limit that a
schedule of the front is within.
"""

from __future__ import annotations

import math
import random
import resource
import sys
import time
from collections.abc import Sequence
from itertools import pairwise

from core.api import networks
from core.ir.front import Front
from core.ir.options import Options, Search
from core.pipeline.best.plan import rungs_below
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from tests.shared import need

MODELS = (
    "kws_dscnn_int8",
    "person_detect",
    "resnet8_int8",
    "mobilenet_v1_0.25_128_quant",
    "mobilenet_v2_1.0_224_quant",
    "omv_yolov8n_192",
)
TARGETS = (
    ("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
    ("ethos-u55-64", "Ethos_U55_Deep_Embedded", "Sram_Only"),
)
SECONDS = (1, 3, 10, 30)
LIMITS = 60


def worse_steps(bench: Workbench, target: Target, options: Options, front: Front) -> int:
    """How many of some random limits cost cycles, or have an answer over them for no reason."""
    numbers = random.Random(20)
    sizes = [point.fast_bytes for point in front.points]
    low, high = math.log(max(sizes[0], 1024) / 2), math.log(sizes[-1] * 2)
    limits = sorted(round(math.exp(numbers.uniform(low, high))) for _ in range(LIMITS))
    found = [bench.fronts.look_up(target.with_limit(limit), options) for limit in limits]
    over = sum(
        each.fast_bytes > limit and sizes[0] <= limit
        for limit, each in zip(limits, found, strict=True)
    )
    return over + sum(
        more.total.total_cycles > less.total.total_cycles
        for less, more in pairwise(found)
        if less.layout.is_within_limits
    )


def measure(model: str, target: Target, effort: int) -> None:
    """Print a line about one model on one target."""
    options = Options(search=Search.BEST, effort=effort)
    start = time.process_time()
    run = networks.run(need(f"models/{model}.tflite").read_bytes(), target, options)
    bench = Workbench(run)
    direct = bench.fronts.look_up(target, options).total.total_cycles
    first = time.process_time() - start
    history = []
    front = Front()
    for front in bench.fronts.growing(target, options):
        history.append((time.process_time() - start, front))
    high = max(front.points[-1].fast_bytes, 2)
    low = max(front.points[0].fast_bytes, next(rungs_below(high), 1))
    last = front.mean_log_cycles(low, high)
    left = [
        math.expm1(
            next(each for when, each in reversed(history) if when <= end).mean_log_cycles(low, high)
            - last
        )
        if history[0][0] <= end
        else math.nan
        for end in SECONDS
    ]
    worse = worse_steps(bench, target, options, front)
    begin = time.process_time()
    for point in front.points:
        bench.fronts.look_up(target.with_limit(point.fast_bytes), options)
    each = (time.process_time() - begin) / len(front.points)
    cells = "".join(f"{part:8.1%}" for part in left)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{target.accelerator.name:14}{model[:26]:27}{first:7.2f}{direct / 1e3:9.0f}"
        f"{front.points[-1].cycles / 1e3:9.0f}{cells}{history[-1][0]:8.1f}{len(front.points):7}"
        f"{worse:6}{each * 1e3:9.2f}{peak:6}",
        flush=True,
    )


def main(arguments: Sequence[str]) -> None:
    """Print a line for each model and target."""
    effort, *parts = arguments or ["60"]
    times = "".join(f"{f'{end} s':>8}" for end in SECONDS)
    print(
        f"{'':41}{'first s':>7}{'direct':>9}{'best':>9}{times}{'end s':>8}{'points':>7}{'worse':>6}"
        f"{'look ms':>9}{'MiB':>6}"
    )
    for names in TARGETS:
        for model in MODELS:
            if not parts or any(part in model for part in parts):
                measure(model, resolve(*names), int(effort))


if __name__ == "__main__":
    main(sys.argv[1:])
