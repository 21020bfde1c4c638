"""All schedules of a front compute what the network does: each is compiled and executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api import compiler, networks, proof
from core.ir.options import Options, Search
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from tests.shared import need

EXAMPLE = Path(__file__).parents[4] / "resources" / "examples" / "kws_dscnn.tflite"
TARGETS = (
    resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
)
SIX = (
    "kws_dscnn_int8",
    "resnet8_int8",
    "person_detect",
    "str_ww_int8",
    "mobilenet_v1_0.25_128_quant",
    "ad01_int8",
)
of_targets = pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.accelerator.name)


def check(model: bytes, target: Target, effort: int) -> None:
    options = Options(search=Search.BEST, effort=effort)
    bench = Workbench(networks.run(model, target, options))
    *_, front = bench.fronts.growing(target, options)
    assert front.points
    for point in front.points:
        data = compiler.compile_model(point.scheduled, encodings=bench.encodings).data
        assert proof.verify(data, model, inputs=1).holds, (point.fast_bytes, point.ask)


@of_targets
def test_all_points_of_an_example_compute_the_same(target: Target) -> None:
    check(EXAMPLE.read_bytes(), target, 4)


@pytest.mark.slow
@of_targets
@pytest.mark.parametrize("name", SIX)
def test_all_points_of_a_front_compute_the_same(name: str, target: Target) -> None:
    check(need(f"models/{name}.tflite").read_bytes(), target, 40)
