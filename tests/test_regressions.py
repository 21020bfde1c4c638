"""Files that broke something once, as the README beside them lists them."""

from __future__ import annotations

import pytest

from core.api import compiler, proof, schedules, targets
from core.ir.options import Options
from tests.shared import need

DISPROVED = {
    "reshape_fc": (
        "corrupt_within_really-diff_reshape_fc_36",
        "corrupt_within_really-diff_reshape_fc_38",
        "corrupt_within_really-diff_reshape_fc_42",
        "corrupt_within_really-diff_reshape_fc_64",
        "corrupt_within_really-diff_reshape_fc_70",
        "corrupt_equal_really-diff_reshape_fc_32",
        "corrupt_equal_really-diff_reshape_fc_78",
    ),
    "fc_batch7": (
        "corrupt_within_really-diff_fc_batch7_2",
        "corrupt_within_really-diff_fc_batch7_24",
        "corrupt_within_really-diff_fc_batch7_72",
    ),
    "conv_s3": ("bad_conv_s3", "wrong_io_quant_conv_s3"),
    "avgpool_big": ("corrupt_crash_avgpool_big_47",),
    "mbv2_like": ("corrupt_crash_mbv2_like_51",),
}
"""By original, what was compiled from it and then spoilt, or was never right."""


def data(name: str) -> bytes:
    return need(f"regressions/{name}.tflite").read_bytes()


@pytest.mark.parametrize(
    ("spoilt", "original"),
    [(spoilt, original) for original, files in DISPROVED.items() for spoilt in files],
)
def test_what_is_spoilt_does_not_hold_and_that_is_said(spoilt, original):
    found = proof.verify(data(spoilt), data(original))
    assert not found.holds
    assert found.sentences()[-1].startswith("does not hold: ")


@pytest.mark.parametrize("name", [*DISPROVED, "conv_d2"])
def test_their_originals_hold_as_we_compile_them(name):
    target = targets.resolve_target("ethos-u55-128")
    made = compiler.compile_model(schedules.schedule(data(name), target, Options())).data
    found = proof.verify(made, data(name))
    assert found.holds
    assert all(output.is_equal for output in found.outputs)
