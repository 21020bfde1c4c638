"""Edits on the command line: a file in, a file out, and what became of each of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import main
from core.base.digest import digest_bytes
from core.base.geometry import Block
from core.edits.text import EditsFile, decode, encode
from core.emit.conventions import EDITS_METADATA
from core.ir.edits import Edit, Grouping, Living, MapNamed, OpNamed, Rule, What
from core.ir.options import Search
from core.report.edits import adopted_against
from core.tflite.reader import read

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "resources" / "examples" / "kws_dscnn.tflite"
LOST = Edit(subject=OpNamed("nobody"), what=What.STRIPE, value=4)
FIRST = Edit(subject=MapNamed("stem/conv_2d"), what=What.REGION, value=Living.FAST)


def edits_file(folder: Path, *edits: Edit, model: str | None = None) -> str:
    path = folder / "edits.json"
    path.write_text(encode(EditsFile(edits=edits, model=model)))
    return str(path)


def run(*argv: object) -> None:
    assert main.main([*map(str, argv)]) == 0


def report(*argv: object) -> None:
    """In a process of its own: reports draw with Qt, which later tests are to start anew."""
    command = [sys.executable, str(ROOT / "main.py"), "report", *map(str, argv)]
    subprocess.run(command, check=True, capture_output=True)


def test_decisions_that_are_written_are_honoured_when_they_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions, again = tmp_path / "one.json", tmp_path / "two.json"
    run("schedule", EXAMPLE, "--write-edits", decisions)
    before = capsys.readouterr()
    file = decode(decisions.read_bytes())
    assert file.model == digest_bytes(EXAMPLE.read_bytes())
    assert len(file.edits) > 100
    run("schedule", EXAMPLE, "--edits", decisions, "--write-edits", again)
    after = capsys.readouterr()
    assert (before.err, after.err) == ("", "")
    assert f"\n{len(file.edits)} honoured\n" in after.out
    assert again.read_bytes() == decisions.read_bytes()
    assert before.out.partition("Totals")[2] == after.out.partition("Totals")[2]


def test_what_is_not_honoured_is_told_and_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("schedule", EXAMPLE, "--edits", edits_file(tmp_path, FIRST, LOST))
    captured = capsys.readouterr()
    assert captured.err == (
        "reefpoint: warning: edit 2 (stripe of nobody: 4 rows): orphan:"
        " the network has no such name, nobody\n"
    )
    assert "\n2: the network has no such name, nobody\n" in captured.out


def test_json_has_what_became_of_each_edit_and_nothing_without_edits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("schedule", EXAMPLE, "--json", "-")
    assert "edits" not in json.loads(capsys.readouterr().out)
    run("schedule", EXAMPLE, "--json", "-", "--edits", edits_file(tmp_path, FIRST, LOST))
    found, lost = json.loads(capsys.readouterr().out)["edits"]
    assert (found["fate"], found["applied"], found["reasons"]) == ("honoured", "fast", [])
    assert found["asked"] == {
        "subject": {"map": "stem/conv_2d"},
        "what": "region",
        "value": "fast",
    }
    assert (lost["fate"], lost["applied"]) == ("orphan", None)
    assert lost["reasons"][0]["operators"] == ["nobody"]


def test_edits_of_another_model_are_obeyed_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = edits_file(tmp_path, FIRST, model="0" * 32)
    run("schedule", EXAMPLE, "--edits", file, "--json", "-")
    captured = capsys.readouterr()
    assert captured.err.startswith(f"reefpoint: warning: {file}: was written for another model")
    assert json.loads(captured.out)["edits"][0]["fate"] == "honoured"


def test_decisions_of_another_lowering_are_obeyed_by_name_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = tmp_path / "one.json"
    run("schedule", EXAMPLE, "--search", "compatible", "--write-edits", decisions)
    assert decode(decisions.read_bytes()).search is Search.COMPATIBLE
    capsys.readouterr()
    run("schedule", EXAMPLE, "--search", "direct", "--edits", decisions)
    told = capsys.readouterr().err
    assert told.startswith(f"reefpoint: warning: {decisions}: was found by --search compatible")
    run("schedule", EXAMPLE, "--search", "compatible", "--edits", decisions)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("content", ["", "{}", '{"reefpoint": "edits", "version": 9}'])
def test_a_file_of_something_else_is_refused_by_its_name(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "edits.json"
    file.write_text(content)
    assert main.main(["schedule", str(EXAMPLE), "--edits", str(file)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert captured.err.startswith(f"reefpoint: {file}: ")


def test_a_compiled_model_carries_its_edits_where_that_is_asked_for(tmp_path: Path) -> None:
    bare, kept = tmp_path / "bare.tflite", tmp_path / "kept.tflite"
    file = edits_file(tmp_path, FIRST)
    run("compile", EXAMPLE, "-o", bare, "--edits", file)
    run("compile", EXAMPLE, "-o", kept, "--edits", file, "--keep-edits")
    names = [item.name for item in read(bare.read_bytes()).metadata]
    assert EDITS_METADATA not in names
    said = {item.name: item.data.array.tobytes() for item in read(kept.read_bytes()).metadata}
    assert decode(said.pop(EDITS_METADATA)).edits == (FIRST,)
    assert list(said) == names


STRIPE = {"what": "stripe", "value": 4}


@pytest.mark.parametrize(
    ("subject", "whole"),
    [
        ({"operator": "softmax_add27"}, "head/softmax_add27"),
        ({"operator": "#0"}, "stem/conv_2d"),
        ({"operator": "0 conv2d · stem"}, "stem/conv_2d"),
        ({"map": "#0"}, "stem/conv_2d"),
    ],
)
def test_names_are_found_by_number_title_and_unique_ending(
    subject: dict[str, str],
    whole: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "edits.json"
    decision = STRIPE if "operator" in subject else {"what": "address", "value": "0x100"}
    edit = {"subject": subject, **decision}
    file.write_text(json.dumps({"reefpoint": "edits", "version": 1, "edits": [edit]}))
    run("schedule", EXAMPLE, "--json", "-", "--edits", file)
    (told,) = json.loads(capsys.readouterr().out)["edits"]
    assert told["asked"]["subject"] == dict.fromkeys(subject, whole)
    assert told["fate"] != "orphan"


@pytest.mark.parametrize("lost", [{"operator": "stem/conv_2b"}, {"operator": "#900"}])
def test_what_strict_does_not_let_pass_is_told_with_what_may_have_been_meant(
    lost: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "edits.json", tmp_path / "out.tflite"
    edit = {"subject": lost, **STRIPE}
    file.write_text(json.dumps({"reefpoint": "edits", "version": 1, "edits": [edit]}))
    command = ["compile", str(EXAMPLE), "-o", str(out), "--edits", str(file)]
    assert main.main([*command, "--strict"]) == 3
    told = capsys.readouterr().err
    assert ("did you mean stem/conv_2d?" in told) is (not lost["operator"].startswith("#"))
    assert "is not written: 1 edit could not be honoured" in told
    assert not out.exists()
    assert main.main(command) == 0


def test_strict_adopts_nothing_of_another_network(tmp_path: Path) -> None:
    other, own = tmp_path / "other.json", tmp_path / "own.json"
    run("schedule", EXAMPLE.with_name("unet_128.tflite"), "--json", other)
    run("schedule", EXAMPLE, "--json", own)
    strict = ["schedule", str(EXAMPLE), "--strict", "--adopt"]
    assert main.main([*strict, str(other)]) == 3
    assert main.main([*strict, str(own)]) == 0
    assert main.main([*strict[:2], "--adopt", str(other)]) == 0


def test_a_rule_says_how_many_it_is_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def asked(query: str) -> str:
        rule = Rule(query=query, what=What.CASCADE, value=Grouping.NEVER)
        path = tmp_path / "rule.json"
        path.write_text(encode(EditsFile(edits=(rule,))))
        return str(path)

    strict = ["schedule", str(EXAMPLE), "--strict", "--json", "-", "--tried-edits", "0", "--edits"]
    assert main.main([*strict, asked("kind=depthwise")]) == 0
    told = capsys.readouterr()
    edits = json.loads(told.out)["edits"]
    assert f"kind=depthwise: {len(edits)} operators" in told.err
    assert {each["asked"]["rule"] for each in edits} == {"kind=depthwise"}
    assert main.main([*strict, asked("kind=nothing")]) == 3
    told = capsys.readouterr()
    assert "warning" in told.err
    assert "kind=nothing: 0 operators" in told.err


@pytest.mark.long
def test_a_report_lists_edits_and_writes_decisions(tmp_path: Path) -> None:
    page, decisions = tmp_path / "page.html", tmp_path / "decisions.json"
    asked = edits_file(tmp_path, FIRST, LOST)
    report(EXAMPLE, "-o", page, "--edits", asked, "--write-edits", decisions)
    text = page.read_text()
    assert "no change" in text[text.index("all-edits") :]
    assert "all-edits" in text
    assert "Edit 2 (stripe of nobody: 4 rows): orphan" in text
    assert decode(decisions.read_bytes()).edits


def test_edits_for_the_window_need_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["--edits", edits_file(tmp_path, FIRST)]) == 2
    assert "none is named" in capsys.readouterr().err


def test_what_edits_cost_is_tried_unless_there_are_more_than_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    high = Edit(subject=MapNamed("stem/conv_2d"), what=What.ADDRESS, value=1 << 20)
    file = edits_file(tmp_path, FIRST, high)
    asked = ("schedule", EXAMPLE, "--edits", file, "--arena-cache-size", 40000, "--json", "-")
    run(*asked)
    first, other = json.loads(capsys.readouterr().out)["edits"]
    assert first["cycles"]["with"] == first["cycles"]["without"] > 0
    assert first["fast_storage_bytes"]["without"] > 0
    assert first["ways_out"] == []
    (way,) = other["ways_out"]
    assert way["way"] == "a higher limit"
    assert way["limit_bytes"] > 1 << 20
    run(*asked, "--tried-edits", 1)
    for edit in json.loads(capsys.readouterr().out)["edits"]:
        assert edit["cycles"]["without"] is None
        assert edit["ways_out"] == []


def cycles_of(text: str) -> float:
    """Of a schedule as JSON."""
    return json.loads(text)["totals"]["total_cycles"]


@pytest.fixture(scope="module")
def schedules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A schedule as JSON and a compiled model, both for little memory."""
    folder = tmp_path_factory.mktemp("schedules")
    told, compiled = folder / "schedule.json", folder / "compiled.tflite"
    little = ("--arena-cache-size", 16_000, "--schedule-json", told)
    run("compile", EXAMPLE, "-o", compiled, *little)
    return told, compiled


@pytest.mark.parametrize("kind", [0, 1], ids=["JSON", "compiled"])
def test_another_schedule_is_adopted_and_it_is_said_how_much_of_it(
    kind: int, schedules: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = json.loads(schedules[0].read_text())
    capsys.readouterr()
    run("schedule", EXAMPLE, "--adopt", schedules[kind], "--json", "-")
    captured = capsys.readouterr()
    first = captured.err.splitlines()[0]
    assert first.startswith(f"reefpoint: {schedules[kind]}: ")
    assert "of 43 operators are asked for" in first
    after = json.loads(captured.out)
    refused = [edit for edit in after["edits"] if edit["fate"] != "honoured"]
    if kind == 0:
        assert refused == []
        rows = [op["stripe"] for op in before["schedules"][0]["ops"]]
        assert [op["stripe"] for op in after["schedules"][0]["ops"]] == rows
    assert len(refused) < len(after["edits"]) / 10


def test_what_is_adopted_is_held_against_what_is_searched(
    schedules: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    run("schedule", EXAMPLE, "--json", "-")
    other = cycles_of(capsys.readouterr().out)
    run("schedule", EXAMPLE, "--adopt", schedules[0], "--json", "-")
    captured = capsys.readouterr()
    cycles = cycles_of(captured.out)
    assert cycles > 1.01 * other
    told = captured.err.splitlines()[1].removeprefix(f"reefpoint: {schedules[0]}: ")
    change = f"{cycles / other - 1:.1%}"
    assert told == (
        f"what is adopted takes {change} more cycles than what is searched:"
        f" {round(cycles):,} cycles, and {round(other):,} without it"
    )


@pytest.mark.parametrize(
    ("cycles", "told"),
    [
        (1009, "is as fast as"),
        (991, "is as fast as"),
        (1499, "takes 49.9% more cycles than"),
        (500, "takes 50.0% fewer cycles than"),
        (1700, "is 1.7 times slower than"),
    ],
)
def test_much_is_told_in_times_and_little_not_at_all(cycles: int, told: str) -> None:
    adopted = SimpleNamespace(total=SimpleNamespace(total_cycles=cycles))
    for fits, over in ((True, ""), (False, " (above the limit)")):
        assert adopted_against(adopted, 1000, is_within_limits=fits) == (
            f"what is adopted {told} what is searched:"
            f" {cycles:,} cycles, and 1,000 without it{over}"
        )


def test_own_edits_come_before_adopted_ones(
    tmp_path: Path, schedules: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    mine = Edit(subject=OpNamed("stem/conv_2d"), what=What.BLOCK, value=Block(2, 2, 16))
    asked = edits_file(tmp_path, mine)
    run("schedule", EXAMPLE, "--adopt", schedules[0], "--edits", asked, "--json", "-")
    found = json.loads(capsys.readouterr().out)["edits"]
    blocks = [edit for edit in found if edit["asked"]["what"] == "block"]
    about = [edit for edit in blocks if edit["asked"]["subject"] == {"operator": "stem/conv_2d"}]
    assert [edit["asked"]["value"] for edit in about] == ["2x2x16"]


def test_some_kinds_of_decisions_can_be_adopted_and_the_rest_is_searched(
    schedules: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("schedule", EXAMPLE, "--adopt", schedules[0], "--json", "-", "--adopt-what")
    run(*asked, "stripe,cascade")
    found = json.loads(capsys.readouterr().out)["edits"]
    assert {edit["asked"]["what"] for edit in found} <= {"stripe", "cascade"}
    run(*asked, "address")
    found = json.loads(capsys.readouterr().out)["edits"]
    assert {edit["asked"]["what"] for edit in found} == {"address"}
    assert main.main([*map(str, asked), "colour"]) == 2
    assert "'colour' is none of region, format, address" in capsys.readouterr().err


@pytest.mark.long
def test_the_report_adopts_too(tmp_path: Path, schedules: tuple[Path, Path]) -> None:
    page = tmp_path / "page.html"
    report(EXAMPLE, "-o", page, "--adopt", schedules[0])
    assert "all-edits" in page.read_text()


def test_what_is_no_schedule_is_not_adopted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    assert main.main(["schedule", str(EXAMPLE), "--adopt", str(file)]) == 2
    assert capsys.readouterr().err == (
        f"reefpoint: {file}: is neither a compiled model nor a schedule as JSON\n"
    )


def test_edits_around_a_schedule_keep_all_else_and_tell_their_price(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = ("--accelerator-config", "ethos-u65-256", "--arena-cache-size", "12K")
    shown, changed = tmp_path / "shown.json", tmp_path / "changed.json"
    run("schedule", EXAMPLE, *target, "--json", shown)
    far = edits_file(tmp_path, Edit(subject=FIRST.subject, what=What.REGION, value=Living.SLOW))
    run("schedule", EXAMPLE, *target, "--edits", far, "--around", shown, "--json", changed)
    before, after = (json.loads(path.read_text()) for path in (shown, changed))
    cycles = [each["totals"]["total_cycles"] for each in (before, after)]
    (edit,) = after["edits"]
    assert edit["cycles"] == {"with": cycles[1], "without": cycles[0]}
    assert after["around"]["cycles"] == cycles[0]
    assert after["around"]["anew"]["cycles"] > 0
    assert [op["ofm_block"] for op in after["schedules"][0]["ops"]] == [
        op["ofm_block"] for op in before["schedules"][0]["ops"]
    ]
    capsys.readouterr()
    run("schedule", EXAMPLE, *target, "--edits", far, "--around", shown)
    told = capsys.readouterr().out
    assert "against what was shown" in told
    assert "all else is as it was shown" in told
    assert "with the rest searched anew" in told


def test_what_edits_are_around_is_a_schedule_of_the_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = ROOT / "resources" / "examples" / "unet_128.tflite"
    shown = tmp_path / "shown.json"
    run("schedule", other, "--effort", 0, "--json", shown)
    asked = ["schedule", EXAMPLE, "--edits", edits_file(tmp_path, FIRST)]
    assert main.main([*map(str, asked), "--around", str(shown)]) == 2
    assert "none of its operators is here" in capsys.readouterr().err
    assert main.main([*map(str, asked), "--around", str(shown), "--adopt", str(shown)]) == 2
    assert "one of them is enough" in capsys.readouterr().err
