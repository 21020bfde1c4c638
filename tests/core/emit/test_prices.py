"""What a schedule is said to cost is what its compiled file costs when it is read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api import programs
from core.tflite import reader
from tests.core.emit.executed import scheduled_and_compiled
from tests.core.emit.shared_cases import cases, target_of
from tests.shared import need

MOST_DIFFERENCE = 0.01

SAMPLE = {
    ("kws_dscnn_int8", "u65-512-dedicated-128k"),
    ("person_detect", "u55-32-shared-64k"),
    ("micro_speech_quantized", "u55-256-shared-perf"),
    ("str_ww_int8", "u65-512-dedicated-size"),
    ("vww_96_int8", "u65-256-shared-48k"),
    ("mobilenet_v1_0.25_128_quant", "u55-256-shared-size"),
}
"""Cascades and slices, tables and copies, one arena and two memories."""


@pytest.mark.parametrize(("model", "target"), cases(SAMPLE))
def test_a_schedule_costs_what_its_compiled_file_costs(model: Path, target: str):
    network = reader.read(need(model).read_bytes())
    done, compiled = scheduled_and_compiled(network, *target_of(target))
    opened = programs.open_compiled(compiled.data, lambda _: done.target)
    assert opened is not None
    found = programs.read_back(opened).scheduled
    assert found.total.macs == done.total.macs
    assert found.total.total_cycles == pytest.approx(done.total.total_cycles, rel=MOST_DIFFERENCE)
