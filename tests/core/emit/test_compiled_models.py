"""Compiled models compute what their originals do, on every target, without a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.tflite import reader
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.emit.shared_cases import cases, target_of
from tests.shared import need

SAMPLE = {
    ("kws_dscnn_int8", "u65-512-dedicated-128k"),
    ("person_detect", "u55-128-shared-256k"),
    ("micro_speech_quantized", "u55-32-shared-64k"),
    ("ad01_int8", "u55-64-sramonly-perf"),
    ("keras_lstm_mnist_ptq", "u65-256-dedicated-384k"),
    ("omv_blazeface_front_128", "u55-256-shared-size"),
}
"""Both families, both strategies, the CPU in between, and a recurrent network."""


@pytest.mark.long
@pytest.mark.parametrize(("model", "target"), cases(SAMPLE))
def test_a_compiled_model_computes_what_its_original_does(model: Path, target: str):
    network = reader.read(need(model).read_bytes())
    _, compiled = scheduled_and_compiled(network, *target_of(target))
    differences, faults = largest_differences(network, compiled.data, range(3))
    assert not faults
    assert not differences
