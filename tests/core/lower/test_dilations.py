"""Convolutions whose dilation the file spells out run as one, and the numbers stay."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.check.npugraph import verify
from core.ir.freedoms import ALL, NONE
from core.ir.network import Network
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import LoweringOptions, Options, Search
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.graph import Value, integers
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

Sides = tuple[tuple[int, int], tuple[int, int]]
Pair = tuple[int, int]


class Spelt(NamedTuple):
    """A convolution of a picture, with the dilation before and behind it."""

    blocks: Pair
    pads: Sides
    crops: Sides = ((0, 0), (0, 0))
    size: Pair = (8, 12)
    kernel: Pair = (3, 3)
    is_depthwise: bool = False
    is_same: bool = False


SAME = Spelt((2, 2), ((2, 2), (2, 2)))
GOOD = {
    "same": SAME,
    "rows of one": Spelt((1, 4), ((0, 0), (4, 4)), size=(1, 32), kernel=(1, 3)),
    "filled up": Spelt((2, 2), ((2, 3), (2, 3)), ((0, 1), (0, 1)), (7, 9)),
    "valid": Spelt((2, 3), ((0, 0), (0, 0)), size=(8, 12)),
    "each channel": SAME._replace(is_depthwise=True),
    "unlike sides": Spelt((2, 4), ((2, 2), (4, 4))),
}
OTHER = {
    "padded within": SAME._replace(is_same=True),
    "on one side alone": Spelt((2, 2), ((4, 0), (4, 0))),
    "other parts": Spelt((2, 2), ((2, 2), (2, 2)), ((2, 0), (0, 0))),
}


def spelt(case: Spelt, dtype: DType = DType.INT8, *, is_read_apart: bool = False) -> Network:
    b = Builder(41, dtype)
    x = b.conv(b.input((1, *case.size, 8)), 8)
    parts = taken_apart(b, x, case.blocks, case.pads)
    slide = window(case.kernel, same=case.is_same)
    y = b.depthwise(parts, slide) if case.is_depthwise else b.conv(parts, 8, slide)
    made = put_together(b, y, case.blocks, case.crops)
    rest = (parts,) if is_read_apart else ()
    return b.build((b.conv(made, 4), *rest), "spelt")


def taken_apart(b: Builder, x: Value, blocks: Pair, pads: Sides) -> Value:
    def forward(array):
        padded = np.pad(array, ((0, 0), *pads, (0, 0)))
        n, h, w, c = padded.shape
        cut = padded.reshape(n, h // blocks[0], blocks[0], w // blocks[1], blocks[1], c)
        ordered = cut.transpose(2, 4, 0, 1, 3, 5)
        return ordered.reshape(-1, h // blocks[0], w // blocks[1], c)

    operands = (x, integers("blocks", list(blocks)), integers("pads", [list(p) for p in pads]))
    return b.apply("SPACE_TO_BATCH_ND", operands, forward, None, tied=True)


def put_together(b: Builder, x: Value, blocks: Pair, crops: Sides) -> Value:
    def forward(array):
        parts, h, w, c = array.shape
        cut = array.reshape(*blocks, parts // (blocks[0] * blocks[1]), h, w, c)
        whole = cut.transpose(2, 3, 0, 4, 1, 5).reshape(-1, h * blocks[0], w * blocks[1], c)
        (top, bottom), (left, right) = crops
        return whole[:, top : whole.shape[1] - bottom, left : whole.shape[2] - right]

    operands = (x, integers("blocks", list(blocks)), integers("crops", [list(c) for c in crops]))
    return b.apply("BATCH_TO_SPACE_ND", operands, forward, None, tied=True)


class Rows(NamedTuple):
    """A convolution of rows, which is one of a picture with one row or one column."""

    block: int
    pads: Pair = (0, 0)
    crops: Pair = (0, 0)
    is_wide: bool = True
    is_read_apart: bool = False
    convolutions: int = 1
    """Of the same rows, such as what a gate lets through, and the gate."""


IN_ROWS = {
    "valid": Rows(4),
    "filled up": Rows(2, (4, 5), (2, 3)),
    "same": Rows(2, (2, 2)),
    "a column": Rows(4, is_wide=False),
}


def spelt_in_rows(case: Rows, dtype: DType = DType.INT8) -> Network:
    b = Builder(43, dtype)
    size = 32 - sum(case.pads) % case.block
    kernel = (1, 3) if case.is_wide else (3, 1)
    x = b.reshape(b.conv(b.input((1, 1, size, 8)), 8), (1, size, 8))

    def picture(rows: Value) -> Value:
        parts, length, depth = rows.shape
        plane = (1, length) if case.is_wide else (length, 1)
        return b.reshape(rows, (parts, *plane, depth))

    parts = moved(b, "SPACE_TO_BATCH_ND", x, case.block, case.pads)
    seen = picture(parts)
    made = []
    for _ in range(case.convolutions):
        y = b.conv(seen, 8, window(kernel, same=False))
        rows = b.reshape(y, (case.block, max(y.shape[1:3]), 8))
        made.append(moved(b, "BATCH_TO_SPACE_ND", rows, case.block, case.crops))
    rest = (seen,) if case.is_read_apart else ()
    return b.build((*made, *rest), "in_rows")


def moved(b: Builder, kind: str, rows: Value, block: int, sides: Pair) -> Value:
    def apart(array):
        padded = np.pad(array, ((0, 0), sides, (0, 0)))
        return np.concatenate([padded[:, at::block] for at in range(block)])

    def together(array):
        whole = array.transpose(1, 0, 2).reshape(1, -1, array.shape[2])
        return whole[:, sides[0] : whole.shape[1] - sides[1]]

    forward = apart if kind == "SPACE_TO_BATCH_ND" else together
    operands = (rows, integers("blocks", [block]), integers("sides", [list(sides)]))
    return b.apply(kind, operands, forward, None, tied=True)


def graph_of(net: Network, freedoms=ALL, to_cpu: tuple[str, ...] = ()) -> NpuGraph:
    options = LoweringOptions(freedoms=freedoms, to_cpu=to_cpu)
    return lower.run(net, accelerator_named("ethos-u55-128"), options)


def on_cpu(net: Network, freedoms=ALL, to_cpu: tuple[str, ...] = ()) -> list[str]:
    graph = graph_of(net, freedoms, to_cpu)
    assert verify(graph) == ()
    return [net.operator(each.op).kind for each in graph.rejections]


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD.keys())
def test_three_operators_are_one_and_the_numbers_stay(case: Spelt, dtype: DType) -> None:
    net = spelt(case, dtype)
    graph = graph_of(net)
    assert verify(graph) == ()
    assert graph.rejections == ()
    (dilated,) = [op for op in graph.ops if len(op.sources) == 3]
    assert dilated.kind is (OpKind.DEPTHWISE_CONV_2D if case.is_depthwise else OpKind.CONV_2D)
    assert_equal(net)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize("case", IN_ROWS.values(), ids=IN_ROWS.keys())
def test_rows_are_a_picture_of_one_row(case: Rows, dtype: DType) -> None:
    net = spelt_in_rows(case, dtype)
    graph = graph_of(net)
    assert verify(graph) == ()
    assert graph.rejections == ()
    assert [op.kind for op in graph.ops if len(op.sources) == 3] == [OpKind.CONV_2D]
    assert_equal(net)


def test_rows_that_somebody_else_reads_apart_stay() -> None:
    net = spelt_in_rows(Rows(4, is_read_apart=True))
    assert {"SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"} <= set(on_cpu(net))
    assert_equal(net)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize("case", IN_ROWS.values(), ids=IN_ROWS.keys())
def test_rows_that_several_convolutions_read_are_a_picture_for_all(
    case: Rows, dtype: DType
) -> None:
    """WaveNets take a sequence apart once, for what a gate lets through and for the gate."""
    net = spelt_in_rows(case._replace(convolutions=2), dtype)
    graph = graph_of(net)
    assert verify(graph) == ()
    assert graph.rejections == ()
    assert [op.kind for op in graph.ops if len(op.sources) == 3] == [OpKind.CONV_2D] * 2
    assert_equal(net)


def test_if_one_of_several_convolutions_stays_as_in_the_file_so_do_all() -> None:
    net = spelt_in_rows(Rows(4, convolutions=2))
    (*_, last) = [n for n, op in enumerate(net.main.operators) if op.kind == "CONV_2D"]
    stay = ["BATCH_TO_SPACE_ND", "BATCH_TO_SPACE_ND", "CONV_2D", "SPACE_TO_BATCH_ND"]
    assert sorted(on_cpu(net, to_cpu=(f"#{last}",))) == stay
    read_apart = spelt_in_rows(Rows(4, convolutions=2, is_read_apart=True))
    assert set(on_cpu(read_apart)) == {"SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"}


def assert_equal(net: Network) -> None:
    target = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    _, compiled = scheduled_and_compiled(net, target, Options(search=Search.DIRECT))
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


@pytest.mark.parametrize("case", OTHER.values(), ids=OTHER.keys())
def test_what_is_no_convolution_with_a_dilation_stays(case: Spelt) -> None:
    assert {"SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"} <= set(on_cpu(spelt(case)))


def test_what_the_npu_cannot_run_stays_as_it_is() -> None:
    net = spelt(SAME)
    tensors = tuple(
        replace(t, dtype=DType.INT32) if t.shape == (8, 3, 3, 8) else t for t in net.main.tensors
    )
    broken = replace(net, subgraphs=(replace(net.main, tensors=tensors),))
    assert on_cpu(broken) == ["SPACE_TO_BATCH_ND", "CONV_2D", "BATCH_TO_SPACE_ND"]


def test_who_else_reads_the_parts_still_has_them() -> None:
    net = spelt(SAME, is_read_apart=True)
    assert on_cpu(net) == ["SPACE_TO_BATCH_ND"]
    assert sum(len(op.sources) == 3 for op in graph_of(net).ops) == 1
    assert_equal(net)


def test_what_is_not_free_stays_as_in_the_file() -> None:
    assert len(on_cpu(spelt(SAME), NONE)) == 3
