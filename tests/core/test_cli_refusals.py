"""Files that ask for more than anybody wants, or spell what nobody can: one sentence, soon."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import cli
from core.base.files import read_bytes
from tests.shared import need

EXAMPLE = Path(__file__).parents[2] / "resources" / "examples" / "kws_dscnn.tflite"
KWS = str(EXAMPLE)
SOON_S = 20
"""Of processor time; a machine may have other work."""

Capture = pytest.CaptureFixture[str]


def refused(argv: list[str], capsys: Capture) -> str:
    """The one line with which something is refused."""
    start = time.process_time()
    assert cli.main(argv) == 2
    assert time.process_time() - start < SOON_S
    told = capsys.readouterr()
    assert (told.out, len(told.err.splitlines())) == ("", 1)
    return told.err


def edits_file(folder: Path, edits: list[Any]) -> str:
    file = folder / "edits.json"
    file.write_text(json.dumps({"reefpoint": "edits", "version": 1, "edits": edits}))
    return str(file)


def region(name: str, value: str = "fast") -> dict[str, Any]:
    return {"subject": {"map": name}, "what": "region", "value": value}


@pytest.mark.parametrize(
    "edit", [region("\ud800"), region("stem/conv_2d") | {"note": "a\udfff"}, {"\udabc": 1}]
)
def test_half_of_a_letter_in_edits(edit: dict[str, Any], tmp_path: Path, capsys: Capture) -> None:
    asked = ["compile", KWS, "-o", str(tmp_path / "o"), "--edits", edits_file(tmp_path, [edit])]
    assert "half of a letter, '\\ud" in refused(asked, capsys)
    assert not (tmp_path / "o").exists()


def test_half_of_a_letter_in_notes_schedules_and_what_is_compared(
    tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "file.json"
    note = {"subject": {"map": "stem/conv_2d"}, "text": "\ud800"}
    file.write_text(json.dumps({"reefpoint": "notes", "version": 1, "notes": [note]}))
    assert "half of a letter" in refused(["schedule", KWS, "--notes", str(file)], capsys)
    file.write_text(json.dumps({"schedules": [], "model": "\ud800"}))
    assert "half of a letter" in refused(["schedule", KWS, "--adopt", str(file)], capsys)
    assert "half of a letter" in refused(["compare", str(file), KWS], capsys)


def test_the_file_of_edits_that_ended_in_a_traceback(tmp_path: Path, capsys: Capture) -> None:
    file = str(need("regressions/trust/edits_surrogate.json"))
    refused(["compile", KWS, "-o", str(tmp_path / "o"), "--edits", file], capsys)


@pytest.mark.parametrize("count", [2_000, 20_000, 274_000])
@pytest.mark.parametrize(
    "edit", [lambda at: region("stem/conv_2d", ("fast", "slow")[at % 2]), lambda _: region("gone")]
)
def test_more_edits_than_there_are_decisions(
    edit: Callable[[int], Any], count: int, tmp_path: Path, capsys: Capture
) -> None:
    file = edits_file(tmp_path, [edit(at) for at in range(count)])
    if count < 100_000 and edit(0)["subject"]["map"] == "gone":
        # Nothing is asked of this network.
        assert cli.main(["schedule", KWS, "--edits", file]) == 0
        return
    told = refused(["schedule", KWS, "--edits", file], capsys)
    assert f"{count:,}" in told
    assert " at most" in told


@pytest.mark.parametrize("is_circle", [False, True])
def test_a_long_chain_of_sections(is_circle: bool, tmp_path: Path, capsys: Capture) -> None:
    count = 20_000
    sections = [
        f"[Memory_Mode.M{at}]\ninherit=Memory_Mode.M{(at + 1) % count}\n" for at in range(count)
    ]
    if not is_circle:
        sections[-1] = "[Memory_Mode.M19999]\nconst_mem_area=Axi1\n"
    file = tmp_path / "long.ini"
    file.write_text("\n".join(sections))
    told = refused(["schedule", KWS, "--config", str(file), "--memory-mode", "M0"], capsys)
    assert "[Memory_Mode.M0] inherits from more than 64 sections" in told
    told = refused(["schedule", KWS, "--config", str(file), "--memory-mode", "Nothing"], capsys)
    assert len(told) < 5_000


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A schedule as JSON."""
    file = tmp_path_factory.mktemp("told") / "schedule.json"
    assert cli.main(["schedule", KWS, "--json", str(file)]) == 0
    found: dict[str, Any] = json.loads(read_bytes(file))
    return found


SPOILT: list[tuple[str, Any]] = [
    *(("bytes", value) for value in (None, "x", [], float("nan"), 1e400, 10**400, -(10**30))),
    *(("op", value) for value in ([], {}, "x", 10**400)),
    *(("name", value) for value in (None, [], 10**30)),
    *(("tensors", value) for value in ([], None, [[]], 7, "x", {})),
    *(("buffer", value) for value in ([], "x", 10**400, float("inf"))),
]


@pytest.mark.parametrize(("name", "value"), SPOILT, ids=repr)
def test_ranges_of_a_schedule_that_say_too_little_or_too_much(
    name: str, value: Any, told: dict[str, Any], tmp_path: Path, capsys: Capture
) -> None:
    """They are refused in one line, or held against others as far as they go."""
    spoilt = json.loads(json.dumps(told))
    for area in spoilt["allocations"]:
        for item in area["live_ranges"]:
            item[name] = value
    file = tmp_path / "spoilt.json"
    file.write_text(json.dumps(spoilt))
    for argv in (["compare", str(file), KWS], ["compare", KWS, str(file), "--json", "-"]):
        code = cli.main(argv)
        err = capsys.readouterr().err
        assert code in {0, 1} or (code, len(err.splitlines())) == (2, 1)


def test_a_range_without_tensors_is_known_by_its_name(
    told: dict[str, Any], tmp_path: Path, capsys: Capture
) -> None:
    bare = json.loads(json.dumps(told))
    for area in bare["allocations"]:
        for item in area["live_ranges"]:
            item["tensors"] = []
    files = []
    for name, value in (("a", told), ("b", bare)):
        files.append(str(tmp_path / f"{name}.json"))
        Path(files[-1]).write_text(json.dumps(value))
    assert cli.main(["compare", *files]) == 0
    assert capsys.readouterr().err == ""


def test_files_of_one_command_are_all_there_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    replace = Path.replace

    def replaced(path: Path, target: Path) -> Path:
        if target.name.startswith("second"):
            raise OSError(28, "No space left on device")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", replaced)
    out = {name: str(tmp_path / name) for name in ("first.json", "second.json", "second.csv")}
    for argv in (
        ["schedule", KWS, "--write-edits", out["first.json"], "--json", out["second.json"]],
        ["schedule", KWS, "--write-edits", out["second.json"], "--json", out["first.json"]],
        ["compare", KWS, KWS, "--json", out["first.json"], "--csv", out["second.csv"]],
        [*("compile", KWS, "-o", out["first.json"]), "--per-layer-csv", out["second.csv"]],
    ):
        assert "No space left" in refused(argv, capsys)
        assert list(tmp_path.iterdir()) == []
