"""What a front gains over time: `python -m tests.benchmarks.bench_gain [STEPS] [MODELS]`.

For each model on the Ethos-U55-256 with shared SRAM, a line after 1, 2, 4, 8 steps and so on:
steps, seconds of the processor with reading and lowering, thousands of cycles at three limits, how
far all limits are from the last front in the mean, and the memory of the process in MiB. The limits
are what the smallest schedule of the last front takes, what the fastest does, and their geometric
mean; inf is written as long as no schedule is small enough.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Sequence

from core.api import networks
from core.ir.front import Front
from core.ir.options import Options, Search
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from tests.benchmarks.bench_front import MODELS
from tests.shared import need

TARGET = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
GOOD = 0.01


def measure(model: str, effort: int) -> None:
    """Print the lines of one model."""
    options = Options(search=Search.BEST, effort=effort)
    start = time.process_time()
    run = networks.run(need(f"models/{model}.tflite").read_bytes(), TARGET, options)
    history: list[tuple[int, float, Front]] = []
    for front in Workbench(run).fronts.growing(TARGET, options):
        history.append((len(history) + 1, time.process_time() - start, front))
    last = history[-1][2]
    low, high = max(last.points[0].fast_bytes, 1), max(last.points[-1].fast_bytes, 2)
    limits = (low, math.isqrt(low * high), high)

    def left(front: Front) -> float:
        if front.points[0].fast_bytes > low:
            return math.inf
        return math.expm1(front.mean_log_cycles(low, high) - last.mean_log_cycles(low, high))

    names = "".join(f"{f'{limit / 1024:.1f} KiB':>12}" for limit in limits)
    print(f"{model}\n{'steps':>7}{'s':>8}{names}{'to the last':>13}{'MiB':>6}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    for steps, seconds, front in history:
        if steps & (steps - 1) and front is not last:
            continue
        points = [front.answer(limit) for limit in limits]
        cells = "".join(
            f"{point.cycles / 1e3:11.1f}{'*' if point.fast_bytes > limit else ' '}"
            for point, limit in zip(points, limits, strict=True)
        )
        print(f"{steps:7}{seconds:8.1f}{cells}{left(front):13.2%}{peak:6}")
    when = next(seconds for _, seconds, front in history if left(front) <= GOOD)
    print(f"within 1 % after {when:.1f} s; done: {last.is_done}", flush=True)


def main(arguments: Sequence[str]) -> None:
    """Print the lines of each model; a star marks a limit that is not met yet."""
    effort, *parts = arguments or ["60"]
    for model in MODELS:
        if not parts or any(part in model for part in parts):
            measure(model, int(effort))


if __name__ == "__main__":
    main(sys.argv[1:])
