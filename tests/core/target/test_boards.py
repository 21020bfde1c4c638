"""Boards: each figure has its source, and `--board` is what the options are that it stands for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reefpoint
from core import cli
from core.api import targets
from core.base.errors import OptionError
from core.base.frozen import replace
from core.report import board_error
from core.report.boards import page
from core.target.resolve import resolve

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "resources" / "boards.md"
KWS = str(ROOT / "resources" / "examples" / "kws_dscnn.tflite")
BOARDS = pytest.mark.parametrize("board", targets.BOARDS, ids=lambda board: board.name)


def test_the_page_has_every_figure_with_its_source(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(page(), "utf-8")
    assert PAGE.read_text("utf-8") == page()
    assert len(targets.BOARDS) >= 12
    rows = [line.split(" | ") for line in page().splitlines() if line.startswith("| ")][1:]
    measured = {each.board for each in board_error.measured()}
    assert len(rows) == 5 * len(targets.BOARDS) + len(measured)
    assert all(len(row) == 4 and row[3].strip("| ") for row in rows)


@BOARDS
def test_a_board_is_a_target_that_can_be_had(board: targets.Board) -> None:
    told = board.target
    target = resolve(
        told["accelerator_config"],
        told["system_config"],
        told["memory_mode"],
        arena_cache_size=told["arena_cache_size"],
    )
    assert target.system.core_clock_hz == float(board.clock.value) * 1e6
    assert target.fast_limit_bytes == board.sram_bytes
    found = reefpoint.target(board.name)
    assert (found.accelerator, found.limit_bytes) == (board.accelerator.value, board.sram_bytes)


def asked(tmp_path: Path, *words: str) -> list[str]:
    """What a command asks for in the end."""
    out = tmp_path / "s.json"
    assert cli.main(["schedule", KWS, "--json", str(out), *words]) == 0
    return json.loads(out.read_text())["options"]


def test_a_board_is_what_its_options_are_and_others_go_before(tmp_path, capsys):
    board = targets.board_named("numaker-m55m1")
    words = [
        word
        for name, text in board.target.items()
        for word in ("--" + name.replace("_", "-"), text)
    ]
    assert asked(tmp_path, "--board", board.name) == asked(tmp_path, *words)
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.startswith("reefpoint: board numaker-m55m1: --accelerator-config ethos-u55-256 ")
    assert first.endswith("; assumed: NPU, memories, memory mode")
    assert rest == []
    small = asked(tmp_path, "--board", board.name, "--arena-cache-size", "64K")
    assert "65536" in small
    other = ("--accelerator-config", "ethos-u55-64")
    assert "ethos-u55-64" in asked(tmp_path, "--board", board.name, *other)
    assert "warning: numaker-m55m1 has an ethos-u55-256" in capsys.readouterr().err


def test_a_project_and_budgets_name_a_board(tmp_path, capsys):
    model = tmp_path / "net.tflite"
    model.write_bytes(Path(KWS).read_bytes())
    (tmp_path / "reefpoint.toml").write_text('board = "alif-e7-he"\narena-cache-size = "64K"\n')
    out = tmp_path / "s.json"
    assert cli.main(["schedule", str(model), "--json", str(out)]) == 0
    options = json.loads(out.read_text())["options"]
    assert "Board_Alif_HE" in options
    assert "65536" in options
    assert "defaults of" in capsys.readouterr().err
    assert cli.main(["schedule", str(model), "--json", str(out), "--board", "sr100"]) == 0
    assert str(3 << 20) in json.loads(out.read_text())["options"]
    budgets = tmp_path / "b.toml"
    budgets.write_text('options = "--board ek-ra8p1"\n[[model]]\npath = "net.tflite"\n')
    assert cli.main(["check", str(budgets)]) == 0


def test_a_sweep_is_of_a_board_and_its_own_limits(tmp_path):
    out, csv = str(tmp_path / "s.sqlite"), tmp_path / "s.csv"
    words = ["--board", "alif-e7-hp", "--sram", "32K,64K", "--jobs", "1", "--csv", str(csv)]
    assert cli.main(["sweep", KWS, "-o", out, *words]) == 0
    _, *rows = csv.read_text().splitlines()
    assert len(rows) == 2
    assert all("Board_Alif_HP" in row for row in rows)


@pytest.mark.parametrize("name", targets.OTHERS)
def test_a_board_with_another_npu_is_refused_by_its_name(name, capsys):
    assert cli.main(["schedule", KWS, "--board", name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{name} has an Ethos-U85" in line
    with pytest.raises(OptionError, match="Ethos-U85"):
        reefpoint.target(name)


def test_an_unknown_board_has_a_near_one(capsys):
    assert cli.main(["schedule", KWS, "--board", "alif-e7-pp"]) == 2
    assert "did you mean 'alif-e7-hp'?" in capsys.readouterr().err


def test_where_a_model_does_not_fit_is_told_first(tmp_path, capsys, monkeypatch):
    fitting, small = targets.boards_named("alif-e7-hp,sr100")
    tight = replace(small, sram_bytes=1024)
    monkeypatch.setattr(targets, "boards_named", lambda _: (fitting, tight))
    md = tmp_path / "b.md"
    assert cli.main(["boards", KWS, "--on", "x", "--md", str(md)]) == 0
    told = capsys.readouterr().out
    assert "fits sr100: limit exceeded" in told
    lines = told.splitlines()
    assert [line.split()[0] for line in lines if "kws_dscnn" in line] == ["fits", "FAILS"]
    rows = md.read_text().split("\n\n")[1].splitlines()
    assert "sr100" in rows[2]
    assert "alif-e7-hp" in rows[3]


def test_boards_alone_are_a_table_of_what_is_known(capsys):
    assert cli.main(["boards"]) == 0
    told = capsys.readouterr().out
    assert all(board.name in told for board in targets.BOARDS)
    assert "alif-e8" in told
