"""Delegates against graphs of TOSA and kept values: right ones hold, faults are named."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.api import proof
from core.base.errors import InputError
from core.base.frozen import replace
from core.executorch.beside import beside
from core.executorch.blob import read_blob, write_blob
from core.pipeline.proof.layer_outputs import LayerOutputs
from core.pipeline.proof.tosa_reference import first_wrong
from core.tosa import reader as tosa_reader
from tests.core.executorch.samples import READ, SMALL, title
from tests.fuzz import planted
from tests.shared import files, need

OPERATORS = [
    path for family in ("u55", "u65") for path in files(f"executorch/ops/*_{family}-*.vela_bin")
]
FAULTS = {
    "attention_scores": "MATMUL",
    "cast_32_8": "CAST",
}
"""By graph the operator that the peer's stream computes otherwise: all heads with the first one's
query; and saturated, where TOSA's CAST takes the low byte (specification, section CAST)."""
LACKING = "made by TRANSPOSE 5"
PRODUCT = r"first between MATMUL {} \(.*\) and RESCALE {} \(.*, of which .*commands"
"""What one operation computes: a product, and its results as numbers of 8 bits."""
FAST = {
    "convres_u55-128",
    "cpubetween_u65-256",
    "softmax_int16_u55-128",
    "convres_external_u55-128",
}


def graphs_of(path: Path) -> dict[str, bytes]:
    return {
        each.name: each.read_bytes() for each in path.parent.glob(f"{path.stem}.delegate*.tosa")
    }


def judged(path: Path, inputs: int) -> proof.Verification:
    data = need(path).read_bytes()
    return proof.verify_delegates(data, graphs_of(path), inputs=inputs, beside=beside(path))


def is_as_it_must_be(path: Path, found: proof.Verification) -> bool:
    text = "\n".join(found.sentences())
    if path.stem.startswith("unet"):
        return LACKING in text and all(each.is_equal for each in found.outputs)
    if path.stem.startswith("conformer"):
        # Attention's first product: all heads with the query of the first.
        return not found.holds and bool(re.search(PRODUCT.format(144, 145), text))
    return found.holds


@pytest.mark.parametrize("path", [path for path in READ if path.stem in FAST], ids=title)
def test_programs_hold_against_their_graphs(path: Path):
    assert is_as_it_must_be(path, judged(path, 2))


@pytest.mark.slow
@pytest.mark.parametrize("path", READ, ids=title)
def test_all_programs_hold_but_for_two_faults_that_are_named(path: Path):
    assert is_as_it_must_be(path, judged(path, 2))


@pytest.mark.slow
@pytest.mark.parametrize("path", READ, ids=title)
def test_all_programs_make_the_values_that_were_kept(path: Path):
    kept = need(path).with_name(f"{path.stem}.reference.npz").read_bytes()
    found = proof.verify_delegates(path.read_bytes(), kept=kept, beside=beside(path))
    if path.stem.startswith("unet"):
        assert all(each.is_equal for each in found.outputs)
    else:
        assert found.holds is not path.stem.startswith("conformer")


@pytest.mark.slow
@pytest.mark.parametrize("path", OPERATORS, ids=title)
def test_single_operators_hold_but_for_faults_that_are_named(path: Path):
    graph = path.stem.rpartition("_")[0]
    tosa = need(path).with_name(f"{graph}.tosa")
    found = proof.verify_delegates(path.read_bytes(), {tosa.name: tosa.read_bytes()}, inputs=4)
    assert found.holds == (graph not in FAULTS)
    if not found.holds:
        assert FAULTS[graph] in found.outputs[0].where


def test_a_cast_that_saturates_is_named():
    path = need("executorch/ops/cast_32_8_u55-128.vela_bin")
    graph = path.with_name("cast_32_8.tosa").read_bytes()
    found = proof.verify_delegates(path.read_bytes(), {"cast": graph}, inputs=1)
    assert "CAST" in found.outputs[0].where


def test_of_a_product_that_is_made_matrix_by_matrix_the_commands_are_named():
    path = need("executorch/ops/attention_scores_u55-128.vela_bin")
    graph = path.with_name("attention_scores.tosa").read_bytes()
    found = proof.verify_delegates(path.read_bytes(), {"scores": graph}, inputs=1)
    told = found.outputs[0].where
    assert re.search(PRODUCT.format(8, 9), told)
    assert "commands 536 to 790 " in told


def test_without_an_original_the_simulator_judges_alone():
    found = proof.verify_delegates(need(SMALL).read_bytes())
    assert found.holds
    assert not found.outputs


def test_reads_of_what_was_never_written_are_found_without_an_original():
    path = need("executorch/convres_u55-128.delegate0.vela_bin")
    blob = read_blob(path.read_bytes())
    moved = bytearray(next(each.data for each in blob.blocks if each.name.startswith(b"inputs")))
    # The input is somewhere else than where the commands look for it.
    moved[32:36] = (blob.scratch_bytes - blob.inputs[0].size_bytes).to_bytes(4, "little")
    blocks = tuple(
        each._replace(data=bytes(moved)) if each.name.startswith(b"inputs") else each
        for each in blob.blocks
    )
    found = proof.verify_delegates(write_blob(blocks))
    assert any("reads bytes that nothing has written" in fault for fault in found.faults)


def test_one_weight_that_is_another_is_seen():
    path = need("executorch/convres_u55-128.delegate0.vela_bin")
    blob, graph = read_blob(path.read_bytes()), path.with_suffix(".tosa").read_bytes()
    changed = tuple(
        # In the biases of the first convolution.
        each._replace(data=bytes([each.data[0] ^ 0x40]) + each.data[1:])
        if each.name.startswith(b"weight_data")
        else each
        for each in blob.blocks
    )
    assert proof.verify_delegates(path.read_bytes(), {"graph": graph}, inputs=1).holds
    found = proof.verify_delegates(write_blob(changed), {"graph": graph}, inputs=1)
    assert not found.holds


def test_of_a_graph_that_hands_on_its_input_no_operator_is_blamed():
    path = need("executorch/ops/conv1x1_u55-128.vela_bin")
    graph = tosa_reader.read(path.with_name("conv1x1.tosa").read_bytes())
    handed_on = replace(graph, outputs=graph.inputs[:1])
    (output,) = handed_on.outputs
    values = {output: np.zeros(graph.tensors[output].shape, np.int8)}
    told = first_wrong(handed_on, values, LayerOutputs(), output)
    assert told == "on the way to it, no operator that depends on an input is seen to be wrong"


def test_bits_that_are_planted_are_caught_where_they_change_an_output():
    blob = need("executorch/ops/conv1x1_u55-128.vela_bin")
    case = planted.Case("conv1x1", blob.read_bytes(), blob.with_name("conv1x1.tosa").read_bytes())
    found = planted.campaign(case, 1, others=4)
    assert found["registers"] > 30
    assert planted.is_good(found)


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(name, id=name) for name in planted.DELEGATES])
def test_bits_that_are_planted_into_real_delegates_are_caught(case: str):
    (found,) = (each for each in planted.cases() if each.name == case)
    assert planted.is_good(planted.campaign(found, 1))


def test_a_graph_of_another_network_is_said_to_be_none():
    other = need("executorch/ops/clamp8.tosa").read_bytes()
    found = proof.verify_delegates(need(SMALL).read_bytes(), {"other": other})
    assert found.faults == tuple(
        f"delegate {number}: no graph has its inputs and outputs" for number in (0, 1)
    )


def test_values_that_are_none_are_refused():
    with pytest.raises(InputError, match="kept values"):
        proof.verify_delegates(need(SMALL).read_bytes(), kept=b"PK\x03\x04 and no more")
