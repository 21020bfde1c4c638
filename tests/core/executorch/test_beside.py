"""Weights in a file beside a program are found wherever a compiled model is taken."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import reefpoint
from core.cli.run import main
from tests.core.executorch.samples import EXTERNAL
from tests.shared import need

ROOT = Path(__file__).parents[3]
KWS = str(ROOT / "resources" / "examples" / "kws_dscnn.tflite")
EDITS = '{"reefpoint": "edits", "version": 1, "model": null, "edits": []}'


@pytest.fixture
def program(tmp_path: Path) -> Path:
    for path in need(EXTERNAL).parent.glob("convres_external_u55-128.[pf][tl]*"):
        shutil.copy(path, tmp_path)
    return tmp_path / need(EXTERNAL).name


@pytest.mark.parametrize(
    "command",
    [
        ["inspect", "PROGRAM"],
        ["schedule", "PROGRAM"],
        ["advise", "PROGRAM"],
        ["compare", "PROGRAM", "PROGRAM"],
        ["verify", "PROGRAM", "--inputs", "1"],
        ["schedule", KWS, "--accelerator-config", "ethos-u55-128", "--adopt", "PROGRAM"],
    ],
    ids=lambda command: " ".join(word for word in command if "/" not in word),
)
def test_commands_find_it(command: list[str], program: Path):
    assert main([str(program) if word == "PROGRAM" else word for word in command]) == 0


def test_edits_around_a_program_find_it(program: Path, capsys: pytest.CaptureFixture[str]):
    (program.parent / "edits.json").write_text(EDITS, "utf-8")
    asked = ["--edits", str(program.parent / "edits.json"), "--around", str(program)]
    # Nothing of another network can be kept; that it was read is what is said.
    assert main(["schedule", KWS, *asked]) == 2
    assert "is of another network" in capsys.readouterr().err


def test_scripts_find_it(program: Path):
    found = reefpoint.schedule(reefpoint.load(program), progress=False)
    assert (
        found.cycles
        == reefpoint.schedule(need("executorch/convres_u55-128.pte"), progress=False).cycles
    )


def test_without_it_scripts_are_told(program: Path):
    (program.with_suffix(".flash.ptd")).unlink()
    with pytest.raises(reefpoint.InputError, match="not beside it"):
        reefpoint.load(program)
