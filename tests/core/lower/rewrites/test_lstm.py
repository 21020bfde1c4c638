"""UNIDIRECTIONAL_SEQUENCE_LSTM, unrolled, against LiteRT's reference kernel."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.freedoms import ALL, NONE
from core.ir.network import Network
from core.ir.npugraph import ActivationKind, NpuOp, OpKind
from core.ir.options import Options, Search
from core.lower.draft import Draft
from core.lower.rewrites import lstm
from core.lower.scope import Scope
from core.target.resolve import resolve
from tests.conftest import Golden
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.lower.rewrites.workbench import both, drafted, noise, single, tensor, written

UNIT = 1 / 128
FEATURES, CELLS = 7, 9


def recurrent(time: int, batches: int, *, time_major: bool = False, clip: float = 7.5) -> Network:
    def ordered(depth: int) -> tuple[int, int, int]:
        return (time, batches, depth) if time_major else (batches, time, depth)

    def weights(label: str, depth: int, seed: int) -> list:
        return [
            tensor(f"{label}{gate}", (CELLS, depth), DType.INT8, 2**-7, 0, array)
            for gate, array in enumerate(noise((4, CELLS, depth), seed, DType.INT8, 100))
        ]

    biases = noise((4, CELLS), 3, DType.INT32, 2000)
    inputs = [
        tensor("x", ordered(FEATURES), DType.INT8, 2**-6, 4),
        *weights("input", FEATURES, 1),
        *weights("recurrent", CELLS, 2),
        *[None] * 3,
        *[tensor(f"bias{g}", (CELLS,), DType.INT32, 2**-13, 0, biases[g]) for g in range(4)],
        *[None] * 2,
        tensor("hidden", (batches, CELLS), DType.INT8, UNIT, is_variable=True),
        tensor("cell", (batches, CELLS), DType.INT16, 2**-12, is_variable=True),
        *[None] * 4,
    ]
    between = [tensor(f"between{gate}", (0,), DType.FLOAT32, None) for gate in range(4)]
    return single(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        inputs,
        tensor("y", ordered(CELLS), DType.INT8, UNIT),
        {"fused_activation_function": 4, "cell_clip": clip, "time_major": time_major},
        record="UnidirectionalSequenceLSTMOptions",
        intermediates=[*between, tensor("scale", (0,), DType.INT8, UNIT)],
    )


def in_turn(scope: Scope) -> None:
    """As it is lowered where memory is saved."""
    lstm.lower(replace(scope, saves_memory=True))


LOWERINGS = {
    "a product a gate": (lstm.lower, NONE),
    "one product": (lstm.lower, ALL),
    "in turn": (in_turn, ALL),
}


@pytest.mark.parametrize("lowering", LOWERINGS)
@pytest.mark.parametrize(
    ("time", "batches", "time_major"),
    [
        *((5, 1, False), (5, 3, False), (21, 1, False), (21, 2, False)),
        *((5, 3, True), (4, 5, True), (4, 4, True), (3, 1, True), (21, 1, True), (23, 2, True)),
    ],
)
def test_every_step_is_near_the_reference(
    time: int, batches: int, time_major: bool, lowering: str
) -> None:
    """Within one: the miniature NPU has better curves than either the reference or the hardware."""
    net = recurrent(time, batches, time_major=time_major)
    feed = noise(net.main.tensors[0].shape, 5, DType.INT8, 60)
    rewrite, freedoms = LOWERINGS[lowering]
    ours, theirs = both(rewrite, net, [feed], freedoms)
    assert np.abs(ours - theirs).max() <= 1
    assert np.ptp(ours) > 50


@pytest.mark.parametrize(("time", "batches", "time_major"), [(21, 2, False), (23, 2, True)])
@pytest.mark.parametrize("accelerator", ["ethos-u55-64", "ethos-u65-256"])
def test_the_numbers_of_one_product_are_those_of_four(
    time: int, batches: int, time_major: bool, accelerator: str
) -> None:
    """As commands compute them, in three inferences that go on from each other's states."""
    net, target = recurrent(time, batches, time_major=time_major), resolve(accelerator)
    made = []
    for search in (Search.COMPATIBLE, Search.DIRECT):
        _, compiled = scheduled_and_compiled(net, target, Options(search=search))
        made.append(largest_differences(net, compiled.data, range(3)))
    assert made[0] == made[1]


def states_of(draft: Draft, label: str) -> list:
    variable = next(fm for fm in draft.feature_maps if fm.name == label)
    return [fm for fm in draft.feature_maps if fm.storage == variable.id and fm.id != variable.id]


def test_one_product_has_the_sums_of_all_gates() -> None:
    """Of the input for as many steps as take no more bytes than it does, here two of 72 bytes."""
    draft = drafted(lstm.lower, recurrent(21, 1), ALL)
    ops = [item for item in draft.items if isinstance(item, NpuOp)]
    sums = [op.ofm.touched for op in ops if op.weights is not None]
    assert {shape.c for shape in sums} == {4 * CELLS}
    assert sorted(shape.w for shape in sums) == [1] * (21 + 1) + [2] * 10
    curves = [op.activation for op in ops if op.kind is OpKind.ADD and op.activation is not None]
    assert [curve.kind for curve in curves if curve.kind is not ActivationKind.CLAMP] == [
        *(ActivationKind.SIGMOID, ActivationKind.TANH) * 21
    ]


@pytest.mark.parametrize("label", ["hidden", "cell"])
def test_the_last_state_alone_has_the_bytes_of_the_variable(label: str) -> None:
    """What lies between may be wherever it is fastest: a variable is kept in slow memory."""
    assert len(states_of(drafted(lstm.lower, recurrent(4, 2), ALL), label)) == 2


def test_where_memory_is_saved_a_gate_is_opened_when_it_is_asked_for() -> None:
    """The output gate after the cell is done, and no sums of one gate beside those of another."""
    ops = [item for item in drafted(in_turn, recurrent(1, 1), ALL).items if isinstance(item, NpuOp)]
    gates = [op.name.split("#")[0].split("_")[-1] for op in ops if op.weights is not None]
    assert gates == [
        gate for gate in ("forget", "cell", "input", "output") for _ in ("of input", "of state")
    ]
    assert [op.kind for op in ops].index(OpKind.AVERAGE_POOL) < max(
        at for at, op in enumerate(ops) if op.weights is not None
    )


@pytest.mark.parametrize("lowering", ["a product a gate", "in turn"])
@pytest.mark.parametrize("label", ["hidden", "cell"])
def test_each_new_state_has_the_bytes_of_the_variable(label: str, lowering: str) -> None:
    rewrite, freedoms = LOWERINGS[lowering]
    draft = drafted(rewrite, recurrent(4, 2), freedoms)
    states = states_of(draft, label)
    written_once = [item.ofm.fm for item in draft.items if isinstance(item, NpuOp)]
    assert len(states) == 8
    assert all(fm.linear_reason for fm in states)
    assert all(written_once.count(fm.id) == 1 for fm in states)


def test_the_cell_is_clipped_only_where_the_file_asks_for_it() -> None:
    def clamps(clip: float) -> list:
        return [
            (item.activation.minimum, item.activation.maximum)
            for item in drafted(lstm.lower, recurrent(2, 1, clip=clip)).items
            if isinstance(item, NpuOp)
            and item.activation is not None
            and item.activation.kind is ActivationKind.CLAMP
        ]

    assert clamps(7.5) == [(-7.5, 7.5)] * 2
    assert clamps(0.0) == []


def test_structure(golden: Golden) -> None:
    golden.check("lstm_two_steps.txt", written(drafted(lstm.lower, recurrent(2, 1))))
    golden.check("lstm_two_batches.txt", written(drafted(lstm.lower, recurrent(1, 2))))
    major = recurrent(1, 4, time_major=True)
    golden.check("lstm_time_major.txt", written(drafted(lstm.lower, major)))
    golden.check("lstm_one_product.txt", written(drafted(lstm.lower, recurrent(3, 1), ALL)))
