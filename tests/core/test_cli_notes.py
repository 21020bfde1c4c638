"""Notes on the command line: they go into JSON, the text, the report and the trace, and back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import main
from core.edits.notes import decode, encode
from core.ir.edits import MapNamed, OpNamed, SpanNamed
from core.ir.notes import Note

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "resources" / "examples" / "kws_dscnn.tflite"
LOST = Note(subject=OpNamed("nobody"), text="was in version 2")


def run(*argv: object) -> None:
    assert main.main([*map(str, argv)]) == 0


@pytest.fixture
def noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, tuple[Note, ...]]:
    """A file of notes about an operator, a map, a stretch of time, and about nothing there is."""
    run("schedule", EXAMPLE, "--json", "-")
    ops = json.loads(capsys.readouterr().out)["schedules"][0]["ops"]
    first, last = (OpNamed(ops[place]["name"]) for place in (2, 5))
    made = MapNamed(ops[3]["feature_maps"]["ofm"]["name"])
    notes = (
        Note(subject=first, text="slow on the board"),
        Note(subject=made, text="why so long?"),
        Note(subject=SpanNamed(first, last), text="camera DMA <here>"),
        LOST,
    )
    path = tmp_path / "notes.json"
    path.write_text(encode(notes))
    return path, notes


def test_notes_are_carried_and_orphans_are_said(noted, tmp_path, capsys):
    path, notes = noted
    told = tmp_path / "told.json"
    run("schedule", EXAMPLE, "--notes", path, "--json", told)
    assert "1 note without a place" in capsys.readouterr().err
    described = json.loads(told.read_bytes())["notes"]
    assert [each["is_orphan"] for each in described] == [False, False, False, True]
    # The JSON of a schedule is a file of notes too.
    assert decode(told.read_bytes()) == notes
    run("schedule", EXAMPLE, "--notes", told)
    assert "camera DMA <here>" in capsys.readouterr().out


def test_notes_that_nothing_is_written_of_are_said_to_have_no_effect(noted, tmp_path, capsys):
    path, _ = noted
    run("compile", EXAMPLE, "-o", tmp_path / "out.tflite", "--notes", path)
    assert f"{path}: notes go into --schedule-json" in capsys.readouterr().err
    told = tmp_path / "told.json"
    run("compile", EXAMPLE, "-o", tmp_path / "out.tflite", "--notes", path, "--schedule-json", told)
    assert "notes go into" not in capsys.readouterr().err
    assert len(json.loads(told.read_bytes())["notes"]) == len(decode(path.read_bytes()))


def test_a_file_without_notes_is_refused_in_one_line(tmp_path, capsys):
    path = tmp_path / "edits.json"
    path.write_text('{"reefpoint": "edits", "version": 1, "edits": []}')
    assert main.main(["schedule", str(EXAMPLE), "--notes", str(path)]) == 2
    assert "has no notes" in capsys.readouterr().err


@pytest.mark.long
def test_notes_are_in_reports_and_stand_in_traces_over_what_they_are_about(noted, tmp_path):
    path, notes = noted
    out = tmp_path / "report"
    command = [sys.executable, str(ROOT / "main.py"), "report", str(EXAMPLE), "-o", str(out)]
    command += ["--notes", str(path), "--format", "html,trace,json"]
    subprocess.run(command, check=True, capture_output=True)
    (page,) = out.glob("*.html")
    assert "camera DMA &lt;here&gt;" in page.read_text()
    assert LOST.text in page.read_text()
    (trace,) = (file for file in out.glob("*.json") if "traceEvents" in file.read_text())
    events = json.loads(trace.read_text())["traceEvents"]
    slices = {event["name"]: event for event in events if event.get("cat") == "note"}
    assert set(slices) == {note.text for note in notes[:3]}
    span, first = slices["camera DMA <here>"], slices["slow on the board"]
    assert span["ts"] == first["ts"]
    assert span["dur"] > first["dur"]
    schedule = out / f"{EXAMPLE.stem}_schedule.json"
    assert decode(schedule.read_bytes()) == notes
