"""Operators of the file that edits put on the CPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import cli
from core.edits import text
from core.edits.spelled import spelled
from core.ir.edits import Edit, EditFate, OpNamed, Processor, What
from core.ir.options import Options
from core.pipeline.edit_prices import tried
from core.pipeline.run import run
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve

MODEL = Path(__file__).parents[3] / "resources" / "examples" / "kws_dscnn.tflite"
TARGET = resolve("ethos-u55-256")


def on_cpu(name: str) -> Edit:
    return Edit(subject=OpNamed(name), what=What.PROCESSOR, value=Processor.CPU)


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench(run(MODEL.read_bytes(), TARGET, Options()))


def asked(bench: Workbench, *edits: object) -> tuple[Edit, ...]:
    file = {"reefpoint": "edits", "version": 1, "edits": list(edits)}
    return spelled(text.decode(json.dumps(file).encode()).edits, bench.run.graph)


def test_the_cpu_runs_it_and_its_price_is_that_of_the_network_without_the_edit(bench):
    options = Options(edits=(on_cpu("head/softmax"), on_cpu("nowhere")))
    plain = bench.schedule(TARGET, Options())
    found = tried(bench, bench.schedule(TARGET, options))
    assert [op.kind for op in found.graph.cpu_ops] == ["SOFTMAX"]
    assert [each.fate for each in found.edits] == [EditFate.HONOURED, EditFate.ORPHAN]
    price = found.edits[0].price
    assert price is not None
    assert price.cycles == found.total.total_cycles < price.cycles_without
    assert price.cycles_without == plain.total.total_cycles
    # The workbench answers as before where nothing is asked for.
    assert bench.schedule(TARGET, Options()) == plain


def test_names_and_rules_find_the_operator_of_the_file(bench):
    part = next(op.name for op in bench.run.graph.ops if op.name.startswith("head/softmax_"))
    decided = {"what": "processor", "value": "cpu"}
    of_parts = [{"subject": {"operator": name}, **decided} for name in (part, "softmax", "#41")]
    assert set(asked(bench, *of_parts)) == {on_cpu("head/softmax")}
    found = asked(bench, {"where": "source=SOFTMAX or number=0", **decided})
    first = bench.run.graph.ops[0].name
    assert [edit.subject for edit in found] == [OpNamed(first), OpNamed("head/softmax")]


def test_all_decisions_of_what_an_option_put_there_are_found_again(tmp_path, capsys):
    edits, again = tmp_path / "edits.json", tmp_path / "again.tflite"
    first = ["schedule", str(MODEL), "--to-cpu", "SOFTMAX,#1", "--write-edits", str(edits)]
    assert cli.main(first) == 0
    words = ["compile", str(MODEL), "-o", str(again), "--edits", str(edits), "--verify"]
    assert cli.main([*words, "--tried-edits", "0"]) == 0
    told = capsys.readouterr()
    assert "2 operators on the CPU" in told.out
    assert "refused" not in told.err
