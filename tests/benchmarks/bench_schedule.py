"""Times of scheduling: `python -m tests.benchmarks.bench_schedule [KIND] [PART] [NAME]`.

`what-if`: a warm workbench is asked for limits that it has not seen; schedule, addresses and costs.
Then another, where the app's worker has had time to make ready for limits near by.
`growth`: chains, trees, ways beside each other, residuals, long skips of 100 to 10,000 operators;
what each takes, in lowering, in a first answer and in another, should grow by a third at most.
`branches`: 1,000 operators with branches; seconds of CPU, how long nobody could cancel, what-if.
A part chooses networks by their names; growth takes an allocator's name as well.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.api import networks
from core.base.process import keep_memory
from core.base.progress import SILENT
from core.ir.network import Network
from core.ir.options import Allocator, LoweringOptions, Options
from core.ir.scheduled import Run, Scheduled
from core.ir.settings import Settings
from core.lower import run as lower
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from core.tflite import writer
from gui.jobs.desk import Bench
from tests.benchmarks.networks import chain, parallel, residual, skips, tree
from tests.networks.branching_networks import long_branching_network
from tests.shared import files

NAME = "tests.benchmarks.bench_schedule"
KIB = 1024
MIB = 1024 * KIB
DEDICATED = ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
MEMORIES = {"dedicated": DEDICATED, "shared": SHARED}

WARM_LIMIT_KIB = 384
LIMITS_KIB = (*range(288, 384, 12), *range(388, 484, 8))
"""Twenty around the limit that the workbench was warmed with, but not that one."""
BUDGET_SECONDS = {"mobilenet_v2_1.0_224_quant": 0.08, "kws_dscnn_int8": 0.02}

LENGTHS = (100, 1_000, 10_000)
SHAPES = {
    "chain": chain,
    "tree": tree,
    "parallel": parallel,
    "residual": residual,
    "skips": skips,
}
GROWTH_LIMITS = {(shape, memory): 8 * KIB for shape in SHAPES for memory in MEMORIES} | {
    ("tree", "shared"): 24 * KIB,
    ("parallel", "shared"): 24 * KIB,
}
"""Below what whole maps and their buffers take, so that there is something to search for."""
MOST_SECONDS = 300
MOST_GROWTH = 1.3
MOST_BYTES = 400 * MIB

BRANCHING_SOURCES = 1_150
"""Operators of the file, of which lowering makes a thousand."""
BRANCHING_LIMIT = 128 * KIB
MOST_BRANCHING_SECONDS = 20.0


def timed(
    table: Workbench, target: Target, allocator: Allocator = Allocator.HILL_CLIMB
) -> tuple[float, Scheduled]:
    """Seconds, and what was made in them."""
    start = time.perf_counter()
    done = table.schedule(target, Options(allocator=allocator))
    return time.perf_counter() - start, done


def what_if(part: str) -> None:
    """Print median and maximum for each real network."""
    target = resolve(*DEDICATED)
    heads = ("first", "median", "most", "ready in", "median", "most", "budget")
    print(f"{'milliseconds for a new limit':40} {' '.join(f'{head:>8}' for head in heads)}")
    for path in files("models/*.tflite"):
        if part not in path.stem:
            continue
        run = networks.run(path.read_bytes(), target, Options())
        first, _, times = moved(run, target, is_ready=False)
        _, ready, later = moved(run, target, is_ready=True)
        budget = BUDGET_SECONDS.get(path.stem)
        cells = (first, *_ends(times), ready, *_ends(later))
        shown = " ".join(f"{seconds * 1e3:8.1f}" for seconds in cells)
        print(f"{path.stem:40} {shown} {'' if budget is None else f'{budget * 1e3:8.1f}'}")


def moved(run: Run, target: Target, *, is_ready: bool) -> tuple[float, float, list[float]]:
    """Seconds of a first answer, of making ready, and of an answer to each limit after it."""
    bench, limit = Bench("", Workbench(run)), target.with_limit(WARM_LIMIT_KIB * KIB)
    first, _ = timed(bench.workbench, limit)
    start = time.perf_counter()
    if is_ready:
        bench.make_ready(Settings.of(limit, Options()), SILENT)
    ready = time.perf_counter() - start
    # Not one of them is a limit that it was made ready with.
    limits = [target.with_limit(limit * KIB + KIB // 2) for limit in LIMITS_KIB]
    return first, ready, [timed(bench.workbench, limit)[0] for limit in limits]


def _ends(seconds: Sequence[float]) -> tuple[float, float]:
    return statistics.median(seconds), max(seconds)


class Growth(NamedTuple):
    """What one synthetic network took."""

    operators: int
    lowering_us: float
    """For each operator."""
    cold_us: float
    warm_us: float
    peak_bytes: int

    def __str__(self) -> str:
        times = f"{self.lowering_us:10.1f} {self.cold_us:10.1f} {self.warm_us:10.1f}"
        return f"{times} {self.peak_bytes / MIB:8.0f}"


def grown(network: Network, memory: str, limit_bytes: int, allocator: Allocator) -> Growth:
    """Schedule a network: first with nothing known, then for a limit that is a little larger."""
    target = resolve(*MEMORIES[memory]).with_limit(limit_bytes)
    start = time.perf_counter()
    graph = lower.run(network, target.accelerator, LoweringOptions())
    lowering = time.perf_counter() - start
    table = Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))
    cold, _ = timed(table, target, allocator)
    warm, _ = timed(table, target.with_limit(limit_bytes + 256), allocator)
    count = len(graph.ops)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    lowering_us, cold_us, warm_us = (each / count * 1e6 for each in (lowering, cold, warm))
    return Growth(count, lowering_us, cold_us, warm_us, peak)


def growth(part: str, allocator: str) -> None:
    """Print microseconds for an operator; each network has a process of its own for its memory."""
    print(f"{'microseconds an operator':40} {'lowering':>10} {'cold':>10} {'warm':>10} {'MiB':>8}")
    for shape, memory in GROWTH_LIMITS:
        if part not in f"{shape}-{memory}":
            continue
        found = []
        for length in LENGTHS:
            command = [sys.executable, "-m", NAME, "one", shape, memory, str(length)]
            command.append(allocator)
            title = f"{shape} of {length:,}, {memory}"
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True, timeout=MOST_SECONDS
                )
            except subprocess.TimeoutExpired:
                print(f"{title:40} more than {MOST_SECONDS} s", flush=True)
                break
            count, lowering, cold, warm, peak = done.stdout.split()
            times = float(lowering), float(cold), float(warm)
            found.append(Growth(int(count), *times, int(peak)))
            print(f"{title:40} {found[-1]}", flush=True)
        if len(found) == len(LENGTHS):
            shown = ", ".join(
                f"{end / begin:.2f}" for begin, end in zip(*_times(found), strict=True)
            )
            print(f"{'':40} grows by {shown}; budget {MOST_GROWTH}; memory {MOST_BYTES // MIB} MiB")


def _times(found: Sequence[Growth]) -> list[tuple[float, ...]]:
    """Of the smallest network, and of the largest."""
    return [(each.lowering_us, each.cold_us, each.warm_us) for each in (found[0], found[-1])]


@dataclass(slots=True)
class Watch:
    """Seconds of CPU between two reports of progress: in each of them somebody can cancel."""

    last: float = field(default_factory=time.process_time)
    most: float = 0.0

    def advance(self, stage: str, done: int, total: int) -> None:
        """Take a report."""
        del stage, done, total
        now = time.process_time()
        self.most, self.last = max(self.most, now - self.last), now


def branches(part: str) -> None:
    """Print what a long network with branches takes in either memory."""
    print(f"{'seconds of CPU, 1,000 operators':40} {'first':>8} {'blind':>8} {'what-if':>8}")
    data = writer.write(long_branching_network(BRANCHING_SOURCES))
    for memory, names in MEMORIES.items():
        if part not in memory:
            continue
        target = resolve(*names)
        table = Workbench(networks.run(data, target, Options()))
        watch, start = Watch(), time.process_time()
        table.schedule(target.with_limit(BRANCHING_LIMIT), Options(), watch)
        first, times = time.process_time() - start, []
        for limit in range(BRANCHING_LIMIT + KIB, BRANCHING_LIMIT + 8 * KIB, KIB):
            start = time.process_time()
            table.schedule(target.with_limit(limit), Options())
            times.append(time.process_time() - start)
        count = len(table.run.graph.ops)
        title = f"branches, {count:,} operators, {memory}"
        print(f"{title:40} {first:8.2f} {watch.most:8.2f} {statistics.median(times):8.3f}")
    print(f"{'':40} budget {MOST_BRANCHING_SECONDS:.0f} s for the first answer")


def one(shape: str, memory: str, length: str, allocator: str) -> None:
    """Print the figures of one network for the process that collects them."""
    network, limit = SHAPES[shape](int(length)), GROWTH_LIMITS[shape, memory]
    found = grown(network, memory, limit, {each.value: each for each in Allocator}[allocator])
    print(*found)


def main(arguments: Sequence[str]) -> None:
    what, part, allocator, *_ = [*arguments, "", "", ""]
    if what == "one":
        one(*arguments[1:])
        return
    if what in {"", "what-if"}:
        what_if(part)
    if what in {"", "branches"}:
        branches(part)
    if what in {"", "growth"}:
        growth(part, allocator or Allocator.HILL_CLIMB.value)


if __name__ == "__main__":
    keep_memory()  # as the app's worker and the command line do
    main(sys.argv[1:])
