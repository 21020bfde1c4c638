"""What programs are advised: that their ends are turned, and what is copied between delegates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.cli.run import main
from core.emit.turned import turned_ends
from core.ir.program import MapUse, Strides
from core.pipeline.compiled import read_program
from tests.core.emit.streams import flat, pool, stream
from tests.core.executorch.samples import READ, SMALL, title
from tests.shared import need

IDENTITY = pool(flat(Shape4(1, 2, 3, 4), 0), flat(Shape4(1, 2, 3, 4), 64))


def told(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict]:
    assert main(["advise", str(need(path)), "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)["advice"]


@pytest.mark.parametrize(
    "path", [path for path in READ if path.parent.name == "executorch"], ids=title
)
def test_an_end_is_turned_where_the_program_has_channels_outermost(path: Path):
    read = read_program(path.read_bytes(), beside=lambda _: b"\0" * 5056)
    assert read is not None
    first, last = read.program.parts[0], read.program.parts[-1]
    is_last = "nhwc" in path.stem
    ends = [end.is_input for end in turned_ends(first.stream)]
    assert (True in ends) is (not is_last and len(first.inputs[0].shape) == 4)
    ends = [end.is_input for end in turned_ends(last.stream)]
    assert (False in ends) is (not is_last and len(last.outputs[0].shape) == 4)


def test_a_program_of_two_delegates_hears_of_all_ends_and_of_what_lies_between(
    capsys: pytest.CaptureFixture[str],
):
    tips = told(need(SMALL), capsys)
    ends = [(tip["delegate"], tip["at"]) for tip in tips if tip["kind"] == "transpose"]
    assert ends == [(0, "input"), (0, "output"), (1, "input"), (1, "output")]
    (boundary,) = (tip for tip in tips if tip["kind"] == "boundary")
    assert boundary["copied_bytes"] == 2048 + 2048
    assert "aten::sort.values" in boundary["kernels"]
    assert main(["advise", str(need(SMALL))]) == 0
    assert "aten::sort.values" in capsys.readouterr().out


def test_channels_last_hears_nothing(capsys: pytest.CaptureFixture[str]):
    assert told(need("executorch/convres_nhwc_u55-128.pte"), capsys) == []


def test_most_of_a_mobilenets_operations_turn_its_input(capsys: pytest.CaptureFixture[str]):
    (tip,) = told(need("executorch/real/mobilenet_v2_035_u55-256.pte"), capsys)
    assert (tip["at"], tip["operations"]) == ("input", 97)
    assert 0.15 < tip["share"] < 0.30


@given(order=st.permutations(range(3)))
def test_a_copy_turns_where_its_steps_are_in_another_order(order: list[int]):
    shape = np.asarray((2, 3, 4))
    steps, step = [0, 0, 0], 1
    for axis in reversed(order):
        steps[axis], step = step, step * int(shape[axis])
    use = IDENTITY.ofm
    assert isinstance(use, MapUse)
    op = replace(IDENTITY, ofm=replace(use, strides=Strides(*steps)))
    assert bool(turned_ends(stream(op))) is (list(order) != [0, 1, 2])


def test_what_computes_is_at_no_end():
    turning = replace(IDENTITY, ofm=replace(IDENTITY.ofm, strides=Strides(y=1, x=2, c=6)))
    computing = replace(turning, ofm_scale=turning.ofm_scale._replace(multiplier=2))
    assert turned_ends(stream(computing)) == ()
    (end,) = turned_ends(stream(turning, computing))
    assert (end.is_input, end.commands) == (True, (0,))
    (end,) = turned_ends(stream(computing, turning))
    assert (end.is_input, end.commands) == (False, (1,))
