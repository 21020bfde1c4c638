"""Operators that are done picture by picture: how many pictures are as many operations."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.ir.options import LoweringOptions
from core.lower.forms.form import MOST_PIECES
from core.lower.run import run
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.registry import accelerator_named


@pytest.mark.parametrize(
    ("batch", "is_on_npu"), [(2, True), (MOST_PIECES, True), (MOST_PIECES + 1, False)]
)
def test_more_pictures_than_a_stream_has_room_for_stay_on_the_cpu(batch: int, is_on_npu: bool):
    b = Builder(1, DType.INT8)
    pictures = b.reshape(b.input((batch, 2, 8)), (batch, 2, 1, 8))
    made = b.conv(pictures, 8, window((3, 1)))
    graph = run(b.build([made], "pictures"), accelerator_named("ethos-u55-128"), LoweringOptions())
    kinds = [op.kind for op in graph.cpu_ops]
    assert kinds == ([] if is_on_npu else ["CONV_2D"])
    assert (len(graph.ops) >= batch) is is_on_npu
