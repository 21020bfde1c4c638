"""`--md` and `--junit`: whatever schedules shows reviewers what does not hold, and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

from core import cli

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
MODEL = str(EXAMPLES / "shuffle_with_cpu.tflite")


def reviewed(folder: Path, *words: str) -> tuple[str, ET.Element]:
    """What a command writes as a comment and as a test report; all of them do it alike."""
    md, xml = folder / "c.md", folder / "c.xml"
    assert cli.main([*words, "--md", str(md), "--junit", str(xml)]) == 0
    return md.read_text(), ET.fromstring(xml.read_text())


def failures(report: ET.Element) -> list[tuple[str, str]]:
    """The limits that are not met, with what was found."""
    found = [(case, case.find("failure")) for case in report.iter("testcase")]
    return [(case.get("name"), told.get("message")) for case, told in found if told is not None]


def test_a_schedule_that_fits_is_green_and_tells_where_its_time_goes(tmp_path):
    md, report = reviewed(tmp_path, "schedule", MODEL)
    assert failures(report) == []
    assert report.get("tests") == "1"
    first, _, target, *_ = md.splitlines()
    assert first.startswith("### Reefpoint: shuffle_with_cpu.tflite: ")
    assert target.startswith("- for ethos")
    assert [line for line in md.splitlines() if line.startswith("**")] == [
        "**Where the time goes**",
        "**Operators with most cycles**",
        "**On the CPU**",
    ]
    assert "no NPU of this kind has it" in md


def test_what_goes_to_standard_output_is_there_alone(tmp_path, capsys):
    md, _ = reviewed(tmp_path, "schedule", MODEL)
    capsys.readouterr()
    assert cli.main(["schedule", MODEL, "--md", "-"]) == 0
    assert capsys.readouterr().out == md
    assert cli.main(["schedule", MODEL, "--md", "-", "--junit", "-"]) == 2
    assert "--md and --junit: standard output takes one of them" in capsys.readouterr().err


def test_operators_with_most_cycles_come_first(tmp_path):
    md, _ = reviewed(tmp_path, "schedule", MODEL)
    table = md.split("**Operators with most cycles**")[1].split("**")[0].split("\n\n")[1]
    cycles = [int(row.split("|")[3].replace(",", "")) for row in table.splitlines()[2:]]
    assert len(cycles) > 3
    assert cycles == sorted(cycles, reverse=True)


def test_a_limit_and_an_edit_that_are_not_kept_are_red(tmp_path):
    subject = {"operator": "no such operator"}
    edits = {"subject": subject, "what": "stripe", "value": 1}
    file = tmp_path / "edits.json"
    file.write_text(json.dumps({"reefpoint": "edits", "version": 1, "edits": [edits]}))
    asked = ("schedule", MODEL, "--arena-cache-size", "1K", "--edits", str(file))
    md, report = reviewed(tmp_path, *asked)
    (fits, excess), (edit, fate) = failures(report)
    assert (fits, edit.split(":")[0]) == ("fits", "edit")
    assert "this schedule needs --arena-cache-size" in excess
    assert "orphan" in fate
    rows = [line for line in md.splitlines() if line.startswith("| \N{CROSS MARK}")]
    assert len(rows) == 2


def test_advice_is_a_table_of_what_to_ask_for(tmp_path):
    md, report = reviewed(tmp_path, "advise", str(EXAMPLES / "kws_dscnn.tflite"), "--quick")
    assert (report.get("tests"), failures(report)) == ("1", [])
    rows = md.split("**What would help**")[1].split("\n\n")[1].splitlines()
    assert rows[0].startswith("| what to ask for | cycles |")
    assert len(rows) > 2


def test_a_sweep_tells_what_does_not_fit_and_from_where_on_it_does(tmp_path):
    md, xml = tmp_path / "s.md", tmp_path / "s.xml"
    model, out = str(EXAMPLES / "kws_dscnn.tflite"), str(tmp_path / "s.sqlite")
    asked = ["sweep", model, "--sram", "4K,64K,96K", "-o", out, "--jobs", "1"]
    assert cli.main([*asked, "--md", str(md), "--junit", str(xml)]) == 0
    report = ET.fromstring(xml.read_text())
    ((limit, found),) = failures(report)
    assert (report.get("tests"), limit.split(",")[0]) == ("3", "4 KiB")
    assert found.endswith("bytes too many; 64 KiB are enough")
    assert md.read_text().split("\n\n")[1].splitlines()[2].startswith("| \N{CROSS MARK}")
    assert "**Fastest that fits**" in md.read_text()


def test_the_runner_of_github_marks_the_model(capsys):
    assert cli.main(["schedule", MODEL, "--arena-cache-size", "1K", "--github"]) == 0
    (line,) = (each for each in capsys.readouterr().out.splitlines() if each.startswith("::"))
    assert line.startswith(f"::error file={MODEL},title=shuffle_with_cpu.tflite%3A fits::limit")
