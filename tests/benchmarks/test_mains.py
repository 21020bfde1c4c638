"""Every benchmark and every attack can be started: each `main` with the smallest that it takes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.forked import ended
from tests.networks.small_networks import five_operators
from tests.shared import need

ROOT = Path(__file__).parents[2]
NET = "NET"
"""A network of five operators."""
U55 = ["ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram"]


class Start(NamedTuple):
    """How a module is started, so that it ends soon."""

    module: str
    arguments: str = ""
    constants: Mapping[str, Any] = MappingProxyType({})
    """Others than the module's own."""
    needs: str = ""
    """Of the folder `shared`."""
    exit_code: int = 0

    def __str__(self) -> str:
        return f"{self.module} {self.arguments}".rstrip()


STARTS = [
    Start("benchmarks.bench_allocators", "A", {"SECONDS": 1.0}, "bench/minimalloc"),
    Start("benchmarks.bench_app", NET, {"RUNS": 1, "CHANGES": 2, "RERUNS": 4, "EACH": 2}),
    Start("benchmarks.bench_arrival", NET, {"LIMITS": 1, "ROUNDS": 1}),
    Start("benchmarks.bench_blocks", "u55-32-shared-64k/micro_speech", needs="peer/schedules"),
    Start("benchmarks.bench_cluster", exit_code=2),
    Start("benchmarks.bench_cluster", "tiny", exit_code=2),
    Start("benchmarks.bench_cluster", "tiny 20", {"START_S": 0.0, "REST_S": 0.5}),
    Start(
        "benchmarks.bench_cluster",
        NET,
        {"START_S": 0.0, "REST_S": 0.5, "LIMITS": ["--sram", "32K"], "MORE": ["--sram", "33K"]},
    ),
    Start("benchmarks.bench_compile", "1", {"MODELS": ["kws_dscnn_int8"]}, "models"),
    Start(
        "benchmarks.bench_cuts",
        "micro_speech_quantized",
        {"LIMITS_KIB": {"u55-256-shared-perf": [32]}},
        "models",
    ),
    Start(
        "benchmarks.bench_edits",
        NET,
        {"GESTURES": 1, "STEPS": 2, "COMMANDS": ["edits.rows"], "TARGETS": {"shared SRAM": {}}},
    ),
    Start("benchmarks.bench_freedoms", "u55-256-shared-perf micro_speech", needs="models"),
    Start(
        "benchmarks.bench_front",
        "2",
        {"MODELS": ["micro_speech_quantized"], "TARGETS": [U55], "LIMITS": 2},
        "models",
    ),
    Start("benchmarks.bench_gain", "2 kws", needs="models"),
    Start("benchmarks.bench_least", "1 u55-256-shared-perf micro_speech", needs="models"),
    Start(
        "benchmarks.bench_limits",
        "micro_speech",
        {"MODELS": ["micro_speech_quantized"], "TARGETS": [U55], "LIMITS_KIB": [64]},
        "models",
    ),
    Start("benchmarks.bench_lowering", "micro_speech", {"RUNS": 1, "CHAINS": [10]}, "models"),
    Start("benchmarks.bench_pareto", "engines micro_speech", needs="models"),
    Start("benchmarks.bench_pareto", "policies micro_speech", needs="models"),
    Start("benchmarks.bench_pareto", "time chain", {"OPERATORS": 20}),
    Start("benchmarks.bench_reader", "micro_speech", {"RUNS": 1}, "models"),
    Start("benchmarks.bench_robust", "u55-256-shared-perf micro_speech", needs="models"),
    Start("benchmarks.bench_schedule", "what-if micro_speech", needs="models"),
    Start("benchmarks.bench_schedule", "growth tree-shared", {"LENGTHS": [20, 30]}),
    Start("benchmarks.bench_schedule", "branches shared", {"BRANCHING_SOURCES": 30}),
    Start("benchmarks.bench_simulate", needs="peer/compiled"),
    Start("benchmarks.bench_sweep", "", {"WORKERS": [1, 2], "MODELS": 2, "CELLS": 20}),
    Start("benchmarks.bench_sweep", "check", {"SEATS": [1], "CHECKED": [2, 4]}),
    Start("benchmarks.bench_versus", "", {"OPERATORS": 20, "FRAMES": 2, "BUDGET_MS": 1e6}),
    Start("benchmarks.bench_views", "10000", {"FRAMES": 1}),
    Start("benchmarks.bench_weights", "fast u55-32-shared-64k/micro", needs="peer/schedules"),
    Start("benchmarks.cells_by_cpu", f"sweep {NET} --sram 32K -o OUT.sqlite"),
    Start(
        "benchmarks.fingerprints",
        "kws_dscnn.tflite",
        {"TARGETS": {"u55": "ethos-u55-128 Ethos_U55_High_End_Embedded Shared_Sram"}},
    ),
    Start("fuzz.__main__", "1 --into OUT"),
    Start("fuzz.flips", "1", {"EXAMPLES": [], "RANDOM": [2]}),
    Start("fuzz.__main__", "networks 1"),
    Start("fuzz.__main__", "replay sessions-0"),
]


@pytest.mark.long
@pytest.mark.parametrize("start", STARTS, ids=str)
def test_it_can_be_started(start: Start, tmp_path: Path) -> None:
    if start.needs:
        need(start.needs)
    files = {"OUT": tmp_path / "out", NET: tmp_path / "net.tflite"}
    files[NET].write_bytes(five_operators())
    arguments = start.arguments
    for name, path in files.items():
        arguments = arguments.replace(name, str(path))
    name, constants = f"tests.{start.module}", dict(start.constants)
    done = ended(tmp_path, run, name, arguments.split(), constants)
    assert done.exit_code == start.exit_code, done.err
    assert done.out
    assert "Traceback" not in done.err


def run(name: str, arguments: list[str], constants: dict[str, Any]) -> int:
    """What a module that is started returns."""
    module = importlib.import_module(name)
    for constant, value in constants.items():
        assert hasattr(module, constant), constant
        setattr(module, constant, value)
    return int(module.main(arguments) or 0)


def test_none_is_left_out() -> None:
    files = [file for name in ("benchmarks", "fuzz") for file in (ROOT / "tests" / name).glob("*")]
    mains = {
        f"{file.parent.name}.{file.stem}"
        for file in files
        if file.suffix == ".py" and '\nif __name__ == "__main__":\n' in file.read_text("utf-8")
    }
    assert mains <= {start.module for start in STARTS}
