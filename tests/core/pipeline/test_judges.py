"""Whatever a stage makes is judged before anyone goes on with it, also where no test looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.errors import InternalError
from core.base.frozen import replace
from core.ir.options import Options
from core.lower import run as lower
from core.memory import run as memory
from core.pipeline import compile as compiling
from core.pipeline.compile import compile_model
from core.pipeline.run import run
from core.pipeline.scheduled import Workbench
from core.schedule import run as schedule
from core.target.resolve import resolve

MODEL = Path(__file__).parents[3] / "resources" / "examples" / "resnet8.tflite"
TARGET = resolve("ethos-u55-128")


def without_weights(graph):
    first, *rest = graph.ops
    return replace(graph, ops=(replace(first, weights=None), *rest))


def counted_too_low(found):
    island, *rest = found.islands
    return replace(found, islands=(replace(island, snapshot=(0,) * len(island.snapshot)), *rest))


def all_at_the_bottom(layout):
    first, *rest = layout.areas
    placements = tuple(replace(item, address=0) for item in first.placements)
    return replace(layout, areas=(replace(first, placements=placements), *rest))


def with_a_lost_output(network):
    return replace(network, subgraphs=(replace(network.main, outputs=(10**6,)),))


@pytest.mark.long
@pytest.mark.parametrize(
    ("stage", "name", "planted", "said"),
    [
        (lower, "run", without_weights, "the lowered network breaks 1 .*: weights belong to"),
        (schedule, "run", counted_too_low, "the schedule breaks .*: says 0 bytes at time 0, but"),
        (memory, "run", all_at_the_bottom, "the memory layout breaks .*: shares byte 0 with"),
        (compiling, "contain", with_a_lost_output, "the compiled model breaks 1 .* no tensor"),
    ],
)
def test_a_fault_of_a_stage_goes_no_further(stage, name, planted, said, monkeypatch):
    made = getattr(stage, name)
    monkeypatch.setattr(stage, name, lambda *given, **how: planted(made(*given, **how)))
    with pytest.raises(InternalError, match=said):
        compile_model(
            Workbench(run(MODEL.read_bytes(), TARGET, Options())).schedule(TARGET, Options())
        )
