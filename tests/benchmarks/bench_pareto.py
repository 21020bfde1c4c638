"""Both engines, all spill policies: `python -m tests.benchmarks.bench_pareto [WHAT] [NAME]`.

`engines`: cycles and fast storage of the cascading engine and of the Pareto engine.
`policies`: bytes of feature maps that move to fast storage, and cycles, on dedicated targets.
`time`: seconds of the processor for chains and trees of 1,000 operators.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from core.api import networks
from core.ir.decisions import MapPlaced
from core.ir.options import Engine, EvictionPolicy, LoweringOptions, Options, Strategy
from core.ir.scheduled import Run, Scheduled
from core.lower import run as lower
from core.pipeline.scheduled import Workbench
from core.target.region import Region
from core.target.resolve import resolve
from core.target.target import Target
from tests.benchmarks.networks import chain, tree
from tests.shared import files

KIB = 1024
EMBEDDED = "Ethos_U55_High_End_Embedded"
FAST, MIDDLE = "Ethos_U65_High_End", "Ethos_U65_Mid_End"
OPERATORS = 1_000


class Case(NamedTuple):
    """What networks are scheduled for."""

    accelerator: str
    system: str
    mode: str
    limit_bytes: int | None = None
    strategy: Strategy = Strategy.PERFORMANCE

    @property
    def target(self) -> Target:
        """The target with its limit."""
        return resolve(self.accelerator, self.system, self.mode, arena_cache_size=self.limit_bytes)


ENGINE_CASES = {
    "u55-128-shared-256k": Case("ethos-u55-128", EMBEDDED, "Shared_Sram", 256 * KIB),
    "u55-256-shared-size": Case("ethos-u55-256", EMBEDDED, "Shared_Sram", strategy=Strategy.SIZE),
    "u65-256-dedicated-384k": Case("ethos-u65-256", FAST, "Dedicated_Sram_384KB"),
}
POLICY_CASES = {
    "u65-256-dedicated-384k": Case("ethos-u65-256", FAST, "Dedicated_Sram_384KB"),
    "u65-512-dedicated-256k": Case("ethos-u65-512", MIDDLE, "Dedicated_Sram_256KB"),
    "u65-512-dedicated-128k": Case("ethos-u65-512", FAST, "Dedicated_Sram", 128 * KIB),
}


def benches(part: str, cases: dict[str, Case]) -> Iterator[tuple[str, Case, Workbench]]:
    """Every network for every case."""
    for path in files("models/*.tflite"):
        for name, case in cases.items():
            title = f"{path.stem:34} {name:23}"
            if part in title:
                yield title, case, Workbench(run_of(path, case))


def run_of(path: Path, case: Case) -> Run:
    """A network, lowered for a case."""
    return networks.run(path.read_bytes(), case.target, Options())


def required(done: Scheduled) -> int:
    """Fast storage with all that lies in it."""
    area = done.layout.fast_area
    return area.height_bytes


def engines(part: str) -> None:
    """Print cycles and bytes of both engines."""
    names = ("cascading", "pareto", "ratio")
    heads = [f"{name:>11}" for name in (*names, *names, "points", "seconds")]
    print(f"{'cycles, then fast storage':58} {' '.join(heads)}")
    for title, case, table in benches(part, ENGINE_CASES):
        other = table.schedule(case.target, Options(strategy=case.strategy))
        start = time.process_time()
        done = table.schedule(case.target, Options(strategy=case.strategy, engine=Engine.PARETO))
        seconds = time.process_time() - start
        cells = []
        for one, two in (
            (other.total.total_cycles, done.total.total_cycles),
            (required(other), required(done)),
        ):
            cells += [f"{one:11,.0f}", f"{two:11,.0f}", f"{two / max(one, 1):11.3f}"]
        cells += [f"{len(done.schedule.front):11}", f"{seconds:11.2f}"]
        print(title, " ".join(cells), flush=True)


def policies(part: str) -> None:
    """Print bytes and cycles of each policy with each engine."""
    heads = [f"{policy.value:>24}" for policy in EvictionPolicy]
    print(f"{'bytes moved to fast storage, cycles':68} {' '.join(heads)}")
    for title, case, table in benches(part, POLICY_CASES):
        for engine in Engine:
            cells = []
            for policy in EvictionPolicy:
                done = table.schedule(case.target, Options(engine=engine, eviction=policy))
                cells.append(f"{moved_bytes(done):11,} {done.total.total_cycles:12,.0f}")
            print(title, f"{engine.value:9}", " ".join(cells), flush=True)


def moved_bytes(done: Scheduled) -> int:
    """Bytes of feature maps that moved to fast storage as a whole."""
    return sum(
        each.size_bytes
        for each in done.schedule.decisions
        if isinstance(each, MapPlaced) and each.region is Region.SCRATCH_FAST
    )


def times(part: str) -> None:
    """Print seconds and memory for long networks."""
    print(f"{'processor seconds':40} {'cold':>8} {'warm':>8} {'MiB':>8}")
    for shape, make in (("chain", chain), ("tree", tree)):
        for name, case in ENGINE_CASES.items():
            title = f"{shape} {name}"
            if part not in title:
                continue
            target = case.target.with_limit(64 * KIB)
            network = make(OPERATORS, 48, 16)
            graph = lower.run(network, target.accelerator, LoweringOptions())
            table = Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))
            seconds = []
            for limit in (64 * KIB, 65 * KIB):
                start = time.process_time()
                table.schedule(target.with_limit(limit), Options(engine=Engine.PARETO))
                seconds.append(time.process_time() - start)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB
            print(f"{title:40} {seconds[0]:8.1f} {seconds[1]:8.1f} {peak:8.0f}", flush=True)


def main(arguments: Sequence[str]) -> None:
    """Print one of the tables."""
    what, part, *_ = [*arguments, "", ""]
    {"engines": engines, "policies": policies, "time": times}[what or "engines"](part)


if __name__ == "__main__":
    main(sys.argv[1:])
