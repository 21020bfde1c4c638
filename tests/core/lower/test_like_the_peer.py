"""What lowering decides, held against what the ecosystem's compiler decides."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from core.lower import run as lower
from core.report import inspect_json
from core.target.resolve import resolve
from core.tflite import reader
from tests.peer import COMPATIBLE
from tests.shared import files, need

ROWS = ("cpu operators", "npu operator count", "type", "kernel", "shapes and bits")
SCHEDULES = files("peer/schedules/*/*.json")
SAMPLE = ("u55-256-shared-perf", "u55-64-sramonly-perf", "u65-512-dedicated-128k")


@cache
def comparison() -> ModuleType:
    """The tool that holds two schedules side by side."""
    path = need("tools/compare_schedules.py")
    spec = importlib.util.spec_from_file_location("compare_schedules", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def accelerator_of(folder: str) -> str:
    """The accelerator that a folder of schedules is named after."""
    family, macs, *_ = folder.split("-")
    return f"ethos-{family}-{macs}"


@cache
def lowered(model: str, accelerator: str) -> dict[str, object]:
    """Our own operators for a shared model."""
    data = need(f"models/{model}.tflite").read_bytes()
    target = resolve(accelerator)
    network = reader.read(data)
    graph = lower.run(network, target.accelerator, COMPATIBLE.lowering)
    return inspect_json.describe(model, network, graph, target)


def differences(schedule: Path) -> list[str]:
    """Rows of the comparison that are not full."""
    peer = json.loads(need(schedule).read_text())
    ours = lowered(schedule.stem, accelerator_of(schedule.parent.name))
    rows = comparison().exact_rows(peer, ours, verbose=False)
    return [
        f"{name} {same}/{total}" for name, same, total in rows if name in ROWS and same != total
    ]


def is_refused(schedule: Path) -> bool:
    """Whether the other compiler stopped before it had a schedule."""
    return "schedules" not in json.loads(schedule.read_text())


def check(schedule: Path) -> None:
    if is_refused(schedule):
        assert lowered(schedule.stem, accelerator_of(schedule.parent.name))["schedules"]
    else:
        assert differences(schedule) == []


def name_of(schedule: Path) -> str:
    return f"{schedule.parent.name}-{schedule.stem}"


@pytest.mark.parametrize(
    "schedule", [path for path in SCHEDULES if path.parent.name in SAMPLE], ids=name_of
)
def test_operators_of_a_sample_are_the_peers(schedule: Path) -> None:
    check(schedule)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", SCHEDULES, ids=name_of)
def test_operators_of_every_schedule_are_the_peers(schedule: Path) -> None:
    check(schedule)


@pytest.mark.parametrize("accelerator", ["ethos-u55-32", "ethos-u55-128", "ethos-u65-512"])
@pytest.mark.parametrize("model", [path.stem for path in files("models/*.tflite")])
def test_every_shared_model_lowers(model: str, accelerator: str) -> None:
    """Also where the other compiler refuses: the pairs that have no schedule of its own."""
    assert lowered(model, accelerator)["schedules"]
