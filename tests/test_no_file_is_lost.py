"""No output of any command goes over a file that is read, or over one of another kind."""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

import main
from core.api import networks, proof, sweeps
from core.base import outputs
from core.base.errors import CoreError, OptionError
from core.base.forms import Form
from core.base.outputs import Output, demand_outputs
from core.cli import run
from core.cli.arguments import Parser
from core.edits.notes import encode as encode_notes
from core.edits.text import EditsFile, encode
from gui.document.answer import Answer
from gui.export import folder
from gui.shell import command_line
from reefpoint.agents import Agents

EXAMPLE = Path(__file__).parents[1] / "resources" / "examples" / "kws_dscnn.tflite"
APP, LOG = "app", "--log"


class Taken(Exception):  # noqa: N818 - it carries what was asked for
    """The parser of a command, instead of what it would have parsed."""


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser that a command reads its line with."""
    with mock.patch.object(Parser, "parse_args", autospec=True, side_effect=Taken) as taken:
        with pytest.raises(Taken):
            command_line.request_of([]) if command == APP else main.cli.main([command], MORE)
        return taken.call_args.args[0]


BUDGETS = Path(__file__).parents[1] / "resources" / "ci" / "budgets.toml"
MORE = [main._REPORT, main._MCP]
COMMANDS = (*(command.name for command in run.COMMANDS), *(each.name for each in MORE), APP)


class Place(NamedTuple):
    """An argument of a command that names a file."""

    command: str
    option: str
    form: Form | None = None

    def __str__(self) -> str:
        return f"{self.command}-{self.option}"


def places(command: str) -> Iterator[Place]:
    """All of them; only those that are written have a form."""
    for action in parser_of(command)._actions:
        option = action.option_strings[-1] if action.option_strings else action.dest
        if option == LOG and command != "schedule":
            continue  # It is one argument, which all commands have.
        if action.type is Path:
            yield Place(command, option)
        elif action.metavar == "DIR|FILE":
            yield Place(command, option, Form.HTML)
        elif callable(action.type) and isinstance(found := tried(action.type), Output):
            yield Place(command, option, found.form)


def tried(kind: object) -> object:
    try:
        return kind("x")  # type: ignore[operator] - that is what is tried
    except (argparse.ArgumentTypeError, ValueError):
        return None


PLACES = [place for command in COMMANDS for place in places(command)]
INPUTS = [place for place in PLACES if place.form is None]
CONTENTS = {
    "budgets": BUDGETS.read_bytes(),
    "model": EXAMPLE.read_bytes(),
    "a": EXAMPLE.read_bytes(),
    "b": EXAMPLE.read_bytes(),
    "--against": b"",
    "--data": b"PK\x03\x04",
    "--config": b"[Memory_Mode.Mine]\n",
    "--dask-tls-ca": b"",
    "--dask-tls-cert": b"",
    "--dask-tls-key": b"",
    "--adopt": b"{}",
    "--around": b"{}",
    "--edits": encode(EditsFile(edits=())).encode(),
    "--notes": encode_notes(()).encode(),
    "--with": EXAMPLE.read_bytes(),
}
"""What may be in a file that is read."""
OUTPUTS = [place for place in PLACES if place.form is not None]
PAIRS = [pair for pair in itertools.product(OUTPUTS, INPUTS) if pair[0].command == pair[1].command]
TWINS = [pair for pair in itertools.permutations(OUTPUTS, 2) if pair[0].command == pair[1].command]


def test_every_argument_that_names_a_file_is_read_or_written() -> None:
    """Those that are read are few; whatever comes new and is written is an `Output`."""
    assert {place.option for place in INPUTS} == CONTENTS.keys()
    assert {str(place) for place in OUTPUTS} == {
        "inspect---json",
        "schedule---json",
        "schedule---md",
        "schedule---junit",
        "schedule---log",
        "schedule---write-edits",
        "compile---output",
        "compile---schedule-json",
        "compile---summary-csv",
        "compile---per-layer-csv",
        "compile---write-edits",
        "advise---json",
        "advise---md",
        "advise---junit",
        "boards---md",
        "boards---junit",
        "calibrate---output",
        "calibrate---json",
        "check---md",
        "check---junit",
        "compare---md",
        "compare---junit",
        "compare---json",
        "compare---csv",
        "compare---html",
        "verify---json",
        "verify---md",
        "verify---junit",
        "sweep---output",
        "sweep---csv",
        "sweep---json",
        "sweep---md",
        "sweep---junit",
        "sweep---html",
        "report---output",
        "report---write-edits",
        "app---screenshot",
    }
    for command in COMMANDS:
        options = {text for action in parser_of(command)._actions for text in action.option_strings}
        writes = LOG in options or any(place.command == command for place in OUTPUTS)
        assert ("--force" in options) is writes


def line(command: str, files: dict[str, Path]) -> list[str]:
    """A command line with these files, and with what the command cannot do without."""
    own = (place.option for place in INPUTS if place.command == command)
    needed = {option: EXAMPLE for option in own if not option.startswith("-")}
    if command == "compile":
        needed["--output"] = Path(os.devnull)
    if command == "check":
        needed["budgets"] = BUDGETS
    if command == "report":
        needed["--output"] = Path("nowhere.html")
    if command == "sweep":
        needed["--output"] = Path("nowhere.sqlite")
    if command == "verify":
        needed |= {"--against": EXAMPLE, "--data": EXAMPLE}
    if command == "calibrate":
        needed |= {"measurements": Path(f"{EXAMPLE}=1000"), "--output": Path("nowhere.ini")}
    given = needed | files
    placed = [file for option, file in given.items() if not option.startswith("-")]
    named = [part for item in given.items() if item[0].startswith("-") for part in item]
    return [*([] if command == APP else [command]), *map(str, (*named, *placed))]


@pytest.fixture(autouse=True)
def _no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here gets as far as work."""
    monkeypatch.setattr(networks, "run", reached)
    monkeypatch.setattr(proof, "verify", reached)
    monkeypatch.setattr(sweeps, "plan", reached)
    monkeypatch.setattr("core.pipeline.board._programmed", reached)
    monkeypatch.setattr(folder, "job_of", reached)
    monkeypatch.setattr("gui.shell.studios._studio", lambda: (None, "there is none here"))
    monkeypatch.setattr("gui.shell.bootstrap._open", reached)


def reached(*_: object, **__: object) -> Answer:
    raise OptionError("work has begun")


def said(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main.main(argv) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    return captured.err


def named(how: str, file: Path, suffix: str) -> Path:
    """Another path of a file."""
    other = file.with_name(f"other{suffix}")
    match how:
        case "symbolic link":
            other.symlink_to(file)
        case "hard link":
            other.hardlink_to(file)
        case "way around":
            return file.parent / ".." / file.parent.name / file.name
        case _:
            return file
    return other


@pytest.mark.parametrize("how", ["name", "way around", "symbolic link", "hard link"])
@pytest.mark.parametrize(("output", "read"), PAIRS, ids=str)
def test_what_is_read_is_never_written_over(
    output: Place, read: Place, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert output.form is not None
    before = CONTENTS[read.option]
    file = tmp_path / f"file{output.form.suffix}"
    file.write_bytes(before)
    asked = {read.option: file, output.option: named(how, file, output.form.suffix)}
    for force in ([], ["--force"]):
        told = said([*line(output.command, asked), *force], capsys)
        assert "which is read and would be lost" in told
        assert file.read_bytes() == before


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize(("one", "other"), TWINS, ids=str)
def test_no_two_outputs_are_one_file(
    one: Place,
    other: Place,
    is_there: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, link = tmp_path / "file.html", tmp_path / "link.html"
    link.symlink_to(file)
    if is_there:
        file.write_text("")
    asked = {one.option: file, other.option: link}
    assert "is asked for twice" in said(line(one.command, asked), capsys)
    assert file.exists() is is_there


@pytest.mark.parametrize("output", OUTPUTS, ids=str)
def test_a_file_of_another_kind_is_replaced_only_by_force(
    output: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert output.form is not None
    file = tmp_path / f"file{output.form.suffix}"
    for foreign in (b"dear diary\nnothing happened", b"\x1c\0\0\0TFL4", b"[section]\nkey=1\n"):
        file.write_bytes(foreign)
        argv = line(output.command, {output.option: file})
        told = said(argv, capsys)
        assert f"is no {output.form.title} file; --force replaces it" in told
        assert "work has begun" in said([*argv, "--force"], capsys)
        # A log begins with the work, also where nothing comes of that.
        assert (file.read_bytes() == foreign) is (output.option != LOG)
    file.write_bytes(b"")
    assert "work has begun" in said(line(output.command, {output.option: file}), capsys)


@pytest.mark.parametrize("name", ["kws_dscnn_schedule.json", "pictures/network.png"])
def test_each_file_of_a_folder_follows_the_rule(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.shell.studios._studio", lambda: (Drawing(), ""))
    foreign = tmp_path / name
    foreign.parent.mkdir(exist_ok=True)
    (tmp_path / "notes.txt").write_text("mine")
    argv = line("report", {"--output": tmp_path})
    assert "work has begun" in said(argv, capsys)
    foreign.write_text("mine")
    assert f"{foreign}: is there and is no " in said(argv, capsys)
    assert "work has begun" in said([*argv, "--force"], capsys)
    foreign.unlink()
    model = tmp_path / "kws_dscnn.tflite"
    model.write_bytes(EXAMPLE.read_bytes())
    foreign.symlink_to(model)
    argv = line("report", {"--output": tmp_path, "model": model})
    assert "which is read" in said([*argv, "--force"], capsys)


class Drawing:
    """What could draw one view."""

    def views(self, *_: object) -> dict[str, None]:
        return {"network": None}


def test_a_report_leaves_no_folder_where_it_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new" / "folder"
    assert "work has begun" in said(line("report", {"--output": new}), capsys)
    (tmp_path / "file").write_text("mine")
    told = said(line("report", {"--output": tmp_path / "file" / "folder"}), capsys)
    assert "Not a directory" in told
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("content", [b"", b"dear diary", EXAMPLE.read_bytes()])
def test_agents_write_over_nothing(content: bytes, tmp_path: Path) -> None:
    file, link = tmp_path / "file.tflite", tmp_path / "link.tflite"
    file.write_bytes(content)
    link.symlink_to(file)
    for path in (file, link, tmp_path):
        with pytest.raises(OptionError, match="is there already"):
            Agents().compile(str(EXAMPLE), str(path))
    assert file.read_bytes() == content
    dangling = tmp_path / "dangling.tflite"
    dangling.symlink_to(tmp_path / "nowhere" / "a.tflite")
    with pytest.raises(OptionError, match=r"dangling\.tflite"):
        Agents().compile(str(EXAMPLE), str(dangling))


@pytest.mark.parametrize("folds", [False, True])
def test_letter_case_counts_where_the_disk_says_so(
    folds: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "_folds_case", lambda _: folds)
    pair = [Output(path=tmp_path / name, form=Form.CSV) for name in ("ä.csv", "Ä.CSV")]
    for both in (pair, pair[::-1]):
        if folds:
            with pytest.raises(CoreError, match="asked for twice"):
                demand_outputs(both, ())
        else:
            demand_outputs(both, ())


def test_whether_a_disk_folds_letter_case_is_tried(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert outputs._folds_case(tmp_path) is (tmp_path / "A").exists()


def test_devices_are_not_lost(tmp_path: Path) -> None:
    null = Output(path=Path(os.devnull), form=Form.CSV)
    demand_outputs([null, null], [null.path, tmp_path])


def test_links_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    loop, dangling = tmp_path / "loop", tmp_path / "dangling"
    loop.symlink_to(loop)
    dangling.symlink_to(tmp_path / "missing" / "file")
    for path in (loop, dangling):
        with pytest.raises(OptionError, match=path.name):
            demand_outputs([Output(path=path, form=Form.CSV)], ())
