"""`reefpoint sweep` as its users meet it: the file, resuming, refusals, kills."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from random import Random

import pytest

from core import cli
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

QUICK = ("--jobs", "2")


def swept(*words: object) -> int:
    return cli.main(["sweep", *map(str, words)])


def test_cells_that_are_there_are_not_computed_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, views = tmp_path / "s.sqlite", ("--csv", tmp_path / "c.csv", "--json", tmp_path / "j.json")
    models = small_models(tmp_path)
    assert swept(models[0], "-o", out, *AXES, *QUICK) == 0
    assert f"{CELLS} cells: {CELLS} computed, 0 already there" in capsys.readouterr().out
    assert swept(*models, models[0], "-o", out, *AXES, *QUICK, *views) == 0
    assert f"{2 * CELLS} cells: {CELLS} computed" in capsys.readouterr().out
    assert (tmp_path / "c.csv").read_text() == rows_of(out)
    assert len(json.loads((tmp_path / "j.json").read_text())["cells"]) == 2 * CELLS


@pytest.mark.long
@pytest.mark.parametrize("option", ["--edits", "--adopt"])
def test_a_sweep_says_that_it_takes_no_decisions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    out = tmp_path / "s.sqlite"
    assert swept(*small_models(tmp_path, 1), option, "e.json", "-o", out) == 2
    assert "e.json: a sweep takes no decisions" in capsys.readouterr().err
    assert not out.exists()


def test_a_cell_says_what_schedule_says(tmp_path: Path) -> None:
    out, model, schedules = tmp_path / "s.sqlite", small_models(tmp_path, 1)[0], tmp_path / "all"
    compiled = tmp_path / "models"
    asked = ("--sram", "4K,64K", "--schedules", schedules, "--compiled", compiled)
    assert swept(model, "-o", out, *asked, *QUICK) == 0
    connection = sqlite3.connect(out)
    cells = connection.execute(
        "SELECT words, cycles, fast_bytes, verdict, schedule_file, compiled_file"
        " FROM cell JOIN settings ON settings = settings.digest"
    ).fetchall()
    connection.close()
    assert len(cells) == 2
    for words, cycles, fast_bytes, verdict, schedule_file, compiled_file in cells:
        again = tmp_path / "again.json"
        assert cli.main(["schedule", str(model), *json.loads(words), "--json", str(again)]) == 0
        assert again.read_bytes() == (schedules / schedule_file).read_bytes()
        summary = json.loads(again.read_text())["summary"]
        assert float(summary["cycles_total"]) == cycles
        assert fast_bytes > 0
        assert bool(compiled_file) is (verdict == "fits")
        if compiled_file:
            assert cli.main(["verify", str(compiled / compiled_file), "--against", str(model)]) == 0
    schedule_file = cells[0][4]
    (schedules / schedule_file).unlink()
    assert swept(model, "-o", out, *asked, *QUICK) == 0
    assert (schedules / schedule_file).is_file()


@pytest.mark.long
def test_what_cannot_be_had_is_told_with_its_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = small_models(tmp_path, 1)[0]
    both = ("--engine", "cascading,pareto", "--search", "direct,best", "--sram", "64K,128K")
    assert swept(model, "-o", tmp_path / "s", *both, "--effort", "1", *QUICK) == 0
    told = capsys.readouterr().out
    assert "left out: 2 cells: --search best" in told
    assert "6 cells" in told


def test_models_that_cannot_be_read_do_not_keep_others_waiting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, out = small_models(tmp_path, 1)[0], tmp_path / "s"
    bad = tmp_path / "bad.tflite"
    bad.write_bytes(b"\x1c\0\0\0TFL3" + b"rubbish" * 9)
    assert swept(tmp_path / "none.tflite", bad, good, "-o", out, *AXES, *QUICK) == 2
    told = capsys.readouterr()
    assert f"{2 * CELLS} cells: {2 * CELLS} computed" in told.out
    lines = told.err.splitlines()
    assert len(lines) == 2
    assert "none.tflite: No such file" in lines[0]
    assert f"bad.tflite: {CELLS} cells: " in lines[1]
    connection = sqlite3.connect(out)
    errors = connection.execute("SELECT count(*) FROM cell WHERE error != '' AND cycles IS NULL")
    assert errors.fetchone() == (CELLS,)
    connection.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sram", "64K:1M"), "is no range"),
        (("--sram", "64K", "--arena-cache-size", "1K"), "are the same"),
        (("--accelerator-config", "ethos-u55-256,ethos-u99"), "unknown accelerator 'ethos-u99'"),
        (("--optimise", "Performance,Fun"), "unknown strategy 'Fun'"),
        (("--schedules", "/dev/null/here"), "Not a directory"),
    ],
)
def test_what_cannot_be_swept_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "s.sqlite"
    assert swept(small_models(tmp_path, 1)[0], "-o", out, *words) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert not out.exists()


@pytest.mark.long
def test_a_full_disk_is_one_line_and_what_was_done_stays(tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk without room."""
    models, out = small_models(tmp_path), tmp_path / "s"
    assert ran(models[0], "-o", out, *AXES, *QUICK).returncode == 0
    before, size = rows_of(out), out.stat().st_size

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    many = ("--sram", "1K:800K:1K", "--accelerator-config", "ethos-u55-64")
    done = ran(models[1], "-o", out, *many, *QUICK, preexec_fn=no_room)
    assert done.returncode == 2
    assert str(out) in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert is_whole(out)
    assert set(before.splitlines()) <= set(rows_of(out).splitlines())


def is_whole(path: Path) -> bool:
    connection = sqlite3.connect(path)
    found = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return bool(found == ("ok",))


def killed(seconds: float, *words: object) -> bool:
    """A sweep that is ended without warning after a while; whether it was not done by then."""
    process = subprocess.Popen(
        command(*words), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        kill(process.pid)
        return process.wait() < 0
    return False


@pytest.mark.parametrize("times", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_a_killed_sweep_goes_on_where_it_was(tmp_path: Path, times: int) -> None:
    models, out, whole = small_models(tmp_path, 3), tmp_path / "s", tmp_path / "whole"
    words = (*models, *AXES, *QUICK)
    start = time.monotonic()
    assert ran(*words, "-o", whole).returncode == 0
    took, random, hits = time.monotonic() - start, Random(times), 0
    while hits < times:
        is_hit = killed(random.uniform(0.1, 0.9) * took, *words, "-o", out)
        hits += is_hit and out.exists()
        if out.exists():
            assert is_whole(out)
        if not is_hit or random.random() < 0.2:
            # It was done, or begins anew: what is resumed again and again has no more to do.
            out.unlink(missing_ok=True)
    assert ran(*words, "-o", out).returncode == 0
    assert rows_of(out) == rows_of(whole)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
@pytest.mark.parametrize("times", [1, pytest.param(30, marks=pytest.mark.slow)])
def test_a_killed_worker_is_replaced(tmp_path: Path, times: int) -> None:
    models, out, whole = small_models(tmp_path, 3), tmp_path / "s", tmp_path / "whole"
    many = ("--sram", "8K:256K:8K", *AXES[2:])
    assert ran(*models, *many, *QUICK, "-o", whole).returncode == 0
    random, hits = Random(times), 0
    while hits < times:
        out.unlink(missing_ok=True)
        process = subprocess.Popen(
            command(*models, *many, *QUICK, "-o", out),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        while hits < times and process.poll() is None:
            time.sleep(random.uniform(0.1, 0.8))
            workers = workers_of(process.pid)
            if workers:
                kill(random.choice(workers))
                hits += 1
        _, told = process.communicate(timeout=300)
        assert "Traceback" not in told
        assert is_whole(out)
    # What was lost in spite of all tries, the next one computes.
    assert ran(*models, *many, *QUICK, "-o", out).returncode == 0
    assert rows_of(out) == rows_of(whole)


def workers_of(pid: int) -> list[int]:
    """Processes that compute for a sweep."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        found += [
            child
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
        lines = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in found}
    except OSError:
        return []
    return [child for child, line in lines.items() if b"spawn_main" in line]


@pytest.mark.long
def test_an_interruption_leaves_a_good_file(tmp_path: Path) -> None:
    models, out = small_models(tmp_path, 3), tmp_path / "s"
    words = (*models, "-o", out, "--sram", "1K:4000K:1K", *QUICK)
    with interrupts(are_heard=True):
        process = subprocess.Popen(
            command(*words),
            cwd=ROOT,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            encoding="utf-8",
            start_new_session=True,
        )
    while not (out.exists() and out.stat().st_size > 16_384 and count_of(out)):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told.splitlines()[-1]) == (130, "reefpoint: interrupted")
    assert "Traceback" not in told
    assert is_whole(out)
    assert 0 < count_of(out) < 12_000


@pytest.mark.long
def test_two_sweeps_at_once_compute_no_cell_twice(tmp_path: Path) -> None:
    models, out, whole = small_models(tmp_path, 3), tmp_path / "s", tmp_path / "whole"
    many = (*models, "--sram", "8K:400K:8K", *AXES[2:], "--jobs", "1")
    both = [
        subprocess.Popen(
            command(*many, "-o", out),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        for _ in range(2)
    ]
    told = [process.communicate(timeout=300)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    computed = [int(re.search(r"([\d,]+) computed", each)[1]) for each in told]
    assert sum(computed) == count_of(out) == 300
    assert min(computed) > 0
    assert is_whole(out)
    assert ran(*many, "-o", whole).returncode == 0
    assert rows_of(out) == rows_of(whole)


@pytest.mark.long
def test_what_a_killed_sweep_had_claimed_another_computes(tmp_path: Path) -> None:
    models, out = small_models(tmp_path, 2), tmp_path / "s"
    many = (*models, "--sram", "8K:400K:8K", *AXES[2:], "--jobs", "1", "-o", out)
    first = subprocess.Popen(
        command(*many), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not (out.exists() and count_of(out)):
        time.sleep(0.02)
    kill(first.pid)
    first.wait()
    left = claims_of(out)
    assert 0 < count_of(out) < 200
    assert left > 0
    start = time.monotonic()
    done = ran(*many)
    assert (done.returncode, count_of(out), claims_of(out)) == (0, 200, 0)
    # A process that is gone from this machine is not waited for.
    assert time.monotonic() - start < 60


def claims_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    (count,) = connection.execute("SELECT count(*) FROM claim").fetchone()
    connection.close()
    return int(count)
