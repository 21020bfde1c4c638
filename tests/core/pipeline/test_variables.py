"""Networks with variables are proved over many inferences in a row."""

from __future__ import annotations

import numpy as np
import pytest

from core.api import compiler, proof, schedules, targets
from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import Network, Operator
from core.ir.options import Options
from core.pipeline.proof import litert
from core.pipeline.proof.random_inputs import random_inputs
from core.pipeline.proof.reference import Reference
from core.synth.builder import Builder
from core.tflite import writer
from tests.networks.streaming_networks import wake_word, with_variables

WAKE_WORD = wake_word(7)


def scheduled(network: Network) -> schedules.Scheduled:
    target = targets.resolve_target("ethos-u55-128")
    return schedules.schedule(writer.write(network), target, Options())


def compiled(network: Network) -> bytes:
    return compiler.compile_model(scheduled(network)).data


def verified(network: Network, original: Network | None = None) -> proof.Verification:
    data = writer.write(original or network)
    return proof.verify(compiled(network), data, inputs=10)


def in_a_row(session: Reference | litert.Session, network: Network, count: int = 10) -> list[bytes]:
    (out,) = network.main.outputs
    given = (random_inputs(network, 0, number) for number in range(count))
    return [session.run(values)[out].tobytes() for values in given]


def with_operators(network: Network, operators: tuple[Operator, ...]) -> Network:
    main = replace(network.main, operators=operators)
    return replace(network, subgraphs=(main, *network.subgraphs[1:]))


def read_again(*, is_assigned_between: bool) -> Network:
    """One variable that is read twice: what was there before, and what is there then."""
    b = Builder(5, DType.INT8)
    frame, old = b.input((1, 4, 4, 8)), b.input((1, 4, 4, 8))
    later = b.input((1, 4, 4, 8))
    b.tie(old, later)
    new = b.add(frame, old)
    b.tie(new, old)
    network = with_variables(
        b.build([b.sub(b.conv(later, 8), old), new]), [(TensorId(old.index), TensorId(new.index))]
    )
    ops = list(network.main.operators)
    read = next(op for op in ops if op.kind == "READ_VARIABLE")
    again = replace(read, outputs=(TensorId(later.index),))
    (assign,) = (op for op in ops if op.kind == "ASSIGN_VARIABLE")
    ops.remove(assign)
    made = next(at for at, op in enumerate(ops) if new.index in op.outputs)
    ops[made + 1 : made + 1] = [assign, again] if is_assigned_between else [again, assign]
    main = replace(network.main, inputs=(TensorId(frame.index),), operators=tuple(ops))
    return replace(network, subgraphs=(main, *network.subgraphs[1:]))


@pytest.mark.parametrize("seed", range(3))
def test_wake_words_hold_in_one_stream(seed):
    network = wake_word(seed)
    found = verified(network)
    assert found.holds, found.sentences()
    assert found.outputs[0].inputs == 10
    assert len(scheduled(network).graph.islands) == 1


def test_ten_inferences_in_a_row_are_usual(monkeypatch):
    monkeypatch.setattr("core.pipeline.proof.verify.usual_count", lambda _: 4)
    found = proof.verify(compiled(WAKE_WORD), writer.write(WAKE_WORD))
    assert found.outputs[0].inputs == 10


def test_variables_are_what_litert_makes_of_them():
    for network in (WAKE_WORD, read_again(is_assigned_between=True)):
        ours = in_a_row(Reference(network), network)
        assert ours == in_a_row(litert.Session(network), network)
        assert len(set(ours)) > 1


def test_what_nobody_has_assigned_holds_real_zeros():
    kept = tuple(op for op in WAKE_WORD.main.operators if op.kind != "CALL_ONCE")
    unfilled = with_operators(replace(WAKE_WORD, subgraphs=WAKE_WORD.subgraphs[:1]), kept)
    assert in_a_row(Reference(unfilled), unfilled) == in_a_row(Reference(WAKE_WORD), WAKE_WORD)
    assert verified(unfilled, WAKE_WORD).holds


def test_a_lost_assignment_does_not_hold():
    *kept, last = WAKE_WORD.main.operators
    assert last.kind == "ASSIGN_VARIABLE"
    found = verified(with_operators(WAKE_WORD, tuple(kept)), WAKE_WORD)
    assert not found.holds


@pytest.mark.parametrize("is_assigned_between", [True, False])
def test_what_is_read_after_an_assignment_is_what_was_assigned(is_assigned_between):
    found = verified(read_again(is_assigned_between=is_assigned_between))
    assert found.holds, found.sentences()


def test_a_subgraph_that_is_called_once_must_be_there():
    lost = replace(WAKE_WORD, subgraphs=WAKE_WORD.subgraphs[:1])
    with pytest.raises(InputError, match="CALL_ONCE runs subgraph 1, which cannot be run"):
        Reference(lost).run(random_inputs(lost, 0, 0))


def test_a_variable_of_another_type_is_refused():
    main, once = WAKE_WORD.subgraphs
    zeros = once.tensors[1]
    wide = replace(zeros, dtype=DType.INT16, data=ConstData.of(np.zeros(zeros.shape, np.int16)))
    odd = replace(once, tensors=(once.tensors[0], wide, *once.tensors[2:]))
    network = replace(WAKE_WORD, subgraphs=(main, odd))
    with pytest.raises(InputError, match="its variable holds 48 of int16"):
        Reference(network).run(random_inputs(network, 0, 0))
