"""Stripes, slices and cascades of small streams."""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.emit.layers import structure
from core.ir.program import AddressRange, Job, MapUse, NpuOperation
from tests.core.emit.streams import flat, pool, rows, stream

SHAPE = Shape4(1, 8, 4, 8)
A, B, C = (flat(SHAPE, address) for address in (0, 1024, 2048))


def summary(*commands: NpuOperation):
    found = structure(stream(*commands))
    return (
        [(layer.commands, layer.stripes, layer.slices) for layer in found.layers],
        [cascade.layers for cascade in found.cascades],
    )


def stripes(source: MapUse, made: MapUse, height: int) -> list[NpuOperation]:
    return [
        pool(rows(source, first, height), rows(made, first, height))
        for first in range(0, SHAPE.h, height)
    ]


def ring(use: MapUse, first: int, height: int) -> MapUse:
    """Rows that lie in a rolling buffer of so many rows."""
    return rows(use, first % height, 2)


def test_operations_one_after_the_other_are_layers():
    assert summary(pool(A, B), pool(B, C)) == ([((0,), 1, 1), ((1,), 1, 1)], [])


def test_stripes_that_take_turns_are_a_cascade():
    first, second = stripes(A, B, 2), stripes(B, C, 2)
    turns = [op for pair in zip(first, second, strict=True) for op in pair]
    assert summary(*turns) == ([((0, 2, 4, 6), 4, 1), ((1, 3, 5, 7), 4, 1)], [(0, 1)])


def test_a_rolling_buffer_is_followed_around_its_end():
    turns: list[NpuOperation] = []
    for first in range(0, SHAPE.h, 2):
        turns.append(pool(rows(A, first, 2), ring(B, first, 4)))
        turns.append(pool(ring(B, first, 4), rows(C, first, 2)))
    assert summary(*turns) == ([((0, 2, 4, 6), 4, 1), ((1, 3, 5, 7), 4, 1)], [(0, 1)])


def test_rings_of_one_row_hand_rows_on_to_each_other():
    """Those in between do the same work again and again, on what is made anew."""
    one, other = (flat(SHAPE.with_hw(1, 4), address) for address in (4096, 8192))
    turns: list[NpuOperation] = []
    for row in range(SHAPE.h):
        turns += [pool(rows(A, row, 1), one), pool(one, other), pool(other, rows(C, row, 1))]
    layers, cascades = summary(*turns)
    assert [(stripes, slices) for _, stripes, slices in layers] == [(8, 1)] * 3
    assert cascades == [(0, 1, 2)]


def test_what_goes_round_in_an_unrolled_loop_is_no_stripe():
    """A state that is added to what is fresh, and both summed up in the same places again."""
    fresh, state, summed = (flat(SHAPE.with_hw(1, 4), at) for at in (4096, 8192, 12288))
    turns: list[NpuOperation] = []
    for row in range(SHAPE.h):
        turns.append(pool(rows(A, row, 1), fresh))
        turns.append(replace(pool(fresh, summed), job=Job.ADD, ifm2=state))
        turns.append(pool(summed, state))
    layers, cascades = summary(*turns)
    assert [layer for layer in layers if layer[1] > 1 and layer[0][0] % 3] == []
    assert cascades == []


def test_the_same_operation_in_another_place_is_another_layer():
    elsewhere = flat(SHAPE, 4096)
    assert len(summary(pool(A, B), pool(B, C), pool(A, elsewhere))[0]) == 3


def test_an_operation_that_reads_its_own_result_is_no_stripe():
    assert len(summary(pool(A, B), pool(B, A), pool(A, B))[0]) == 3


def test_channels_one_after_the_other_are_slices():
    whole = flat(SHAPE.with_depth(24), 1024)
    parts = [
        replace(
            pool(A, replace(whole, bases=(1024 + 8 * at, 0, 0, 0), shape=SHAPE)),
            job=Job.CONVOLUTION,
            weights=(AddressRange(0, 100 * at, 100),),
            has_global_scale=True,
        )
        for at in range(3)
    ]
    assert summary(*parts) == ([((0, 1, 2), 1, 3)], [])


def test_a_loop_that_is_unrolled_is_no_cascade():
    state, fresh = flat(SHAPE.with_hw(1, 4), 4096), flat(SHAPE.with_hw(1, 4), 8192)
    turns: list[NpuOperation] = []
    for step in range(8):
        turns.append(pool(rows(A, step, 1), fresh))
        turns.append(pool(state, state))
    assert summary(*turns)[1] == []
    assert len(summary(*turns)[0]) == 16
