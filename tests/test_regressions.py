"""Files that broke something once, as the README beside them lists them."""

from __future__ import annotations

import numpy as np
import pytest

from core.api import compiler, programs, proof, schedules, targets
from core.base.errors import InputError
from core.cli import exits
from core.cli.run import main
from core.ir.npugraph import Rounding
from core.ir.options import Engine, Options
from core.pipeline.proof.simulate import CompiledModel
from tests.shared import files, need

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

TARGET = targets.resolve_target("ethos-u55-128")


def data(name: str) -> bytes:
    return need(f"regressions/{name}.tflite").read_bytes()


def compiled(name: str, engine: Engine = Engine.CASCADING) -> bytes:
    found = schedules.schedule(data(name), TARGET, Options(engine=engine))
    return compiler.compile_model(found).data


@pytest.mark.long
@pytest.mark.parametrize(
    ("spoilt", "original"),
    [(spoilt, original) for original, files in DISPROVED.items() for spoilt in files],
)
def test_what_is_spoilt_does_not_hold_and_that_is_said(spoilt, original):
    found = proof.verify(data(spoilt), data(original))
    assert not found.holds
    assert found.sentences()[-1].startswith("does not hold: ")


@pytest.mark.parametrize("original", ["conv_d2", "fc_batch7"])
@pytest.mark.parametrize(
    "path", files("regressions/malformed/cs_*.tflite"), ids=lambda path: path.stem
)
def test_a_malformed_compiled_model_does_not_hold_in_one_sentence(path, original, capsys):
    against = str(need(f"regressions/{original}.tflite"))
    code = main(["verify", str(need(path)), "--against", against])
    told = capsys.readouterr()
    assert code in {exits.DISPROVED, exits.REFUSED}
    assert len(told.err.splitlines()) == (code == exits.REFUSED)


@pytest.mark.parametrize(
    "path", files("regressions/malformed/*.tflite"), ids=lambda path: path.stem
)
def test_a_malformed_model_can_be_inspected_or_is_refused_in_one_line(path, capsys):
    code = main(["inspect", str(need(path))])
    told = capsys.readouterr()
    assert code == (exits.OK if told.out else exits.REFUSED)
    assert code == exits.OK or len(told.err.splitlines()) == 1


REFUSED = {
    "cs_2_24_CRASH": "subgraph 0, outputs: nothing produces tensor 5",
    "ss_2_48_DISPROVED": "operator 0 SPLIT_V: 't1' is declared 1x1x9x35, but would be 35x1x9x1",
    "ss_2_290_CRASH": "operator 1 ABS: reads tensor 2 before operator 1 writes it",
    "ss_2_356_CRASH": "operator 0 CONV_2D: 't3' is declared 1x11x9x13, but would be 1x10x8x13",
    "ss_2_399_CRASH": "operator 0 CONV_2D: 't3' is declared 1x16x31x16, but would be 16x2x3x16",
}
"""Sources that contradict themselves, and what is said."""

COMPUTED = (
    *("ss_2_0_DISPROVED", "ss_2_156_DISPROVED", "ss_2_436_DISPROVED", "ss_2_533_DISPROVED"),
    "ss_2_638_DISPROVED",
)
"""Sources that are odd, and which LiteRT runs all the same."""

LEFT_TO_THE_CPU = {
    "ss_2_53_DISPROVED": "Input and output have one element type",
    "ss_2_500_refused": "The slope is a number",
}
"""Sources of one operator that LiteRT runs in a way that the hardware has not, and the reason."""


@pytest.mark.parametrize(("name", "said"), REFUSED.items())
def test_a_network_that_contradicts_itself_is_refused_where_it_does(name, said):
    with pytest.raises(InputError) as caught:
        compiled(f"malformed/{name}")
    assert str(caught.value).endswith(said)


@pytest.mark.parametrize(("name", "rule"), LEFT_TO_THE_CPU.items())
def test_an_operator_that_only_litert_can_run_is_left_to_it(name, rule):
    found = schedules.schedule(data(f"malformed/{name}"), TARGET, Options())
    assert [rejection.rule for rejection in found.run.graph.rejections] == [rule]
    assert compiler.compile_model(found).data


@pytest.mark.long
@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize(
    "name", ["sub_broadcast", "se_gate_first", *(f"malformed/{name}" for name in COMPUTED)]
)
def test_an_odd_network_computes_what_litert_does(name, engine):
    found = proof.verify(compiled(name, engine), data(name))
    assert found.holds
    assert all(output.is_equal for output in found.outputs)


def test_a_stream_of_the_peers_newer_core_is_read_executed_and_priced():
    read = programs.read_program(data("trust/peer_rounding_bits"))
    assert read is not None
    (part,) = read.program.parts
    assert len(part.stream.operations) == 33
    assert Rounding.NATURAL in {each.operand_rounding for each in part.stream.operations}
    studied = programs.study_program(read, lambda each: targets.resolve_target(each.name))
    found = programs.read_back(studied).scheduled
    assert len(found.costs) == 30
    assert all(cost.total_cycles for cost in found.costs)
    (given,) = read.network.main.inputs
    pattern = np.linspace(-1, 1, 144, dtype=np.float32)
    values = {given: pattern.reshape(read.network.main.tensors[given].shape)}
    made = CompiledModel.of(read.network).run(values)
    assert made.faults == ()
    assert made.outputs


@pytest.mark.long
@pytest.mark.parametrize("name", [*DISPROVED, "conv_d2"])
def test_their_originals_hold_as_we_compile_them(name):
    found = proof.verify(compiled(name), data(name))
    assert found.holds
    assert all(output.is_equal for output in found.outputs)
