"""`reefpoint check`: budgets that are met or not, beside a revision, a folder, or nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from core import cli
from core.cli.budgets import limit_of

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
OPTIONS = 'options = "--accelerator-config ethos-u55-128 --arena-cache-size 64K"\n'
NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")


def written(folder: Path, *limits: str, model: str = "kws_dscnn") -> str:
    shutil.copy(EXAMPLES / f"{model}.tflite", folder / "net.tflite")
    listed = ", ".join(f'"{limit}"' for limit in limits)
    text = f'{OPTIONS}[[model]]\npath = "net.tflite"\nlimits = [{listed}]\n'
    (folder / "budgets.toml").write_text(text)
    return str(folder / "budgets.toml")


def test_what_is_met_and_what_is_not_are_told_worst_first(tmp_path, capsys):
    budgets = written(tmp_path, "cycles <= 1M", "sram<=15K", "fits", "flash +0 %", "time < 10ms")
    assert cli.main(["check", budgets]) == 1
    _, _, first, *rest, empty, last = capsys.readouterr().out.splitlines()
    assert first.split()[:4] == ["FAILS", "net.tflite", "sram<=15K", "20,144"]
    assert len(rest) == 4
    assert [line.split()[0] for line in rest] == ["ok"] * 4
    assert (empty, last) == ("", "1 of 5 limits not met")
    assert "nothing to hold it against" in "\n".join(rest)


def test_tables_are_written_for_comments_and_for_test_reports(tmp_path, capsys, monkeypatch):
    budgets = written(tmp_path, "cycles <= 1M", "sram <= 15K")
    md, xml, summary = (tmp_path / name for name in ("c.md", "c.xml", "summary"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    words = ["--md", str(md), "--junit", str(xml), "--github"]
    assert cli.main(["check", budgets, *words]) == 1
    assert summary.read_text() == md.read_text()
    assert md.read_text().startswith("### Reefpoint: 1 of 2 limits not met\n")
    suites = ET.fromstring(xml.read_text())
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    (line,) = (each for each in capsys.readouterr().out.splitlines() if each.startswith("::"))
    assert line.startswith("::error file=")
    assert line.endswith(",title=net.tflite%3A sram <= 15K::20,144 bytes")


def test_what_cycles_come_from_is_told_of_limits_on_speed_alone(tmp_path, capsys):
    limits = ("cycles +1 %", "time +1 %", "flash +0 %")
    written(tmp_path, *limits)
    base = tmp_path / "base"
    base.mkdir()
    (tmp_path / "net.tflite").rename(base / "net.tflite")
    budgets = written(tmp_path, *limits, model="mobilenet_v2_035_96")
    assert cli.main(["check", budgets, "--base", str(base)]) == 1
    rows = [row for row in capsys.readouterr().out.splitlines() if row.startswith("FAILS")]
    explained = {
        limit for limit in limits for row in rows if limit in row and "cycles that differ" in row
    }
    assert len(rows) == 3
    assert explained == {"cycles +1 %", "time +1 %"}


@NEEDS_GIT
def test_a_regression_is_red_with_what_tells_why_and_no_change_is_green(tmp_path, capsys):
    limits = ("cycles +1 %", "sram +0", "no new operator on the CPU")
    budgets = written(tmp_path, *limits)

    def git(*words: str) -> None:
        known = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", "-C", tmp_path, *known, *words], check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "a")
    assert cli.main(["check", budgets, "--base", "HEAD"]) == 0
    assert "3 limits met" in capsys.readouterr().out
    written(tmp_path, *limits, model="shuffle_with_cpu")
    assert cli.main(["check", budgets, "--base", "HEAD"]) == 1
    told = capsys.readouterr().out
    assert "2 of 3 limits not met" in told
    assert "and A has" in told
    assert "no new operator on the CPU" in told
    assert cli.main(["check", budgets, "--base", "nowhere"]) == 2
    assert cli.main(["check", budgets, "--base", "--output=x"]) == 2


def test_a_folder_is_a_base_and_a_new_model_is_held_against_nothing(tmp_path, capsys):
    budgets, old = written(tmp_path, "cycles +0 %"), tmp_path / "old"
    old.mkdir()
    assert cli.main(["check", budgets, "--base", str(old)]) == 0
    assert "nothing to hold it against" in capsys.readouterr().out
    shutil.copy(tmp_path / "net.tflite", old)
    assert cli.main(["check", budgets, "--base", str(old)]) == 0
    assert "and A has" in capsys.readouterr().out


def test_what_holds_is_proved(tmp_path, capsys):
    assert cli.main(["check", written(tmp_path, "Holds")]) == 0
    assert "holds: 1 output, 0 findings" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "[[model]]"),
        ("model = 3", "[[model]]"),
        ("colour = 3\n[[model]]\npath = 'a'", "'colour' is not known"),
        ("[[model]]\nlimits = []", "has to have a path"),
        ("[[model]]\npath = 'a'\nlimit = ['fits']", "has to have a path"),
        ("[[model]]\npath = 'a'\nlimits = [3]", "limits a list of texts"),
        ("[[model]]\npath = 'a'\nlimits = ['cycles']", "'cycles' is none of"),
        ("[[model]]\npath = 'a'\nlimits = ['sram < 3ms']", "'ms' is no unit"),
        ("[[model]]\npath = 'a'\noptions = '--colour'", "--colour"),
        ("[[model]]\npath = 'a'\noptions = '\"'", "model 1"),
        ("[[model]]\npath = 'nowhere.tflite'", "nowhere.tflite"),
        ("[[model", "is no file of budgets"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(text, told, tmp_path, capsys):
    (tmp_path / "b.toml").write_text(text)
    assert cli.main(["check", str(tmp_path / "b.toml")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


@pytest.mark.parametrize(
    ("text", "asked"),
    [("flash +0 %", "flash<=+0%"), ("cycles -2.5%", "cycles<=-2.5%"), ("sram + 1K", "sram<=+1K")],
)
def test_more_than_before_is_a_limit_of_the_difference(text, asked):
    limit = limit_of(text)
    assert limit.demand is not None
    assert (limit.demand.text, limit.needs_base) == (asked, True)


@pytest.mark.parametrize("file", ["action.yml", ".pre-commit-hooks.yaml"])
def test_what_others_run_is_a_command_that_there_is(file, tmp_path):
    text = (EXAMPLES.parents[1] / file).read_text()
    words = text.split("reefpoint check", 1)[1].splitlines()[0].split()
    options = [word for word in words if word in {"--github", "--md", "--junit", "--force"}]
    files = {word: [str(tmp_path / word)] for word in ("--md", "--junit")}
    line = [part for word in options for part in (word, *files.get(word, []))]
    assert cli.main(["check", written(tmp_path, "fits"), *line]) == 0


def test_the_examples_of_this_repository_are_within_their_budgets():
    assert cli.main(["check", str(EXAMPLES.parent / "ci" / "budgets.toml")]) == 0


def test_the_page_tells_limits_that_are_known():
    page = (EXAMPLES.parent / "pull-requests.md").read_text()
    table = page.split("|---|---|\n")[1].split("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines()]
    told = [limit for cell in cells for limit in cell.split("`")[1::2]]
    assert [limit_of(limit).text for limit in told] == told
