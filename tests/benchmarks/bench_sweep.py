"""How long a sweep takes with so many workers: simulated with the drive itself, and held against
runs on Dask workers that sleep instead of working, as a machine of two cores cannot do both.

    python -m tests.benchmarks.bench_sweep            the simulation, for 1,000,000 cells
    python -m tests.benchmarks.bench_sweep check      real runs with 1, 2 and 4 workers beside it
"""

from __future__ import annotations

import heapq
import importlib
import itertools
import pickle
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from unittest import mock

from core.base.frozen import Frozen
from core.ir.options import Options
from core.ir.settings import Settings
from core.ir.sweep import Outcome, Verdict
from core.sweep import drive
from core.sweep.crew import Fate, Seat
from core.sweep.drive import Drive
from core.sweep.lanes import Lane, lanes
from core.sweep.work import Ask, Batch, Found

SEATS, CHECKED = (1, 2, 4), (12, 40)
"""Of a real cluster on this machine: workers; models, and cells of each."""
WORKERS = (1, 10, 100, 1000)
MODELS, CELLS = 200, 5_000
TARGET = Settings().target()
FITS = Outcome(verdict=Verdict.FITS)


class Costs(Frozen):
    """Seconds of a CPU, as they were measured."""

    cell_s: float = 0.07
    lowering_s: float = 0.7
    """Of the first cell of a network on a worker, beside its own."""
    client_cell_s: float = 0.00014
    """Of the client, which keeps the file, for each cell."""
    way_s: float = 0.005
    """From the client to a worker, or back."""


class SimulatedCrew:
    """Workers in a time of their own; the client takes time, too."""

    batch_s = 3.0
    """As on a cluster."""

    def __init__(self, count: int, costs: Costs) -> None:
        self.costs, self.now = costs, 0.0
        self._free = [0.0] * count
        self._lowered: list[dict[str, None]] = [{} for _ in range(count)]
        self._ends: list[tuple[float, int, Future[tuple[Found, ...]], Batch]] = []
        self._number = itertools.count()
        self.busy_s = 0.0

    def seats(self) -> Sequence[Seat]:
        return range(len(self._free))

    def submit(self, seat: Seat, batch: Batch) -> Future[tuple[Found, ...]]:
        at = int(str(seat))
        known, costs = self._lowered[at], self.costs
        took = len(batch.asks) * costs.cell_s + (batch.model not in known) * costs.lowering_s
        known.pop(batch.model, None)
        known[batch.model] = None
        if len(known) > 2:
            del known[next(iter(known))]
        start = max(self._free[at], self.now + costs.way_s)
        self._free[at] = start + took
        self.busy_s += took
        future: Future[tuple[Found, ...]] = Future()
        end = self._free[at] + costs.way_s
        heapq.heappush(self._ends, (end, next(self._number), future, batch))
        return future

    def fate(self, error: BaseException) -> Fate:
        raise error

    def stop(self) -> None:
        """Nobody is there."""

    def wait(self, *_: object, **__: object) -> tuple[set[Future[tuple[Found, ...]]], None]:
        """What ends next, and whatever has ended when the client has time for it."""
        done: set[Future[tuple[Found, ...]]] = set()
        self.now = max(self.now, self._ends[0][0])
        while self._ends and self._ends[0][0] <= self.now:
            *_when, future, batch = heapq.heappop(self._ends)
            each = self.costs.cell_s
            future.set_result(
                tuple(
                    Found(settings=ask.settings, outcome=FITS, seconds_taken=each)
                    for ask in batch.asks
                )
            )
            done.add(future)
            self.now += len(batch.asks) * self.costs.client_cell_s
        return done, None


def work_of(models: int, cells: int) -> Iterator[tuple[Lane, Batch]]:
    """Lanes of so many cells each."""
    asks = [Ask(settings=f"{n}", target=TARGET, options=Options()) for n in range(cells)]
    for model in range(models):
        for lane in lanes(f"{model}", asks):
            yield lane, Batch(model=f"{model}", name="", asks=())


def simulated(workers: int, models: int, cells: int, costs: Costs) -> tuple[float, float]:
    """The time, and the share of it in which workers have work."""
    crew = SimulatedCrew(workers, costs)
    with mock.patch.object(drive, "wait", crew.wait):
        count = sum(
            len(found)
            for results in Drive(crew, work_of(models, cells)).run()
            for _, found in results
        )
    assert count == models * cells
    return crew.now, crew.busy_s / crew.now / workers


_LOWERED: dict[str, None] = {}
SLEEPS = Costs(cell_s=0.02, lowering_s=0.2)


def sleeping(model: bytes, packed: bytes, clock: object) -> tuple[Found, ...]:
    """What a worker does in place of work: it remembers two networks, as workers do."""
    del model, clock
    batch: Batch = pickle.loads(packed)
    if batch.model not in _LOWERED:
        time.sleep(SLEEPS.lowering_s)
    _LOWERED.pop(batch.model, None)
    _LOWERED[batch.model] = None
    if len(_LOWERED) > 2:
        del _LOWERED[next(iter(_LOWERED))]
    time.sleep(SLEEPS.cell_s * len(batch.asks))
    each = SLEEPS.cell_s
    return tuple(Found(settings=a.settings, outcome=FITS, seconds_taken=each) for a in batch.asks)


def measured(workers: int, models: int, cells: int) -> float:
    """The time on a real cluster here, without its start."""
    cluster = importlib.import_module("core.sweep.cluster")
    here = importlib.import_module("tests.benchmarks.bench_sweep")
    with mock.patch.object(cluster, "unpacked", here.sleeping):
        crew = cluster.ClusterCrew("local", workers, str.encode, time.perf_counter)
        try:
            while len(crew.seats()) < workers:
                time.sleep(0.1)
            start = time.perf_counter()
            results = Drive(crew, work_of(models, cells)).run()
            count = sum(len(found) for some in results for _, found in some)
            assert count == models * cells
            return time.perf_counter() - start
        finally:
            crew.stop()


def check() -> None:
    """Simulated and real times, for cells that sleep."""
    print(f"{'workers':>7} {'simulated s':>12} {'real s':>8}")
    for workers in SEATS:
        expected, _ = simulated(workers, *CHECKED, SLEEPS)
        print(f"{workers:>7} {expected:>12.2f} {measured(workers, *CHECKED):>8.2f}", flush=True)


def main(arguments: Sequence[str]) -> None:
    """The simulation of 200 models with 5,000 cells each, or a check of it."""
    if arguments == ["check"]:
        check()
        return
    print(f"{'workers':>7} {'hours':>8} {'busy':>6}")
    for workers in WORKERS:
        seconds, busy = simulated(workers, MODELS, CELLS, Costs())
        print(f"{workers:>7} {seconds / 3600:>8.2f} {busy:>6.0%}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
