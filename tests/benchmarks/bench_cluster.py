"""What a Dask cluster costs beside the cells, in seconds of CPU and bytes of memory; Linux only.

    python -m tests.benchmarks.bench_cluster MODEL...      the same sweep by processes, and by a
                                                           scheduler and two workers
    python -m tests.benchmarks.bench_cluster tiny CELLS    cells of networks of one operator

It needs `distributed`. What else runs on the machine does not count, as far as that can be.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from core.api import sweeps
from core.tflite import writer
from tests.benchmarks.networks import chain
from tests.core.sweep.sweeping import ROOT, command
from tests.core.sweep.test_cluster import cluster

SETTINGS = (
    *("--sram", "64K:1M:2K"),
    *("--accelerator-config", "ethos-u55-256"),
)
TINY_MODELS = 10
_MIB = 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK_S = 0.2
_START_S, _REST_S = 8.0, 15.0


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


def by_cluster(words: Sequence[str], folder: Path) -> Shares:
    """A sweep on a scheduler and two workers that are there already."""
    with cluster(folder, 2) as made:
        processes = (made.scheduler, *made.workers)

        def now() -> list[Used]:
            return [used(process.pid) for process in processes]

        time.sleep(_START_S)
        resting = now()
        time.sleep(_REST_S)
        before, begin = now(), time.perf_counter()
        client = watched(command(*words, "--dask", made.address))
        after, seconds = now(), time.perf_counter() - begin
    idle = sum(two.since(one).cpu_s for one, two in zip(resting, before, strict=True)) / _REST_S
    scheduler, *workers = (two.since(one) for one, two in zip(before, after, strict=True))
    return Shares(client, scheduler, tuple(workers), seconds, idle)


def compared(models: Sequence[str], folder: Path) -> None:
    """Print what both ways take for the same cells."""
    words = [*models, *SETTINGS, "--no-cache"]
    files = folder / "processes.sqlite", folder / "cluster.sqlite"
    alone = watched(command(*words, "-o", files[0], "--jobs", "2"))
    shares = by_cluster([*words, "-o", str(files[1])], folder)
    rows = []
    for file in files:
        with sweeps.SweepFile.read(file) as opened:
            rows.append(sweeps.render("s", opened.cells(), "csv"))
    cells = rows[0].count("\n") - 1
    print(f"{cells:,} cells; rows are {'equal' if rows[0] == rows[1] else 'NOT EQUAL'}")
    print(
        f"two processes    {alone.cpu_s:8.1f} s of CPU, {alone.cpu_s / cells * 1000:.0f} ms a cell"
    )
    _print_shares(shares, cells)
    print(
        f"{shares.seconds:.0f} s on the clock; idle, the cluster takes {shares.idle:.3f} of a core"
    )
    print(f"beside the cells {_more(shares.cpu_s, alone.cpu_s)} as it was run")
    # Where others use the machine too, all of it takes longer, and who waits wakes up more often.
    net = shares.cpu_s - shares.idle * shares.seconds
    quiet = net + shares.idle * net / len(shares.workers)
    print(f"beside the cells {_more(quiet, alone.cpu_s)} where nobody else uses the machine")


def _more(one_s: float, other_s: float) -> str:
    return f"{(one_s / other_s - 1) * 100:+.1f} %"


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
    shares = by_cluster(words, folder)
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


def main(arguments: list[str]) -> None:
    """One of both."""
    with tempfile.TemporaryDirectory() as folder:
        if arguments[:1] == ["tiny"]:
            tiny(int(arguments[1]), Path(folder))
        else:
            compared(arguments, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
