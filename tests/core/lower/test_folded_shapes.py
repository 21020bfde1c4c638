"""Operators that treat all elements alike take the cheapest shape, and numbers stay."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.check.npugraph import verify
from core.ir.freedoms import ALL
from core.ir.network import Network
from core.ir.npugraph import FoldReason, NpuGraph
from core.ir.options import LoweringOptions, Options
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.networks.random_networks import FEATURED, random_network

FREE = replace(ALL, near_constants=False)
"""Copies of constants would stand between."""
AS_IN_FILE = replace(FREE, folded_shapes=False)


def lowered(net: Network, *, is_free: bool = True, on: str = "ethos-u55-256") -> NpuGraph:
    freedoms = FREE if is_free else AS_IN_FILE
    return lower.run(net, accelerator_named(on), LoweringOptions(freedoms=freedoms))


def quantized_picture() -> Network:
    b = Builder(3)
    image = b.quantize(b.input((1, 96, 96, 3)))
    return b.build((b.conv(image, 16, window(3, 2)),), "picture")


def many_boxes() -> Network:
    b = Builder(4)
    return b.build((b.softmax(b.input((1, 1118, 21), -4.0, 4.0)),), "boxes")


def normalised() -> Network:
    b = Builder(5)
    image = b.input((1, 64, 64, 3))
    centred = b.mul(
        b.sub(image, b.constant(np.array([0.1, 0.2, 0.3]).reshape(1, 1, 1, 3))),
        b.constant(np.array(0.7)),
    )
    return b.build((b.conv(centred, 16, window(3, 2)),), "normalised")


def between_convolutions() -> Network:
    b = Builder(6)
    x = b.conv(b.input((1, 64, 64, 8)), 1, window(3), "NONE")
    return b.build((b.conv(b.quantize(b.abs(x)), 8, window(3)),), "between")


def joined_boxes() -> Network:
    b = Builder(7)
    parts = b.united([b.input((1, 768, 1, 4)), b.input((1, 384, 1, 4))])
    return b.build((b.concat(parts, axis=1),), "joined")


FOLDED = {
    "picture": quantized_picture,
    "boxes": many_boxes,
    "normalised": normalised,
    "joined": joined_boxes,
}


@pytest.mark.parametrize("name", FOLDED)
@pytest.mark.parametrize("accelerator", ["ethos-u55-256", "ethos-u65-512"])
def test_what_is_folded_costs_less_and_computes_the_same(name, accelerator):
    network = FOLDED[name]()
    graph = lowered(network, on=accelerator)
    assert verify(graph) == ()
    assert graph.folds
    for fold in graph.folds:
        assert fold.cycles_folded < fold.cycles
        assert fold.reason is FoldReason.CHEAPER
        assert {graph.ops[op].ofm.touched for op in fold.ops} == {fold.seen_as}
    target = resolve(accelerator)
    _, compiled = scheduled_and_compiled(network, target, Options())
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])


def test_pieces_are_rows_of_the_whole():
    """Each begins where a row does, of the map as it is seen beside it."""
    first, second = (op.ofm for op in lowered(joined_boxes()).ops)
    assert first.touched.c == second.touched.c == 16
    for piece in (first, second):
        assert piece.shape.with_hw(piece.touched.h, piece.touched.w) == piece.touched
        assert piece.shape.elements == 1152 * 4
    row = second.shape.w * second.shape.c
    assert second.start == Shape4(0, 768 * 4 // row, 0, 0)


def test_rows_of_what_a_caller_has_get_no_shorter():
    """They lie in slower memory on some devices, where many short pieces take longer."""
    b = Builder(9)
    parts = b.united([b.input((1, 1, 768, 20)), b.input((1, 1, 192, 20))])
    graph = lowered(b.build((b.concat(parts, axis=2),), "long_rows"))
    assert [op.ofm.touched for op in graph.ops] == [Shape4(1, 1, 768, 20), Shape4(1, 1, 240, 16)]


def test_a_piece_that_is_not_in_one_stays_as_it_is():
    """Channels beside others lie apart."""
    b = Builder(8)
    parts = b.united([b.input((1, 24, 24, 5)), b.input((1, 24, 24, 3))])
    assert not lowered(b.build((b.concat(parts),), "beside")).folds


def test_rows_keep_their_bytes_where_that_is_as_cheap():
    (fold,) = lowered(quantized_picture()).folds
    assert fold.shape == Shape4(1, 96, 96, 3)
    assert fold.seen_as == Shape4(1, 96, 18, 16)


def test_what_only_folded_operators_know_takes_the_shape_itself():
    graph = lowered(many_boxes())
    (fold,) = graph.folds
    assert len(fold.ops) > 20
    between = {graph.ops[op].ofm.fm for op in fold.ops} - {
        view.fm for op in graph.ops if op.id not in fold.ops for view in op.views
    }
    assert len(between) > 20
    assert {graph.feature_maps[fm].shape for fm in between} == {tuple(fold.seen_as)}


def test_numbers_for_each_channel_are_repeated_to_the_new_depth():
    graph = lowered(normalised())
    (fold,) = graph.folds
    spread = graph.ops[fold.ops[0]].ifm2
    assert spread is not None
    assert fold.seen_as.c == spread.shape.c == 48
    values = graph.fm(spread).data
    assert values is not None
    assert values.array.reshape(16, 3).tolist() == [values.array.reshape(-1)[:3].tolist()] * 16


def test_what_could_pass_in_stripes_stays_as_it_is_and_says_so():
    graph = lowered(between_convolutions())
    assert [fold.reason for fold in graph.folds] == [FoldReason.STRIPES_ARE_WORTH_MORE]
    assert replace(graph, folds=()) == lowered(between_convolutions(), is_free=False)


@pytest.mark.parametrize("name", FOLDED)
def test_without_the_freedom_all_stay_as_in_the_file(name):
    graph = lowered(FOLDED[name](), is_free=False)
    assert graph.folds == ()


@pytest.mark.parametrize("seed", range(0, len(FEATURED), 3))
def test_any_network_is_sound_and_touches_as_many_elements(seed):
    network = random_network(seed)
    free, bound = lowered(network), lowered(network, is_free=False)
    assert verify(free) == ()
    for mine, other in zip(free.ops, bound.ops, strict=True):
        sizes = [view.touched.elements for view in mine.views]
        assert sizes[-1] == other.ofm.touched.elements
        assert mine.kind is other.kind
        assert sizes[0] == other.ifm.touched.elements
