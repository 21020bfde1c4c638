"""A proof with a user's own inputs, as views draw it: who is how far off, and when it runs."""

from __future__ import annotations

import itertools

import pytest

from core.api.operator_errors import ErrorFigures, Fault, OperatorError
from core.api.proof import Verification
from core.base.frozen import replace
from gui.document.proof import Against, Proof, Proving, digest_of
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.runs.proof import (
    HEADERS,
    NOTHING,
    aside_text,
    error_lane,
    headline,
    in_order,
    level_of,
    numbers_selected,
    offer_text,
    rows_of,
    selection_of_error,
    sentences,
)
from gui.present.timeline.data import timeline_data
from gui.present.timeline.picture import error_rects, legend_of
from gui.present.timeline.rows import rows_of as timeline_rows
from gui.state.proofs import Proofs
from gui.theme.tones import HEAT
from tests.gui.answers import answer_of

EXAMPLES = pytest.mark.parametrize(
    ("example", "limit"), [("resnet8", None), ("shuffle_with_cpu", None), ("unet_128", 128 << 10)]
)


def off(mean, differing=1):
    return ErrorFigures(elements=100, differing=differing, largest=2 * mean, mean=mean)


def proof_of(answer, *, fault=Fault.NOBODY):
    """A proof in which operator n of the original is off by n hundredths of a step."""
    graph = answer.scheduled.run.network.main
    errors = tuple(
        OperatorError(
            number=number,
            kind=op.kind,
            name=graph.tensors[op.outputs[0]].name,
            is_on_cpu=False,
            integer=off(0.0, differing=0) if number % 3 else None,
            alone=off(number / 100),
            real=None,
        )
        for number, op in enumerate(graph.operators)
    )
    found = Verification(outputs=(), faults=(), operators=errors, fault=fault)
    return Proof(data="/mine/board.npz", schedule_digest=digest_of(answer.scheduled), found=found)


@EXAMPLES
def test_each_operator_has_its_bars_when_it_runs(example, limit):
    answer = answer_of(example, limit_bytes=limit)
    proof = proof_of(answer)
    lane = error_lane(answer, proof, Against.REAL)
    graph, trace = answer.scheduled.graph, answer.analysis.trace
    assert set(lane.key[lane.key >= 0].tolist()) == {
        op for line in graph.lineage for op in line.npu_ops
    }
    assert (-1 - lane.key[lane.key < 0]).tolist() == list(range(len(graph.cpu_ops)))
    assert (lane.start_cycle[1:] >= lane.end_cycle[:-1]).all()
    for key, start, end in zip(lane.key, lane.start_cycle, lane.end_cycle, strict=True):
        if key >= 0:
            assert trace.op_start_cycle[key] <= start < end <= trace.op_end_cycle[key]
    assert all(one != other for one, other in itertools.pairwise(lane.key.tolist()))


def test_what_is_farther_off_is_told_by_its_colour_and_in_words():
    answer = answer_of("resnet8")
    proof = proof_of(answer)
    data = replace(timeline_data(answer), errors=error_lane(answer, proof, Against.REAL))
    rects = error_rects(data, timeline_rows(data, {}))
    assert rects.inks == tuple(tone.value for tone in HEAT)
    by_op = dict(zip(rects.key.tolist(), rects.ink.tolist(), strict=True))
    assert by_op[0] == 0  # CONV_2D 0, which is exact
    assert by_op[max(by_op)] == level_of((len(proof.found.operators) - 1) / 100) > 0
    assert "1 of 100 differ, by up to 0.02 steps, 0.01 on average" in data.errors.texts[1]
    assert {tone for tone, _ in legend_of(data)} >= {HEAT[0], HEAT[-1]}


@pytest.mark.parametrize(
    ("mean", "level"), [(0.0, 0), (0.01, 1), (0.1, 1), (0.2, 2), (1.0, 3), (2, 4), (9, 5), (99, 6)]
)
def test_each_level_is_about_three_times_as_far_off(mean, level):
    assert level_of(mean) == level < len(HEAT)


def test_what_is_fused_counts_for_the_operator_that_it_is_fused_into():
    answer = answer_of("resnet8")
    fused = next(
        line for line in answer.scheduled.graph.lineage if line.npu_ops and line.op.op not in (0, 1)
    )
    proof = proof_of(answer)
    lane = error_lane(answer, proof, Against.KERNELS)
    told = lane.texts.get(fused.npu_ops[0], "")
    assert (str(fused.op.op) in told) == bool(fused.op.op % 3)


def test_nothing_known_is_no_lane():
    answer = answer_of("resnet8")
    assert error_lane(answer, None, Against.REAL) is None
    assert error_lane(answer, proof_of(answer), Against.START) is None
    assert timeline_rows(timeline_data(answer), {}).errors is None


def test_a_row_selects_what_runs_for_it_and_is_found_by_that():
    answer = answer_of("shuffle_with_cpu")
    errors = proof_of(answer).found.operators
    for error in errors:
        selection = selection_of_error(answer, errors, error.number)
        if selection != NOTHING_SELECTED:
            assert error.number in numbers_selected(answer, errors, selection)
    on_cpu = answer.scheduled.graph.cpu_ops[0].source.op
    assert selection_of_error(answer, errors, on_cpu) == Selection(cpu_op=0)
    assert selection_of_error(answer, errors, 10_000) == NOTHING_SELECTED
    assert numbers_selected(answer, errors, NOTHING_SELECTED) == ()


@pytest.mark.parametrize("column", range(len(HEADERS)))
def test_rows_are_in_the_order_of_any_column_and_what_is_empty_comes_last(column):
    errors = proof_of(answer_of("resnet8")).found.operators
    for is_descending in (False, True):
        found = in_order(errors, column, is_descending=is_descending)
        assert sorted(found, key=lambda each: each.number) == list(errors)
        cells = [row[column] for row in rows_of(found)]
        told = [cell for cell in cells if cell is not None]
        assert cells == sorted(told, reverse=is_descending) + [None] * (len(cells) - len(told))


def test_a_proof_is_of_the_schedule_that_was_compiled_and_of_no_other():
    answer, other = answer_of("unet_128"), answer_of("unet_128", limit_bytes=128 << 10)
    proofs = Proofs(lambda: None)
    proofs.end(proof_of(answer))
    assert proofs.of(replace(answer, scheduled=replace(answer.scheduled, name="a"))) is not None
    assert proofs.of(other) is None
    assert proofs.of(None) is None
    assert "another schedule" in headline(proofs.latest, is_shown=False)


@pytest.mark.parametrize("fault", list(Fault))
def test_whose_fault_it_is_comes_first_and_is_what_is_drawn(fault):
    proof = proof_of(answer_of("resnet8"), fault=fault)
    first = sentences(proof)[0]
    assert first.startswith("Whose fault: ")
    assert f"{fault.value}'s" in first
    wanted = Against.KERNELS if fault is Fault.COMPILER else Against.REAL
    assert proof.worst is wanted


def test_what_goes_on_or_went_wrong_is_told():
    making = Proving(data="/mine/board.npz", stage="executing", done=1, total=3)
    assert aside_text(making) == "Executing: 1 of 3"
    assert aside_text(None) == ""
    assert "holds on the inputs of board.npz" in aside_text(None, proof_of(answer_of("resnet8")))
    assert offer_text("") == NOTHING
    assert offer_text("a.npz: is odd").startswith("Nothing was proved: a.npz: is odd.")
