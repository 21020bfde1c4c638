"""Who searches, as users name it: three engines, and older words for what they always meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import cli
from core.ir.options import Engine, Options, Search

ROOT = Path(__file__).parents[2]
KWS = str(ROOT / "resources" / "examples" / "kws_dscnn.tflite")
MOST = Options().effort

FRONT, SEEDS = Engine.CASCADING, Search.COMPATIBLE

MEANINGS = {
    "": (Search.DIRECT, FRONT, MOST),
    "--engine front": (Search.DIRECT, FRONT, MOST),
    "--engine front --effort 0": (Search.DIRECT, FRONT, 0),
    "--engine front --effort 7": (Search.BEST, FRONT, 7),
    "--effort 7": (Search.BEST, FRONT, 7),
    "--engine cascading": (SEEDS, Engine.CASCADING, MOST),
    "--engine Pareto": (SEEDS, Engine.PARETO, MOST),
    "--search compatible": (SEEDS, Engine.CASCADING, MOST),
    "--search direct": (Search.DIRECT, FRONT, MOST),
    "--search best": (Search.BEST, FRONT, MOST),
    "--search best --effort 7": (Search.BEST, FRONT, 7),
    "--engine front --search best": (Search.BEST, FRONT, MOST),
    # Whoever names both, as reports do, has what they name.
    "--search best --engine cascading": (Search.BEST, FRONT, MOST),
    "--search direct --engine cascading": (Search.DIRECT, FRONT, MOST),
    "--search direct --engine pareto": (Search.DIRECT, Engine.PARETO, MOST),
    "--search compatible --engine pareto": (SEEDS, Engine.PARETO, MOST),
}


def options_of(line: str) -> Options:
    arguments = cli.target_arguments().parse_args(line.split())
    return cli.settings_of(arguments).options


@pytest.mark.parametrize("line", MEANINGS)
def test_words_mean_a_search_an_engine_and_an_effort(line: str) -> None:
    options = options_of(line)
    assert (options.search, options.engine, options.effort) == MEANINGS[line]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--engine fron", "unknown engine 'fron'; did you mean 'front'?"),
        ("--engine front --search compatible", "a name for --engine cascading, not for front"),
        ("--engine pareto --search best", "--search best asks for --engine front"),
        ("--as-first", "--as-first asks for --engine cascading"),
        ("--engine pareto --as-first", "--as-first asks for --engine cascading"),
        ("--engine cascading --no-cascading", "ask for --engine pareto"),
        ("--effort many", "--effort many: has to be"),
    ],
)
def test_what_they_cannot_mean_is_said(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["schedule", KWS, *line.split()]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "--engine front --effort 0; in older words --search direct"),
        ("--search compatible", "--engine cascading; in older words --search compatible"),
        ("--search best --effort 1", "--engine front --effort 1; in older words --search best"),
        ("--engine pareto", "--engine pareto"),
        ("--engine pareto --search direct", "--search direct --engine pareto"),
    ],
)
def test_the_text_says_what_asks_for_the_same(
    line: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["schedule", KWS, *line.split(), "--no-cache"]) == 0
    (row,) = (
        each for each in capsys.readouterr().out.splitlines() if each.startswith("asked for by")
    )
    words = row.removeprefix("asked for by").strip()
    assert words.startswith(told)
    meant = [options_of(each) for each in words.split("; in older words ")]
    assert {(each.search, each.engine) for each in meant} == {(meant[0].search, meant[0].engine)}


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("--engine cascading,pareto", 2),
        ("--engine front,cascading", 2),
        ("--engine cascading,pareto --search compatible,direct", 4),
        ("--search compatible,direct", 2),
    ],
)
def test_a_sweep_takes_several_words(
    line: str, cells: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "out.sqlite")
    assert cli.main(["sweep", KWS, *line.split(), "-o", file, "--jobs", "1"]) == 0
    assert f"{cells} cells" in capsys.readouterr().out


def test_a_sweep_of_what_is_no_grid_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["sweep", KWS, "--engine", "front,pareto", "-o", str(tmp_path / "out.sqlite")]
    assert cli.main(asked) == 2
    assert "make no grid" in capsys.readouterr().err
