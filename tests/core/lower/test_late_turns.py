"""Maps that are turned and joined are joined first, and the numbers stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from core.base.dtype import DType
from core.check.npugraph import verify
from core.ir.freedoms import ALL, NONE, Freedoms
from core.ir.network import Network
from core.ir.npugraph import NpuGraph
from core.ir.options import LoweringOptions, Options, Search
from core.ir.rewritten import Rewrite
from core.lower import run as lower
from core.synth.builder import Builder
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

CHANNELS_FIRST = (0, 3, 1, 2)
BINS, SIDES = 8, 4


class Head(NamedTuple):
    """Of a detector: pictures of several sizes, each with bins for four sides and classes."""

    sizes: Sequence[tuple[int, int]] = ((6, 8), (3, 4))
    classes: int = 1
    orders: Sequence[tuple[int, ...]] = ((0, 1, 3, 2),)
    """In which the bins are brought behind."""
    dtype: DType = DType.INT8
    is_read_whole: bool = False
    is_turned_apart: bool = False
    """The first picture's turned map is read by somebody else too."""

    @property
    def channels(self) -> int:
        return SIDES * BINS + self.classes


def head(case: Head) -> Network:
    b = Builder(47, case.dtype)
    rows, rest = [], []
    for size in case.sizes:
        turned = b.transpose(b.conv(b.input((1, *size, 8)), case.channels), CHANNELS_FIRST)
        rows.append(b.reshape(turned, (1, case.channels, size[0] * size[1])))
        if case.is_turned_apart and not rest:
            rest.append(b.relu(turned))
    joined = b.concat(rows, axis=2)
    count = joined.shape[2]
    bins = b.slice(joined, (0, 0, 0), (1, SIDES * BINS, count))
    bins = b.reshape(bins, (1, SIDES, BINS, count))
    for order in case.orders:
        bins = b.transpose(bins, order)
    classes = b.slice(joined, (0, SIDES * BINS, 0), (1, case.classes, count))
    rest += [joined] if case.is_read_whole else []
    return b.build((b.softmax(bins), b.logistic(classes), *rest), "head")


def graph_of(net: Network, freedoms: Freedoms = ALL) -> NpuGraph:
    graph = lower.run(net, accelerator_named("ethos-u55-128"), LoweringOptions(freedoms=freedoms))
    assert verify(graph) == ()
    return graph


def turned_elements(graph: NpuGraph) -> int:
    """That are written one by one, or in short runs."""
    return sum(op.ofm.touched.elements for op in graph.ops if op.ofm.is_transposed)


def late(graph: NpuGraph) -> list[bool]:
    """Whether turns came late, of all that could."""
    found = (each for each in graph.rewrites if each.rewrite is Rewrite.TURNED_LATE)
    return [each.reason.speaks_for for each in found]


def assert_equal(net: Network) -> None:
    target = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    _, compiled = scheduled_and_compiled(net, target, Options(search=Search.DIRECT))
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


GOOD = {
    "one class": Head(),
    "classes": Head(classes=5),
    "two turns": Head(orders=((0, 2, 1, 3), (0, 2, 3, 1))),
    "one picture": Head(sizes=((6, 8),)),
    "three pictures": Head(sizes=((8, 8), (4, 4), (2, 2)), classes=3),
    "16 bits": Head(dtype=DType.INT16),
    "a row": Head(sizes=((1, 20), (1, 5))),
}


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD.keys())
def test_turns_come_behind_what_is_joined(case: Head) -> None:
    net = head(case)
    graph = graph_of(net)
    assert late(graph) == [True]
    assert graph.rejections == ()
    places = sum(height * width for height, width in case.sizes)
    assert turned_elements(graph) <= places * (case.channels if case.classes > 1 else BINS * SIDES)
    assert_equal(net)


OTHER: dict[str, Head] = {
    "read whole": Head(is_read_whole=True),
    "read apart": Head(is_turned_apart=True),
}


@pytest.mark.parametrize("case", OTHER.values(), ids=OTHER.keys())
def test_what_is_read_as_it_is_stays(case: Head) -> None:
    net = head(case)
    assert late(graph_of(net)) == []
    assert_equal(net)


def test_what_is_not_free_stays_as_in_the_file() -> None:
    assert late(graph_of(head(Head()), NONE)) == []
