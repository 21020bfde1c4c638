"""Inputs and outputs in buffers of the application's: written, executed, read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.errors import OptionError
from core.check import memory as memory_check
from core.emit.open import open_program
from core.emit.touched import regions_touched
from core.ir.layout import Placement
from core.ir.options import Container, Options
from core.pipeline.compile import compile_model
from core.pipeline.compiled import open_compiled, read_back
from core.pipeline.proof.verify import verify
from core.pipeline.run import run as prepared
from core.pipeline.scheduled import Workbench
from core.synth.builder import Builder
from core.target.region import Region
from core.target.resolve import resolve
from core.tflite import writer
from tests.core.emit.contained import TARGETS, shuffled

SEPARATE = Options(separate_io_regions=True)
EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"


def scheduled(model: bytes, target, options: Options = SEPARATE):
    return Workbench(prepared(model, target, options)).schedule(target, options)


def is_separate(item: Placement) -> bool:
    return item.region is Region.SEPARATE_IO


@pytest.mark.parametrize("target", ["shared", "dedicated"])
def test_the_network_has_its_ends_outside_of_the_arena_and_computes_the_same(target):
    model = writer.write(shuffled())
    own = scheduled(model, TARGETS[target])
    assert not memory_check.verify(own.run.graph, own.target, own.schedule, own.layout)
    made = compile_model(own)
    assert verify(made.data, model, inputs=4).holds
    program = open_program(made.network)
    first, last = program.parts
    (given,), (result,) = first.inputs, last.outputs
    assert given.arena_address is result.arena_address is None
    # What streams hand to each other is where the file plans it, in the arena.
    between = [*first.outputs, *last.inputs]
    assert all(item.arena_address is not None for item in between)
    touched = [regions_touched(part.stream) - {0, 1, 2} for part in program.parts]
    assert touched == [{3}, {3 + len(last.inputs)}]
    with_io = scheduled(model, TARGETS[target], Options())
    assert own.layout.used_bytes(own.target.arena.area) <= with_io.layout.used_bytes(
        own.target.arena.area
    )


def test_what_is_read_back_has_them_beside_the_arena():
    model = (EXAMPLES / "camera_and_motion.tflite").read_bytes()
    own = scheduled(model, TARGETS["shared"])
    opened = open_compiled(compile_model(own).data, lambda _: own.target)
    assert opened is not None
    back = read_back(opened).scheduled.layout
    names = [
        {item.name for area in found.areas for item in area.placements if is_separate(item)}
        for found in (own.layout, back)
    ]
    assert names[0] == names[1] == {"input", "input_1", "cells/logistic", "pose/fully_connected_1"}
    assert back.fast_bytes == own.layout.fast_bytes


def test_a_newer_container_alone_changes_nothing_but_the_container():
    target = TARGETS["shared"]
    model = (EXAMPLES / "kws_dscnn.tflite").read_bytes()
    made = [compile_model(scheduled(model, target, Options(container=form))) for form in Container]
    older, newer = (open_program(each.network) for each in made)
    assert older == newer
    assert made[0].data != made[1].data


def test_more_than_the_hardware_has_regions_for_are_refused_in_a_line():
    b = Builder(3)
    model = b.build(tuple(b.logistic(b.input((1, 4, 4, 8))) for _ in range(3)), "many")
    target = resolve("ethos-u55-128")
    with pytest.raises(OptionError, match="takes and gives 6 maps, and the NPU has regions for 5"):
        scheduled(writer.write(model), target)
