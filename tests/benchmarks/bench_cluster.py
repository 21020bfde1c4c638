"""What a Dask cluster costs beside the cells, in seconds of CPU and bytes of memory; Linux only.

    python -m tests.benchmarks.bench_cluster MODEL...      two targets x 20 limits by processes, by
                                                           a cluster of this machine's own, and by
                                                           a scheduler and two workers
    python -m tests.benchmarks.bench_cluster tiny CELLS    cells of networks of one operator

It needs `distributed`. What else runs on the machine does not count: workers say how much CPU each
cell took inside, and all that processes have used beside that is the cluster's.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from core.api import sweeps
from core.tflite import writer
from tests.benchmarks.networks import chain
from tests.core.sweep.sweeping import ROOT, command, rows_of
from tests.core.sweep.test_cluster import Cluster, cluster

TARGETS = ("--accelerator-config", "ethos-u55-128,ethos-u55-256")
LIMITS = ("--sram", "32K:640K:32K")
MORE = ("--sram", "33K:643K:10K")
TINY_MODELS = 10
_MIB = 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK_S = 0.2
START_S, REST_S = 8.0, 15.0


class Used(NamedTuple):
    """Of one process."""

    cpu_s: float
    most_bytes: int

    def since(self, before: Used) -> Used:
        """What was added since."""
        return Used(self.cpu_s - before.cpu_s, self.most_bytes)


NOTHING = Used(0.0, 0)


def used(pid: int) -> Used:
    """What a process has used so far, and those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = sum(int(field) for field in fields[11:15])
    status = Path(f"/proc/{pid}/status").read_text()
    most = next((line for line in status.splitlines() if line.startswith("VmHWM")), "0 0")
    return Used(ticks / _TICKS, int(most.split()[1]) << 10)


def watched(line: Sequence[str]) -> Used:
    """A command, and what it has used, its children among that."""
    process = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    most, before = 0, os.times()
    while process.poll() is None:
        try:
            most = max(most, used(process.pid).most_bytes)
        except OSError:
            break
        time.sleep(_LOOK_S)
    assert process.wait() == 0, line
    after = os.times()
    cpu_s = after.children_user - before.children_user
    return Used(cpu_s + after.children_system - before.children_system, most)


class Shares(NamedTuple):
    """Who has used what of a sweep on a cluster."""

    client: Used
    scheduler: Used
    workers: tuple[Used, ...]
    seconds: float
    """On the clock."""
    idle: float
    """CPU seconds of scheduler and workers in a second in which they have nothing to do."""

    @property
    def cpu_s(self) -> float:
        """Of all of them."""
        return sum(each.cpu_s for each in (self.client, self.scheduler, *self.workers))


class Sweeping(NamedTuple):
    """A scheduler and two workers that are there already."""

    made: Cluster
    idle: float

    @property
    def _now(self) -> list[Used]:
        return [used(process.pid) for process in (self.made.scheduler, *self.made.workers)]

    def run(self, words: Sequence[str]) -> Shares:
        """A sweep there."""
        line = [sys.executable, "-m", "tests.benchmarks.cells_by_cpu", "sweep", *words]
        before, begin = self._now, time.perf_counter()
        client = watched([*line, "--dask", self.made.address])
        seconds = time.perf_counter() - begin
        pairs = zip(before, self._now, strict=True)
        scheduler, *workers = (after.since(then) for then, after in pairs)
        return Shares(client, scheduler, tuple(workers), seconds, self.idle)


@contextmanager
def sweeping(folder: Path) -> Iterator[Sweeping]:
    """A cluster whose start is over, and what it uses without work."""
    with cluster(folder, 2) as made:
        time.sleep(START_S)
        resting = Sweeping(made, 0.0)._now
        time.sleep(REST_S)
        pairs = zip(resting, Sweeping(made, 0.0)._now, strict=True)
        yield Sweeping(made, sum(two.since(one).cpu_s for one, two in pairs) / REST_S)


def compared(models: Sequence[str], folder: Path) -> None:
    """Print what three ways take for the same cells, and what two take for many more."""
    cells = [*models, *TARGETS, "--no-cache"]
    files = [folder / f"{name}.sqlite" for name in ("processes", "local", "by hand")]
    more = [folder / f"more {name}.sqlite" for name in ("processes", "by hand")]
    _print_beside("processes", by_processes([*cells, *LIMITS], files[0]), files[0])
    later = by_processes([*cells, *MORE], more[0])
    start = by_processes([*cells, *MORE], more[0])
    _print_beside("processes, more limits", later, more[0], start)
    local = watched(command(*cells, *LIMITS, "-o", files[1], "--dask", "local", "--jobs", "2"))
    print(f"\nlocal: {local.cpu_s:.1f} s of CPU in all")
    with sweeping(folder) as there:
        first = there.run([*cells, *LIMITS, "-o", str(files[2])])
        later = there.run([*cells, *MORE, "-o", str(more[1])])
        start = there.run([*cells, *MORE, "-o", str(more[1])])
    _print_beside("a fresh cluster", first, files[2])
    _print_beside("the same cluster, more limits", later, more[1], start)
    for some in (files, more):
        print(f"rows are {'equal' if len(set(map(rows_of, some))) == 1 else 'NOT EQUAL'}")


def by_processes(words: Sequence[object], file: Path) -> Shares:
    """A sweep by two processes, which are the client's children."""
    begin = time.perf_counter()
    line = [sys.executable, "-m", "tests.benchmarks.cells_by_cpu", "sweep", *map(str, words)]
    client = watched([*line, "-o", str(file), "--jobs", "2"])
    return Shares(client, NOTHING, (), time.perf_counter() - begin, 0.0)


def _print_beside(title: str, shares: Shares, file: Path, start: Shares | None = None) -> None:
    """What is used beside the cells of a file; what idling takes is the machine's affair."""
    connection = sqlite3.connect(file)
    cells, inside = connection.execute("SELECT count(*), sum(seconds_taken) FROM cell").fetchone()
    connection.close()
    print(f"\n{title}: {cells:,} cells in {shares.seconds:.0f} s, {inside:.1f} s of CPU in cells")
    _print_shares(shares, cells)
    beside = _net(shares) - inside
    print(f"beside the cells {_told(beside, cells, inside)}; idling ({shares.idle:.3f}) left out")
    if start is not None:
        steady = _told(beside - _net(start), cells, inside)
        print(f"without the {_net(start):.2f} s that a sweep takes which has no cell left {steady}")


def _told(seconds: float, cells: int, inside: float) -> str:
    return f"{seconds:.2f} s, {seconds / cells * 1000:.2f} ms a cell, {seconds / inside:.1%}"


def _net(shares: Shares) -> float:
    """Without what a cluster takes while it waits."""
    return shares.cpu_s - shares.idle * shares.seconds


def tiny(cells: int, folder: Path) -> None:
    """Print what very many cells take that are computed at once."""
    limits = cells // TINY_MODELS
    models = []
    for number in range(TINY_MODELS):
        path = folder / f"tiny{number}.tflite"
        path.write_bytes(writer.write(chain(1, side=4 + number)))
        models.append(str(path))
    file = folder / "tiny.sqlite"
    span = f"{1 << 14}:{(1 << 14) + 16 * (limits - 1)}:16"
    words = [*models, "--sram", span, "--no-cache", "-o", str(file)]
    begin = time.perf_counter()
    with sweeping(folder) as there:
        shares = there.run(words)
    seconds = time.perf_counter() - begin
    with sweeps.SweepFile.read(file) as opened:
        count = opened.count()
    print(f"{count:,} cells in {seconds:.0f} s, {file.stat().st_size / count:.0f} bytes each")
    _print_shares(shares, count)


def _print_shares(shares: Shares, cells: int) -> None:
    workers = enumerate(shares.workers, 1)
    named = [("client", shares.client), ("scheduler", shares.scheduler)]
    for name, found in [*named, *((f"worker {number}", each) for number, each in workers)]:
        each_ms = found.cpu_s / cells * 1000
        memory = f"{found.most_bytes / _MIB:.0f} MiB at most"
        print(f"{name:<16} {found.cpu_s:8.1f} s of CPU, {each_ms:.2f} ms a cell, {memory}")


def main(arguments: Sequence[str]) -> int:
    """One of both; 2 where it is not said which."""
    with tempfile.TemporaryDirectory() as folder:
        match arguments:
            case ["tiny", cells]:
                tiny(int(cells), Path(folder))
            case [] | ["tiny", *_]:
                print("usage: python -m tests.benchmarks.bench_cluster MODEL... | tiny CELLS")
                return 2
            case models:
                compared(models, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
