"""Whoever makes a part writes it where it belongs; numbers and the most live memory stay."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.base.ids import FmId
from core.check.npugraph import verify
from core.ir.freedoms import ALL, Freedoms
from core.ir.network import Network
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import LoweringOptions, Options, Strategy
from core.ir.rewritten import Rewrite, RewriteReason
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from core.tflite import reader
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.lower.nets import Line, lowered, network, story
from tests.shared import need

FREE = replace(ALL, folded_shapes=False, near_results=False)
COPIES = replace(FREE, fewer_operators=False)
WIDE = {"c": (1, 8, 8, 32)}
JOINED = {"axis": 3}


def graph_of(net: Network, freedoms: Freedoms = FREE) -> NpuGraph:
    return lower.run(net, accelerator_named("ethos-u55-256"), LoweringOptions(freedoms=freedoms))


def test_makers_write_into_the_joined_map() -> None:
    net = network(
        [("ABS", "a", "b"), ("ABS", "b", "d"), ("CONCATENATION", "b d", "c", JOINED)],
        inputs="a",
        outputs="c",
        shapes=WIDE,
    )
    assert story(lowered(net)) == [
        "abs: a -> b",
        "average pool: b -> c@0,0,0,0",
        "abs: b -> c@0,0,0,16",
    ]


OTHERS_NEED_IT: list[tuple[list[Line], str]] = [
    ([("ABS", "a", "b"), ("CONCATENATION", "b a", "c", JOINED)], "c b"),
    ([("ABS", "a", "b"), ("CONCATENATION", "b a", "c", JOINED), ("CUSTOM", "b", "e")], "c e"),
    ([("CUSTOM", "a", "b"), ("CONCATENATION", "b a", "c", JOINED)], "c"),
    ([("CONCATENATION", "a a", "c", JOINED)], "c"),
    ([("ABS", "a", "b"), ("CONCATENATION", "b b", "c", JOINED)], "c"),
]


@pytest.mark.parametrize(("lines", "outputs"), OTHERS_NEED_IT)
def test_what_others_need_where_it_is_stays_a_copy(lines: list[Line], outputs: str) -> None:
    net = network(lines, inputs="a", outputs=outputs, shapes=WIDE)
    assert sum(line.startswith("average pool") for line in story(lowered(net))) == 2


def inception(dtype: DType) -> Network:
    b = Builder(21, dtype)
    x = b.conv(b.input((1, 9, 10, 5)), 16, window(3))
    parts = [
        *(b.conv(x, 7, window(1)), b.conv(b.conv(x, 8), 16, window(3))),
        *(b.depthwise(x, window(3)), b.conv(b.max_pool(x, window(3)), 6)),
    ]
    return b.build((b.conv(b.concat(b.united(parts)), 8),), "inception")


def halves() -> Network:
    b = Builder(22)
    wide = b.conv(b.input((1, 8, 8, 8)), 96)
    x = b.mul(b.conv(wide, 32), b.conv(wide, 32))
    first, second = b.split(x, 2, 3)
    third = b.conv(second, 16, window(3))
    return b.build((b.conv(b.concat((first, second, third)), 8),), "halves")


def below() -> Network:
    b = Builder(23)
    x = b.input((1, 7, 6, 9))
    parts = b.united((b.relu(b.conv(x, 5)), b.logistic(b.conv(x, 5, window(2)))))
    return b.build((b.hard_swish(b.concat(parts, axis=1)),), "below")


def middle() -> Network:
    b = Builder(24)
    x = b.pad(b.conv(b.input((1, 7, 6, 9)), 24), ((0, 0), (3, 2), (1, 4), (0, 0)))
    return b.build((b.conv(x, 5),), "middle")


def heads(dtype: DType = DType.INT8, places: int = 5) -> Network:
    """What detectors make of maps of several sizes: rows of scores, one below the other."""
    b = Builder(25, dtype)
    x = b.conv(b.input((1, 8, 8, 6)), 8, window(3))
    maps = [x, b.conv(x, 8, window(3, stride=2))]
    scores = b.united([b.conv(each, 3 * places, window(3), "NONE") for each in maps])
    rows = [b.reshape(each, (1, each.shape[1] * each.shape[2] * 3, places)) for each in scores]
    return b.build((b.logistic(b.concat(rows, axis=1)),), "heads")


def made_twice() -> Network:
    """Two maps of scores, of which the first one is made twice."""
    b = Builder(26)
    x = b.conv(b.input((1, 32, 32, 6)), 16, window(3, stride=4))
    scores = [b.conv(x, 15, window(3), "NONE") for _ in range(2)]
    rows = [b.reshape(each, (1, 192, 5)) for each in b.united([b.quantize(scores[0]), scores[1]])]
    return b.build((b.logistic(b.concat(rows, axis=1)),), "made_twice")


NETWORKS = {
    "inception": lambda: inception(DType.INT8),
    "inception16": lambda: inception(DType.INT16),
    "halves": halves,
    "below": below,
    "middle": middle,
    "heads": heads,
    "heads16": lambda: heads(DType.INT16),
    "made_twice": made_twice,
}


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("accelerator", ["ethos-u55-64", "ethos-u65-512"])
@pytest.mark.parametrize("name", NETWORKS)
def test_fewer_operators_compute_the_same(name, accelerator, strategy):
    net = NETWORKS[name]()
    free, bound = graph_of(net), graph_of(net, COPIES)
    assert verify(free) == ()
    assert len(free.ops) < len(bound.ops)
    target, options = resolve(accelerator, arena_cache_size=9_000), Options(strategy=strategy)
    _, compiled = scheduled_and_compiled(net, target, options)
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


def test_rows_of_scores_are_written_by_who_makes_them():
    told = graph_of(heads())
    assert [op.kind for op in told.ops].count(OpKind.AVERAGE_POOL) == 0
    first, second = (op for op in told.ops if op.ofm.is_joined)
    assert (first.ofm.shape, first.ofm.start) == (Shape4(1, 10, 8, 15), Shape4(0, 0, 0, 0))
    assert (second.ofm.shape, second.ofm.start) == (Shape4(1, 20, 4, 15), Shape4(0, 16, 0, 0))


def test_rows_that_do_not_fit_among_those_of_others_are_copied():
    """Three rows of 7 pixels begin in the middle of what the other one has as rows of 5."""
    net = network(
        [
            *(("ABS", "a", "b"), ("RESHAPE", "b", "c"), ("ABS", "d", "e"), ("RESHAPE", "e", "f")),
            ("CONCATENATION", "c f", "g", {"axis": 1}),
        ],
        inputs="a d",
        outputs="g",
        shapes={
            **dict.fromkeys("ab", (1, 3, 7, 2)),
            **dict.fromkeys("de", (1, 4, 5, 2)),
            "c": (1, 21, 2),
            "f": (1, 20, 2),
            "g": (1, 41, 2),
        },
    )
    assert sum(line.startswith("average pool") for line in story(lowered(net))) == 2


def test_where_memory_is_saved_rows_are_copied_if_less_is_live_beside_the_largest_maps():
    """Most is live at the picture, which stripes can make less; the other places count then."""
    net, accelerator = made_twice(), accelerator_named("ethos-u55-256")
    assert lower.saves_memory(net, resolve(accelerator.name), Options(strategy=Strategy.SIZE))
    fast, small = (
        lower.run(net, accelerator, LoweringOptions(freedoms=FREE, saves_memory=saves))
        for saves in (False, True)
    )
    copies = [sum(op.kind is OpKind.AVERAGE_POOL for op in graph.ops) for graph in (fast, small)]
    assert copies == [1, 3]
    tried = [each for each in small.rewrites if each.rewrite is Rewrite.WRITTEN_IN_PLACE]
    assert [each.reason for each in tried] == [RewriteReason.MORE_LIVE] * 2
    assert all(each.figure_with > each.figure_without for each in tried)


def test_halves_are_read_in_the_joined_map_before_it_is_whole():
    graph = graph_of(halves())
    assert not any(op.kind is OpKind.AVERAGE_POOL for op in graph.ops)
    joined = {op.ofm.fm for op in graph.ops if op.ofm.is_joined}
    readers = [op for op in graph.ops if op.ifm.fm in joined]
    assert [op.ifm.offset is not None for op in readers] == [True, False]


def test_an_early_part_does_not_keep_the_whole_map_live():
    b = Builder(25)
    x = b.conv(b.input((1, 16, 16, 4)), 4)
    large = b.conv(b.conv(x, 64), 32)
    net = b.build((b.concat(b.united((x, large))),), "late")
    early, *_, late = [op for op in graph_of(net).ops if op.kind is not OpKind.AVERAGE_POOL]
    assert (early.ofm.is_joined, late.ofm.is_joined) == (False, True)


def test_a_skip_is_copied_when_the_other_parts_are_there():
    b = Builder(26)
    x = b.conv(b.input((1, 16, 16, 4)), 16)
    deep = b.conv(b.conv(b.conv(x, 64, window(3, 2)), 64), 64)
    up = b.transpose_conv(deep, 16, window(2, 2))
    net = b.build((b.conv(b.concat((x, up)), 8),), "skip")
    late, early = (
        [op.id for op in graph_of(net, freedoms).ops if op.kind is OpKind.AVERAGE_POOL]
        for freedoms in (FREE, COPIES)
    )
    assert late == [len(graph_of(net).ops) - 2]
    assert early[0] < late[0]


def test_states_are_copied_before_their_bytes_are_written_again():
    graph = graph_of(reader.read(need("models/keras_lstm_mnist_ptq.tflite").read_bytes()))
    held: dict[FmId, FmId] = {}
    for op in graph.ops:
        for fm in map(graph.fm, op.views[:-1]):
            assert held.get(fm.storage, fm.id) == fm.id
        made = graph.fm(op.ofm)
        held[made.storage] = made.id
    assert sum(storage != fm for storage, fm in held.items()) == 2
