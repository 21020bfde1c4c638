"""What could only be read in part is told by `inspect` alone, and taken for a whole by nobody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import main
from core.cli import exits
from core.emit import words
from core.emit.instructions.first_architecture import FIRST_ARCHITECTURE
from core.emit.instructions.instruction_set import Launch, Reg
from tests.core.pipeline.read_backs import CASES, EXAMPLES, compiled, with_words

CASE = CASES[0]
MODEL = EXAMPLES / f"{CASE.example}.tflite"
BIT = 4
"""It means nothing where the element type of an output is."""


def places(found: list[int]) -> tuple[int, int]:
    """The word that spoils the stream, and how many commands are before it."""
    half = [each for each in words.decode(found, FIRST_ARCHITECTURE) if each.word > len(found) // 2]
    word = next(each.word for each in half if each.name is Reg.OFM_PRECISION)
    everything = words.decode(found, FIRST_ARCHITECTURE)
    return word, sum(isinstance(each.name, Launch) and each.word < word for each in everything)


class Spoilt:
    """A compiled file that cannot be read to its end, and what is said of it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "spoilt.tflite"
        self.word = self.command = 0
        self.path.write_bytes(with_words(compiled(CASE)[1], self._spoil))

    def _spoil(self, found: list[int]) -> None:
        self.word, self.command = places(found)
        found[self.word] |= 1 << BIT + 16

    @property
    def place(self) -> str:
        return f"command stream 0, command {self.command}, word {self.word}: OFM_PRECISION is "


@pytest.fixture
def broken(tmp_path: Path) -> Spoilt:
    return Spoilt(tmp_path)


USES: dict[str, Callable[[Path, Path], list[object]]] = {
    "schedule": lambda path, _: ["schedule", path],
    "schedule as JSON": lambda path, folder: ["schedule", path, "--json", folder / "out"],
    "compare": lambda path, _: ["compare", MODEL, path],
    "compare with itself": lambda path, _: ["compare", path, path],
    "report": lambda path, folder: ["report", path, "-o", folder / "out.html"],
    "report in a folder": lambda path, folder: ["report", path, "-o", folder / "out"],
    "adopt": lambda path, _: ["schedule", MODEL, "--adopt", path],
    "around": lambda path, _: ["schedule", MODEL, "--around", path],
    "compile with what was adopted": lambda path, folder: [
        *("compile", MODEL, "--adopt", path),
        *("-o", folder / "out.tflite"),
    ],
}


@pytest.mark.parametrize("use", USES)
def test_nobody_takes_a_part_for_the_whole(broken, use, tmp_path, capsys):
    before = sorted(tmp_path.iterdir())
    asked = [str(part) for part in USES[use](broken.path, tmp_path)]
    assert main.main(asked) == exits.REFUSED
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert f"{broken.path.name}: {broken.place}" in line
    assert f"bit {BIT} in it" in line
    assert not told.out
    assert sorted(tmp_path.iterdir()) == before


def test_inspect_shows_what_is_before_and_where_it_ends(broken, capsys):
    assert main.main(["inspect", str(broken.path)]) == exits.REFUSED
    told = capsys.readouterr()
    assert f"NOT READ FURTHER than word {broken.word} " in told.out
    assert f"before command {broken.command} was started: OFM_PRECISION is " in told.out
    assert f"{broken.path}: {broken.place}" in told.err


def test_verification_says_why_it_does_not_hold(broken, capsys):
    assert main.main(["verify", str(broken.path), "--against", str(MODEL)]) == exits.DISPROVED
    assert f"bit {BIT} in it is not known" in capsys.readouterr().out
