"""What a Linux desktop is told of the app can be taken back without a trace."""

from __future__ import annotations

import configparser
import re
import shlex
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from core.base.errors import OptionError
from gui.shell import desktop
from gui.shell.request import Desktop


@pytest.fixture
def home(tmp_path):
    return {"XDG_DATA_HOME": str(tmp_path / "data")}


def files(home: dict[str, str]) -> set[Path]:
    return {path for path in Path(home["XDG_DATA_HOME"]).rglob("reefpoint.*") if path.is_file()}


def test_an_entry_an_icon_and_a_type_are_written_and_taken_back(home, tmp_path):
    program = tmp_path / "reefpoint"
    program.touch()
    told = desktop.apply(Desktop.INSTALLED, home, "linux", str(program))
    found = files(home)
    assert {path.suffix for path in found} == {".desktop", ".svg", ".xml"}
    assert all(str(path) in told for path in found)
    entry = configparser.RawConfigParser()
    entry.optionxform = str
    entry.read(next(path for path in found if path.suffix == ".desktop"), "utf-8")
    group = entry["Desktop Entry"]
    assert shlex.split(group["Exec"]) == [str(program), "%f"]
    (kind,) = ET.parse(next(path for path in found if path.suffix == ".xml")).getroot()
    assert group["MimeType"] == f"{kind.get('type')};"
    assert "*.tflite" in {part.get("pattern") for part in kind}
    for _ in range(2):
        desktop.apply(Desktop.REMOVED, home, "linux", str(program))
        assert files(home) == set()


def test_from_a_clone_the_entry_starts_the_same_python():
    assert desktop.command_of("main.py") == (sys.executable, str(Path("main.py").absolute()))
    assert desktop.typed("main.py") == "python main.py"
    assert desktop.typed("/usr/bin/reefpoint") == "reefpoint"


@pytest.mark.parametrize("name", ["a b", "50%", 'say "no"', "$HOME", "back\\slash"])
def test_names_survive_the_quoting_of_the_entry(name):
    # Values are unescaped once, then a shell's double quotes, then codes of the standard.
    quoted = desktop._quoted(name)
    of_shell = quoted.replace("\\\\", "\\").removeprefix('"').removesuffix('"')
    assert re.sub(r'\\(["`$\\])', r"\1", of_shell).replace("%%", "%") == name


def test_elsewhere_it_is_refused(home):
    with pytest.raises(OptionError, match="Linux"):
        desktop.apply(Desktop.INSTALLED, home, "win32", "reefpoint")
