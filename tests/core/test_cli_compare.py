"""`reefpoint compare` as its users meet it, and compiled models that are priced like schedules."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from core import cli
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.report.comparison.text import MOST_ROWS
from core.report.tables import WIDEST_CELL
from core.tflite import reader, writer
from tests.shared import need

EXAMPLE = str(Path(__file__).parents[2] / "resources" / "examples" / "resnet8.tflite")
LARGE = ("--accelerator-config", "ethos-u55-256")
ONE = ("--inputs", "1")
SMALL = ("--accelerator-config", "ethos-u55-32")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One model, compiled and scheduled for a large accelerator, and for a small one."""
    folder = tmp_path_factory.mktemp("compare")
    assert cli.main(["compile", EXAMPLE, "-o", f"{folder}/compiled.tflite", *LARGE]) == 0
    assert cli.main(["schedule", EXAMPLE, "--json", f"{folder}/large.json", *LARGE]) == 0
    assert cli.main(["schedule", EXAMPLE, "--json", f"{folder}/small.json", *SMALL]) == 0
    return folder


def test_equal_ones_exit_with_0_whatever_they_are(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compare", f"{files}/large.json", f"{files}/compiled.tflite"]) == 0
    assert "Both are the same" in capsys.readouterr().out
    assert cli.main(["compare", f"{files}/large.json", EXAMPLE, *LARGE]) == 0


def test_different_ones_exit_with_1_and_tell_the_cause(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compare", f"{files}/large.json", f"{files}/small.json"]) == 1
    told = capsys.readouterr().out
    assert "Of the cycles that differ" in told
    assert "ethos-u55-32 instead of ethos-u55-256" in told


def test_a_limit_that_nothing_reaches_is_told_as_none(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, dedicated = str(tmp_path / "limited.json"), str(tmp_path / "dedicated.json")
    limit = ("--arena-cache-size", "49152")
    mode = ("--accelerator-config", "ethos-u65-256", "--memory-mode", "Dedicated_Sram")
    assert cli.main(["schedule", EXAMPLE, "--json", small, *LARGE, *limit]) == 0
    assert cli.main(["schedule", EXAMPLE, "--json", dedicated, *mode]) == 0
    capsys.readouterr()
    assert cli.main(["compare", f"{files}/large.json", small]) == 1
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert first.endswith("Shared_Sram, no limit")
    assert second.endswith("Shared_Sram, 48 KiB")
    assert "Arena cache size: 49,152 bytes instead of no limit" in rest
    # Addresses of the other family reach farther, which is no other limit.
    assert cli.main(["compare", f"{files}/large.json", dedicated]) == 1
    assert "Arena cache size" not in capsys.readouterr().out


def test_what_cannot_be_compared_exits_with_2(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("no schedule")
    for file in (str(other), str(tmp_path / "nowhere")):
        assert cli.main(["compare", file, f"{files}/large.json"]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("a", "b", "expression", "code"),
    [
        ("large", "small", "cycles>+1%", 1),
        ("small", "large", "cycles>+1%", 0),
        ("large", "large", "cycles>+0", 0),
        ("large", "small", "cycles>+100000%", 0),
        ("large", "small", "sram>1", 1),
        ("large", "small", "sram>100000000", 0),
        ("large", "small", "macs>+0", 0),
        ("large", "small", "macs>=+0", 1),
        ("small", "large", "cycles<+0", 1),
        ("small", "large", "cycles <= -1%", 1),
        ("large", "large", "cycles<0.001M", 0),
        ("large", "large", "cycles<1000M", 1),
        ("large", "large", "sram>1K", 1),
        ("large", "large", "sram>1GiB", 0),
        ("large", "small", "time>1us", 1),
        ("large", "small", "time>10s", 0),
        ("large", "small", "flash>=1k", 1),
        ("large", "small", "flash>+100M", 0),
        ("large", "small", "sram>3ms", 2),
        ("large", "small", "cycles=3", 2),
        ("large", "small", "evicted_maps>+0", 0),
        ("large", "small", "colour>+0", 2),
        ("large", "small", "cycles>1%", 2),
        ("large", "small", "cycles", 2),
    ],
)
def test_fail_if_says_what_is_too_much(
    files: Path, a: str, b: str, expression: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["compare", f"{files}/{a}.json", f"{files}/{b}.json", "--fail-if", expression]
    assert cli.main(asked) == code
    assert (f"B fails {expression}: it has " in capsys.readouterr().err) is (code == 1)


def test_what_fails_is_told_with_the_figures_of_both(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = f"{files}/large.json", f"{files}/small.json"
    before, after = (json.loads(Path(each).read_text())["totals"] for each in (a, b))
    limits = ["--fail-if", "cycles>+1%", "--fail-if", "sram>=1K"]
    assert cli.main(["compare", a, b, *limits]) == 1
    first, second = capsys.readouterr().err.splitlines()
    cycles = (after["total_cycles"], before["total_cycles"])
    told = "it has {:,.0f} cycles, and A has {:,.0f} cycles".format(*cycles)
    assert f"cycles>+1%: {told}, {cycles[0] / cycles[1] - 1:+.1%}" in first
    assert second.endswith(f"sram>=1K: it has {after['sram_bytes']:,} bytes")


def test_a_comment_has_what_differs_and_what_was_demanded(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    md, xml = tmp_path / "c.md", tmp_path / "c.xml"
    sides = ["compare", f"{files}/large.json", f"{files}/small.json", "--github"]
    limits = ["--fail-if", "cycles>+1%", "--fail-if", "macs>+0"]
    assert cli.main([*sides, *limits, "--md", str(md), "--junit", str(xml)]) == 1
    told = md.read_text()
    assert told.startswith("### Reefpoint: +")
    assert "Of the cycles that differ" in told
    assert max(len(block.splitlines()) for block in told.split("\n\n")) <= 12
    assert 'tests="2" failures="1"' in xml.read_text()
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("::error file=")
    assert "not cycles>+1%25::" in line


def test_tables_are_written_as_json_csv_and_html(files: Path, tmp_path: Path) -> None:
    sides = ["compare", f"{files}/large.json", f"{files}/small.json"]
    names = {kind: tmp_path / f"found.{kind}" for kind in ("json", "csv", "html")}
    written = [part for kind, file in names.items() for part in (f"--{kind}", str(file))]
    assert cli.main([*sides, *written]) == 1
    told = json.loads(names["json"].read_text())
    rows = list(csv.DictReader(names["csv"].read_text().splitlines()))
    assert [float(row["difference_cycles"]) for row in rows] == [
        each["difference_cycles"] for each in told["operators"]
    ]
    counted = ("a_cycles", "b_cycles", "difference_cycles")
    assert not [row for row in rows for name in counted if row[name].endswith(".0")]
    total = told["totals"]["total_cycles"]
    assert sum(float(row["b_cycles"]) for row in rows) == total["b"]
    page = names["html"].read_text()
    assert told["headline"] in page
    assert "://" not in page


def test_what_is_decided_is_told_whole(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = [str(files / name) for name in ("large.json", "small.json")]
    table = files / "whole.csv"
    assert cli.main(["compare", *sides, "--csv", str(table)]) == 1
    assert cli.main(["compare", *sides]) == 1
    told = capsys.readouterr().out
    rows = sorted(
        csv.DictReader(table.read_text().splitlines()),
        key=lambda row: -abs(float(row["difference_cycles"])),
    )
    first = [row["decided"] for row in rows[: MOST_ROWS // 2]]
    assert max(map(len, first)) > WIDEST_CELL
    assert all(text in told for text in first)


def test_a_compiled_model_is_scheduled_as_its_streams_show(files: Path) -> None:
    found = files / "compiled.json"
    assert cli.main(["schedule", f"{files}/compiled.tflite", "--json", str(found), *LARGE]) == 0
    compiled, before = (json.loads((files / name).read_text()) for name in (found, "large.json"))
    assert compiled.keys() == before.keys()
    assert compiled["compiled_by"]
    assert before["compiled_by"] is None
    untold = (
        *("original_weight_bytes", "encoded_weight_bytes", "excess_bytes", "evicted_bytes"),
        *("evicted_maps", "ecosystem_cycles"),
    )
    assert compiled["totals"] == before["totals"] | dict.fromkeys(untold)


def test_nothing_is_decided_about_a_compiled_model(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--write-edits", str(tmp_path / "edits.json")]
    assert cli.main(["schedule", f"{files}/compiled.tflite", *asked]) == 2
    assert "is compiled: nothing is to be decided" in capsys.readouterr().err


def test_who_is_right_is_told_by_execution(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = reader.read((files / "compiled.tflite").read_bytes())
    (flash,) = (tensor for tensor in network.main.tensors if tensor.name == "flash")
    assert flash.data is not None
    spoilt = flash.data.array.copy()
    spoilt[:4] ^= 0x55
    tensors = [
        replace(flash, data=ConstData.of(spoilt)) if t is flash else t for t in network.main.tensors
    ]
    main = replace(network.main, tensors=tuple(tensors))
    wrong = tmp_path / "wrong.tflite"
    wrong.write_bytes(writer.write(replace(network, subgraphs=(main,))))
    right = str(files / "compiled.tflite")
    words = ["--against", EXAMPLE, "--inputs", "1"]
    assert cli.main(["compare", str(wrong), right, *words, "--fail-if", "cycles>+1%"]) == 1
    told = capsys.readouterr().out
    assert "A does not compute what resnet8.tflite does" in told
    assert "B is right: what they differ in is a fault of A's file." in told
    assert cli.main(["compare", right, right, "--against", f"{files}/large.json"]) == 2
    out = tmp_path / "c.json"
    sides = [f"{files}/large.json", right]
    assert cli.main(["compare", *sides, *words, "--json", str(out)]) == 1
    assert [each["holds"] for each in json.loads(out.read_text("utf-8"))["proofs"]] == [None, True]


def test_programs_are_held_against_graphs_and_say_which_of_them_is_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong, graph = (
        need(f"executorch/ops/cast_32_8{end}") for end in ("_u55-128.vela_bin", ".tosa")
    )
    right = need("executorch/cpubetween_u55-128.pte")
    assert cli.main(["compare", str(wrong), str(wrong), "--against", str(graph), *ONE]) == 1
    told = capsys.readouterr().out
    assert "A does not compute what cast_32_8.tosa does: " in told
    assert "first at CAST" in told
    kept = str(right.with_suffix(".reference.npz"))
    assert cli.main(["compare", str(right), str(right), "--against", kept]) == 0
    assert "B computes what cpubetween_u55-128.reference.npz does" in capsys.readouterr().out
