"""What commands write is as the schema of its form says, and pages and schemas are up to date."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main as program
from core.report.json_forms.forms import FORMS, JsonForm, pages, schemas
from core.report.json_forms.stamp import VERSIONS
from core.tflite import reader
from tests.core.report.json_forms.validated import demand_as
from tests.shared import need

ROOT = Path(__file__).parents[4]
RESOURCES = ROOT / "resources"
EXAMPLE = RESOURCES / "examples" / "shuffle_with_cpu.tflite"
LITTLE = ("--arena-cache-size", "20K")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *pages().items(),
        *((f"schemas/{name}", text) for name, text in schemas().items()),
    ],
    ids=lambda each: each if "." in each[:40] and "\n" not in each[:40] else "",
)
def test_what_is_made_of_the_tables_is_up_to_date(
    name: str, text: str, request: pytest.FixtureRequest
) -> None:
    file = RESOURCES / name
    if request.config.getoption("--update-goldens"):
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


def test_each_form_has_a_stamp_and_a_schema_of_its_own() -> None:
    assert sorted(form.what for form in FORMS) == sorted(VERSIONS)
    assert {path.name for path in (RESOURCES / "schemas").iterdir()} == set(schemas())
    for form in FORMS:
        assert len({key.path for key in form.keys}) == len(form.keys)
        assert all(key.meaning for key in form.keys)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


@pytest.fixture(scope="module")
def made(folder: Path) -> Path:
    path = folder / "made.tflite"
    assert program.main(["compile", str(EXAMPLE), "-o", str(path), *LITTLE]) == 0
    return path


def form(name: str) -> JsonForm:
    (found,) = (each for each in FORMS if each.name == name)
    return found


def demand_written(name: str, path: Path, *words: object, code: int = 0) -> Any:
    """What a command writes, once it is as its schema says."""
    assert program.main([*map(str, words), "--json", str(path), "--force"]) == code
    report = json.loads(path.read_text("utf-8"))
    assert list(report)[:2] == ["reefpoint", "version"]
    demand_as(form(name), report)
    return report


def test_inspections(made: Path, folder: Path) -> None:
    path = folder / "a.json"
    demand_written("network", path, "inspect", EXAMPLE)
    told = demand_written("matches", path, "inspect", EXAMPLE, "--where", "is=operator or is=map")
    assert told["queries"][0]["matches"]
    demand_written("compiled", path, "inspect", made)


def test_schedules(made: Path, folder: Path) -> None:
    path = folder / "s.json"
    demand_written("schedule", path, "schedule", made)
    demand_written("schedule", path, "schedule", EXAMPLE.with_name("unet_128.tflite"))


def test_comparisons(made: Path, folder: Path) -> None:
    path = folder / "b.json"
    unlike = EXAMPLE.with_name("kws_dscnn.tflite")
    demand_written("comparison", path, "compare", made, made)
    demand_written("comparison", path, "compare", EXAMPLE, made, code=1)
    demand_written("comparison", path, "compare", unlike, made, code=1)


def test_errors_of_operators(made: Path, folder: Path) -> None:
    network = reader.read(EXAMPLE.read_bytes())
    given = network.main.tensors[network.main.inputs[0]]
    arrays = folder / "arrays.npz"
    np.savez(arrays, np.zeros(given.shape, given.dtype.numpy))
    words = ("verify", made, "--against", EXAMPLE, "--data", arrays)
    demand_written("errors", folder / "c.json", *words)


def test_advice(folder: Path) -> None:
    words = ("advise", EXAMPLE, "--quick", *LITTLE, "--search", "compatible")
    assert demand_written("advice", folder / "d.json", *words)["advice"]


def test_calibrations(made: Path, folder: Path) -> None:
    words = ("-o", folder / "board.ini")
    path = folder / "e.json"
    for given, code in (([f"{made}=100000"], 0), ([f"{made}=1"], 1)):
        demand_written("calibration", path, "calibrate", *given, *words, code=code)


def test_sweeps(folder: Path) -> None:
    broken = folder / "broken.tflite"
    broken.write_bytes(b"TFL3")
    words = ("sweep", EXAMPLE, broken, "--sram", "16K,64K", "--jobs", "1")
    told = demand_written("sweep", folder / "f.json", *words, "-o", folder / "w.sqlite", code=2)
    assert {cell["verdict"] for cell in told["cells"]} >= {"refused"}


def test_programs_of_executorch(folder: Path) -> None:
    path = folder / "g.json"
    for name in ("real/dscnn_int16_u55-128.pte", "convres_inline_u55-128.pte"):
        given = need(f"executorch/{name}")
        demand_written("compiled", path, "inspect", given, "--board", "alif-e7-hp")
        assert demand_written("program-advice", path, "advise", given)["advice"]


def test_lines_of_progress_and_files_of_notes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = {"subject": {"operator": "#1"}, "text": "slow"}
    file = {"reefpoint": "notes", "version": 1, "notes": [notes]}
    demand_as(form("notes"), file)
    path = folder / "notes.json"
    path.write_text(json.dumps(file), "utf-8")
    words = ("schedule", EXAMPLE, "--notes", path, "--progress", "json")
    assert program.main([*map(str, words)]) == 0
    told = capsys.readouterr().err.splitlines()
    lines = [json.loads(line) for line in told if not line.startswith("reefpoint: ")]
    assert lines
    demand_as(form("progress"), *lines)
