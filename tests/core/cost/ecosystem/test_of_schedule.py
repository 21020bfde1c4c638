"""The ecosystem's estimate beside ours: of its own schedules its own figure, of others as well."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from core.api import compiler, listings, networks, programs, schedules
from core.cost.ecosystem.of_schedule import ecosystem_estimate
from core.ir.options import Options
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from tests.peer import COMPATIBLE, load, target_of
from tests.shared import need

EXAMPLE = Path(__file__).parents[4] / "resources" / "examples" / "kws_dscnn.tflite"
TARGET = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")


@pytest.mark.parametrize("folder", ["u55-256-shared-perf", "u65-256-dedicated-384k"])
def test_a_compatible_schedule_takes_what_the_ecosystem_says(folder):
    peer = load(need(f"peer/schedules/{folder}/kws_dscnn_int8.json"))
    model = need("models/kws_dscnn_int8.tflite").read_bytes()
    told = listings.describe_schedule("x", schedules.schedule(model, target_of(peer), COMPATIBLE))
    theirs = float(peer["summary"]["cycles_total"])
    assert told["totals"]["ecosystem_cycles"] == pytest.approx(theirs, 0.005)
    assert told["totals"]["total_cycles"] != pytest.approx(theirs, 0.005)


def test_operators_add_up_to_the_total():
    told = listings.describe_schedule("x", scheduled())
    ops = [op["cost"]["ecosystem_cycles"] for part in told["schedules"] for op in part["ops"]]
    assert sum(ops) == pytest.approx(told["totals"]["ecosystem_cycles"])
    assert min(ops) >= 0


def test_what_a_workbench_remembers_changes_nothing():
    run = networks.run(EXAMPLE.read_bytes(), TARGET, Options())
    bench = Workbench(run)
    for limit in (64 << 10, 16 << 10, 64 << 10):
        done = bench.schedule(TARGET.with_limit(limit), Options())
        assert bench.analyse(done).ecosystem == ecosystem_estimate(done)


def test_of_a_compiled_model_it_is_not_known():
    compiled = compiler.compile_model(scheduled())
    opened = programs.open_compiled(compiled.data, lambda _: TARGET)
    assert opened is not None
    done = programs.read_back(opened).scheduled
    told = json.loads(json.dumps(listings.describe_schedule("x", done)))
    assert told["totals"]["ecosystem_cycles"] is None
    assert told["schedules"][0]["ops"][0]["cost"]["ecosystem_cycles"] is None
    assert "by the ecosystem    -" in listings.render_schedule("x", done)
    first = next(csv.DictReader(listings.render_layer_csv("x", done).splitlines()))
    assert first["Ecosystem Cycles"] == ""


def scheduled():
    return schedules.schedule(EXAMPLE.read_bytes(), TARGET, Options())
