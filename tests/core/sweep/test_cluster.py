"""Sweeps on a Dask cluster: the same rows, whoever computes them and whoever is killed meanwhile.

What runs here runs in processes of its own, as `distributed` leaves threads and warnings behind.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from core.api import sweeps
from core.base.errors import OptionError
from tests.core.sweep.sweeping import (
    AXES,
    CELLS,
    ROOT,
    command,
    count_of,
    ran,
    rows_of,
    small_models,
)
from tests.processes import interrupts, kill

NEEDS_DASK = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="distributed is not installed: pip install -r requirements/cluster.txt",
)
CALM = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}
"""As `core/sweep/README.md` says that clusters are started."""
MANY = ("--sram", "8K:512K:8K", *AXES[2:])


class Cluster(NamedTuple):
    """A scheduler and its workers, started by hand."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]
    file: Path
    secured: tuple[str, ...] = ()

    def add_worker(self, root: Path = ROOT) -> None:
        """One more, which finds Reefpoint in a folder."""
        words = ("--scheduler-file", str(self.file), "--nthreads", "1", "--no-nanny", *self.secured)
        self.workers.append(started("worker", *words, "--no-dashboard", root=root))


def started(what: str, *words: str, root: Path = ROOT) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", *words],
        cwd=root,
        env=os.environ | CALM | {"PYTHONPATH": str(root)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def cluster(folder: Path, workers: int, *secured: str) -> Iterator[Cluster]:
    """A scheduler that has no Reefpoint, and workers that have."""
    file = folder / "scheduler.json"
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", *secured)
    scheduler = started("scheduler", *words, "--scheduler-file", str(file), root=folder)
    while not (file.exists() and file.stat().st_size):
        time.sleep(0.05)
    made = Cluster(json.loads(file.read_text())["address"], scheduler, [], file, secured)
    for _ in range(workers):
        made.add_worker()
    try:
        yield made
    finally:
        for process in (*made.workers, scheduler):
            process.kill()
            process.wait()


def running(*words: object) -> subprocess.Popen[str]:
    """A sweep that goes on meanwhile."""
    return subprocess.Popen(
        command(*words),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "core.sweep.cluster", raising=False)
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(OptionError, match=r"requirements/cluster\.txt"):
        sweeps.cluster_crew("local", 1, lambda _: b"", time.monotonic)


def test_nothing_of_it_is_loaded_unless_asked_for() -> None:
    check = "import sys, core.cli.sweep; sys.exit(bool({'dask', 'distributed'} & {*sys.modules}))"
    subprocess.run([sys.executable, "-c", check], cwd=ROOT, check=True)


@pytest.mark.long
@NEEDS_DASK
def test_rows_are_equal_whoever_computes_them(tmp_path: Path) -> None:
    models = small_models(tmp_path)
    ways = {"processes": ("--jobs", "2"), "local": ("--dask", "local", "--jobs", "2")}
    with cluster(tmp_path, 2) as made:
        ways["by hand"] = ("--dask", made.address)
        for name, way in ways.items():
            done = ran(*models, *AXES, *way, "-o", tmp_path / name)
            assert (done.returncode, done.stderr) == (0, ""), name
            assert f"{2 * CELLS} computed" in done.stdout
    rows = {rows_of(tmp_path / name) for name in ways}
    assert len(rows) == 1


@pytest.mark.long
@NEEDS_DASK
def test_a_scheduler_needs_no_reefpoint(tmp_path: Path) -> None:
    model = small_models(tmp_path, 1)[0]
    with cluster(tmp_path, 1) as made:
        done = ran(model, *AXES, "--dask", made.address, "-o", tmp_path / "s")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{CELLS} computed" in done.stdout


@NEEDS_DASK
def test_a_scheduler_that_cannot_read_is_not_called_a_worker() -> None:
    cluster = pytest.importorskip("core.sweep.cluster")
    crew = object.__new__(cluster.ClusterCrew)
    crew._address, crew._client = "tcp://here:1", NamedTuple("Client", [("status", str)])("running")
    error = RuntimeError("Error during deserialization of the task graph. This frequently ...")
    with pytest.raises(OptionError, match="tcp://here:1: its scheduler cannot read") as caught:
        crew.fate(error)
    assert "worker" not in str(caught.value)


def certificates(folder: Path) -> dict[str, Path]:
    """Somebody whom a cluster trusts, and somebody whom it does not."""
    made = {}
    for name in ("ours", "theirs"):
        made[name], made[f"{name} key"] = folder / f"{name}.pem", folder / f"{name}.key"
        words = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}")
        files = ("-out", str(made[name]), "-keyout", str(made[f"{name} key"]))
        subprocess.run(["openssl", "req", *words, *files], check=True, capture_output=True)
    return made


@pytest.mark.long
@NEEDS_DASK
@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl makes certificates")
def test_a_cluster_and_who_asks_it_know_each_other_by_certificates(tmp_path: Path) -> None:
    model, files = small_models(tmp_path, 1)[0], certificates(tmp_path)
    ours = [str(files["ours"]), str(files["ours"]), str(files["ours key"])]
    theirs = [str(files["theirs"]), str(files["theirs"]), str(files["theirs key"])]
    names = ("--tls-ca-file", "--tls-cert", "--tls-key")
    pairs = [part for pair in zip(names, ours, strict=True) for part in pair]

    def asked(address: str, files: list[str]) -> tuple[int, str]:
        options = ("--dask-tls-ca", "--dask-tls-cert", "--dask-tls-key")
        words = [part for pair in zip(options, files, strict=False) for part in pair]
        done = ran(model, "--sram", "64K", "--dask", address, *words, "-o", tmp_path / "s")
        assert done.stderr.count("\n") == bool(done.returncode), done.stderr
        return done.returncode, done.stderr

    with cluster(tmp_path, 1, "--protocol", "tls", *pairs) as made:
        assert made.address.startswith("tls://")
        assert asked(made.address, ours) == (0, "")
        for files_of_others, said in (
            (theirs, "no scheduler answers there to these certificates"),
            ([], "TLS asks for certificates"),
            (ours[:2], "TLS asks for --dask-tls-key, too"),
            ([*ours[:2], str(tmp_path / "none")], "No such file"),
            ([*ours[:2], str(model)], "the certificates cannot be used"),
        ):
            code, told = asked(made.address, files_of_others)
            assert (code, said in told) == (2, True), told
        code, told = asked(made.address.replace("tls", "tcp"), ours)
        assert (code, "certificates are for an address such as tls://" in told) == (2, True), told


@NEEDS_DASK
@pytest.mark.slow
def test_where_nobody_listens_or_works_is_one_line(tmp_path: Path) -> None:
    model = small_models(tmp_path, 1)[0]
    for address, said in (
        ("tcp://127.0.0.1:9", "no scheduler answers there"),
        ("nonsense://x", "unknown address scheme"),
        ("nobody", "missing port number"),
    ):
        done = ran(model, "--dask", address, "-o", tmp_path / "s")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert said in done.stderr
    with cluster(tmp_path, 0) as made:
        done = ran(model, "--dask", made.address, "-o", tmp_path / "s")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "no worker is there" in done.stderr


@NEEDS_DASK
@pytest.mark.slow
def test_workers_with_another_version_or_none_are_refused(tmp_path: Path) -> None:
    model, other = small_models(tmp_path, 1)[0], tmp_path / "other"
    shutil.copytree(ROOT / "core", other / "core", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "resources" / "configs", other / "resources" / "configs")
    with (other / "core" / "sweep" / "work.py").open("a") as file:
        file.write("# Changed.\n")
    (tmp_path / "none").mkdir()
    for root, said in ((other, "has Reefpoint"), (tmp_path / "none", "has no Reefpoint")):
        with cluster(tmp_path, 0) as made:
            made.add_worker(root)
            done = ran(model, "--dask", made.address, "-o", tmp_path / "s")
        (tmp_path / "scheduler.json").unlink()
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert said in done.stderr


@NEEDS_DASK
@pytest.mark.parametrize("times", [1, pytest.param(30, marks=pytest.mark.slow)])
def test_workers_come_and_go(tmp_path: Path, times: int) -> None:
    models, random = small_models(tmp_path, 3), Random(times)
    assert ran(*models, *MANY, "--jobs", "2", "-o", tmp_path / "whole").returncode == 0
    with cluster(tmp_path, 2) as made:
        hits = 0
        while hits < times:
            (tmp_path / "s").unlink(missing_ok=True)
            sweep = running(*models, *MANY, "--dask", made.address, "-o", tmp_path / "s")
            while hits < times and sweep.poll() is None:
                time.sleep(random.uniform(0.5, 3.0))
                worker = made.workers.pop(random.randrange(len(made.workers)))
                kill(worker.pid)
                worker.wait()
                made.add_worker()
                hits += (tmp_path / "s").exists() and sweep.poll() is None
            _, told = sweep.communicate(timeout=300)
            assert "Traceback" not in told
            assert sweep.returncode == 0, told
            assert rows_of(tmp_path / "s") == rows_of(tmp_path / "whole")


@NEEDS_DASK
@pytest.mark.slow
@pytest.mark.parametrize("times", [30])
def test_without_its_scheduler_a_sweep_ends_in_one_line_and_goes_on_later(
    tmp_path: Path, times: int
) -> None:
    models, random = small_models(tmp_path, 3), Random(times)
    assert ran(*models, *MANY, "--jobs", "2", "-o", tmp_path / "whole").returncode == 0
    for _ in range(times):
        with cluster(tmp_path, 2) as made:
            sweep = running(*models, *MANY, "--dask", made.address, "-o", tmp_path / "s")
            time.sleep(random.uniform(2.0, 5.0))
            kill(made.scheduler.pid)
            _, told = sweep.communicate(timeout=120)
        (tmp_path / "scheduler.json").unlink()
        lines = told.splitlines()
        if sweep.returncode:
            assert sweep.returncode == 2, told
            assert len(lines) == 1, told
            assert "scheduler" in lines[0]
    assert ran(*models, *MANY, "--jobs", "2", "-o", tmp_path / "s").returncode == 0
    assert rows_of(tmp_path / "s") == rows_of(tmp_path / "whole")


@NEEDS_DASK
@pytest.mark.slow
def test_an_interrupted_local_cluster_leaves_a_good_file_and_says_one_line(tmp_path: Path) -> None:
    models, out = small_models(tmp_path, 3), tmp_path / "s"
    with interrupts(are_heard=True):
        sweep = subprocess.Popen(
            command(*models, "--sram", "1K:4000K:1K", "--dask", "local", "--jobs", "2", "-o", out),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
    while not (out.exists() and count_of(out)):
        time.sleep(0.1)
    os.killpg(sweep.pid, signal.SIGINT)
    _, told = sweep.communicate(timeout=60)
    assert (sweep.returncode, told) == (130, "reefpoint: interrupted\n")
    with sweeps.SweepFile.read(out) as file:
        assert file.count() > 0
