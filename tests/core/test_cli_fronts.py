"""Every command of `--search best` begins where another one has ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import main
from core import cli
from core.api import sweeps
from core.base.frozen import replace
from core.ir.options import Options, Search
from core.ir.settings import Settings
from core.pipeline.scheduled import Workbench
from core.sweep.work import Ask, Batch, Benches
from tests.core.sweep.sweeping import ROOT, rows_of
from tests.networks.small_networks import five_operators

KWS = str(ROOT / "resources" / "examples" / "kws_dscnn.tflite")
BEST = ("--accelerator-config", "ethos-u55-128", "--search", "best", "--effort", "4")
LIMITED = (*BEST, "--arena-cache-size", "20K")


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("models") / "net.tflite"
    path.write_bytes(five_operators())
    return str(path)


@pytest.fixture
def folder(net: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where fronts are kept: those of one command."""
    found = tmp_path / "fronts"
    monkeypatch.setenv("REEFPOINT_CACHE", str(found))
    assert cli.main(["schedule", net, *LIMITED, "--json", str(tmp_path / "first.json")]) == 0
    return found


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    asked: list[Options] = []
    search = Workbench._found

    def counted(self, target, options, progress):
        asked.append(options)
        return search(self, target, options, progress)

    monkeypatch.setattr(Workbench, "_found", counted)
    return asked


@pytest.mark.usefixtures("folder")
def test_what_another_command_has_found_is_not_searched_again(
    net: str, searches: list[Options], tmp_path: Path
) -> None:
    first = tmp_path / "first.json"
    again, compiled, page = (tmp_path / name for name in ("again.json", "c.tflite", "page.html"))
    assert cli.main(["schedule", net, *LIMITED, "--json", str(again)]) == 0
    assert cli.main(["compile", net, *LIMITED, "-o", str(compiled), "--use-known"]) == 0
    assert cli.main(["compare", net, str(first), *LIMITED]) == 0
    assert searches == []
    assert again.read_bytes() == first.read_bytes()
    assert main.main(["report", net, *LIMITED, "-o", str(page)]) == 0
    # What fast storage would take without a limit is asked of one search by itself, and what would
    # help of some; the front takes no step.
    assert len(searches) < 10
    assert {options.search for options in searches} == {Search.DIRECT}
    assert "found by" in page.read_text()


@pytest.mark.long
@pytest.mark.parametrize("command", ["advise", "compare", "report", "schedule"])
def test_fronts_are_left_alone_where_that_is_asked(
    command: str, net: str, folder: Path, searches: list[Options], tmp_path: Path
) -> None:
    more = {
        "compare": [str(tmp_path / "first.json")],
        "report": ["-o", str(tmp_path / "page.html")],
    }
    words = [command, net, *more.get(command, []), *LIMITED]
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    counts = []
    for option in ("--no-cache", "--force" if command == "report" else "--"):
        searches.clear()
        assert main.main([*words, *([] if option == "--" else [option])]) == 0
        counts.append(len(searches))
        if option == "--no-cache":
            assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert counts[0] > counts[1]


@pytest.mark.long
def test_cells_of_a_sweep_are_the_same_whatever_was_kept(
    net: str, folder: Path, tmp_path: Path
) -> None:
    def rows(name: str, *more: str) -> str:
        out = tmp_path / name
        words = ["sweep", net, *BEST, "--sram", "12K,24K", "--jobs", "1", "-o", str(out), *more]
        assert cli.main(words) == 0
        return rows_of(out)

    (kept,) = folder.iterdir()
    kept_bytes = kept.read_bytes()
    expected = rows("alone.sqlite", "--no-cache")
    assert kept.read_bytes() == kept_bytes
    assert rows("kept.sqlite") == expected
    # A front that has grown further than the sweep asks for is not what it asks for.
    long = [word if word != "4" else "9" for word in LIMITED]
    assert cli.main(["schedule", net, *long, "--json", str(tmp_path / "long.json")]) == 0
    assert rows("long.sqlite") == expected


@pytest.mark.parametrize("effort", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_a_cell_is_what_schedule_finds_with_as_much_effort(
    net: str, tmp_path: Path, effort: int
) -> None:
    words = (*BEST[:-1], str(effort), "--no-cache")
    out, schedules = tmp_path / "s.sqlite", tmp_path / "all"
    sweep = ["sweep", net, *words, "--sram", "16K,20K", "--jobs", "1", "-o", str(out)]
    assert cli.main([*sweep, "--schedules", str(schedules)]) == 0
    found = {
        json.loads(path.read_text())["summary"]["cycles_total"] for path in schedules.iterdir()
    }
    expected = set()
    for limit in ("16K", "20K"):
        alone = tmp_path / f"{limit}.json"
        line = ["schedule", net, *words, "--arena-cache-size", limit, "--json", str(alone)]
        assert cli.main(line) == 0
        expected.add(json.loads(alone.read_text())["summary"]["cycles_total"])
    assert found == expected


def test_limits_share_a_front(net: str, searches: list[Options]) -> None:
    options = replace(Options(), search=Search.BEST, effort=6)
    plan = sweeps.plan(Settings(options=options), {"limit_bytes": (16 << 10, 20 << 10, 24 << 10)})
    asks = tuple(
        Ask(settings=asked.swept.digest, target=asked.target, options=asked.options)
        for asked in plan.asked
    )
    counts = []
    benches = Benches()
    for ask in asks:
        searches.clear()
        benches.compute(Path(net).read_bytes(), Batch(model="m", name="", asks=(ask,)), lambda: 0.0)
        counts.append(len(searches))
    # A further limit is asked for itself alone.
    assert 0 < max(counts[1:]) < counts[0]


@pytest.mark.long
def test_who_is_killed_loses_nothing_but_time(tmp_path: Path) -> None:
    folder, told = tmp_path / "fronts", tmp_path / "told.json"
    command = [sys.executable, "main.py", "schedule", KWS, *LIMITED, "--json", str(told)]
    environment = {**os.environ, "REEFPOINT_CACHE": str(folder)}
    assert cli.main(["schedule", KWS, *LIMITED, "--no-cache", "--json", str(told)]) == 0
    expected = told.read_bytes()
    for seconds in (0.6, 1.2, 1.8):
        with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
            time.sleep(seconds)
            process.kill()
    told.unlink(missing_ok=True)
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    assert told.read_bytes() == expected
    assert len([path for path in folder.iterdir() if path.suffix == ".front"]) == 1
