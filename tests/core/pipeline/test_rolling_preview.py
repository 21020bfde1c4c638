"""What rolling buffers would take is what they take, where nothing else is changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api.networks import run
from core.base.frozen import replace
from core.edits.freeze import freeze
from core.edits.names import Names
from core.ir.edits import Edit, EditFate, What
from core.ir.options import Options
from core.pipeline.legal_values import legal_heights
from core.pipeline.rolling_preview import rolling_if
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
TARGET = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")


def cascades(done):
    return [cascade for island in done.schedule.islands for cascade in island.cascades]


def buffers(done):
    return {buffer.fm: buffer for cascade in cascades(done) for buffer in cascade.buffers}


@pytest.mark.long
@pytest.mark.parametrize(("name", "kib"), [("unet_128", 128), ("mobilenet_v2_035_96", 64)])
def test_the_stripes_of_one_operator_give_the_buffers_that_were_told(name, kib):
    target, options = TARGET.with_limit(kib << 10), Options()
    bench = Workbench(run((EXAMPLES / f"{name}.tflite").read_bytes(), target, options))
    done, held = bench.schedule(target, options), 0
    for op in (op for cascade in cascades(done) for op in cascade.ops):
        heights = legal_heights(done, op)
        now = done.schedule.ops[op].stripe.ofm.h
        assert rolling_if(done, op, now) == tuple(
            buffer
            for fm, buffer in buffers(done).items()
            if fm in (done.graph.ops[op].ofm.fm, done.graph.ops[op].ifm.fm)
        )
        # Lower ones need no more memory than there is.
        rows = min(heights, key=lambda each: (abs(each - now / 2), each))
        # All else is asked for as it is, but for the heights of buffers.
        stripe = Edit(subject=Names.of(done.graph).ops[op], what=What.STRIPE, value=rows)
        others = tuple(
            edit
            for edit in freeze(done.graph, done.schedule, target)
            if edit.what is not What.ROLLING
            and (edit.what, edit.subject) != (What.STRIPE, stripe.subject)
        )
        found = bench.schedule(target, replace(options, edits=(*others, stripe)))
        if {outcome.fate for outcome in found.edits} == {EditFate.HONOURED}:
            held += 1
            for told in rolling_if(done, op, rows):
                assert buffers(found)[told.fm] == told
    assert held
