"""Constants that are read again and again are copied to fast storage, and the numbers stay."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.frozen import replace
from core.check.npugraph import verify
from core.ir.freedoms import ALL
from core.ir.network import Network
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import LoweringOptions, Options
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled


def graph_of(net: Network, *, near: bool = True) -> NpuGraph:
    options = LoweringOptions(freedoms=replace(ALL, near_constants=near))
    return lower.run(net, accelerator_named("ethos-u55-256"), options)


def copies(graph: NpuGraph) -> list[int]:
    return [op.id for op in graph.ops if op.kind is OpKind.COPY]


def slopes() -> Network:
    b = Builder(31)
    x = b.prelu(b.conv(b.input((1, 16, 16, 4)), 12, window(3), "NONE"))
    return b.build((b.prelu(b.depthwise(x, window(3), "NONE")),), "slopes")


def shifted() -> Network:
    b = Builder(32)
    x = b.sub(b.input((1, 32, 32, 3)), b.constant(np.array([[[[0.1, 0.2, 0.3]]]])))
    return b.build((b.conv(x, 8, window(3, 2)),), "shifted")


def between(numbers: tuple[int, ...]) -> Network:
    """Numbers between convolutions, as of a normalisation that nobody has folded."""
    b = Builder(33)
    x = b.conv(b.input((1, 32, 32, 4)), 16)
    x = b.mul(x, b.constant(b.draws.uniform(numbers, 0.1, 0.9)))
    x = b.add(x, b.constant(b.draws.uniform(numbers, -0.5, 0.5)))
    return b.build((b.conv(x, 8, window(3)),), "between")


CHANNELS, COLUMNS = (1, 1, 1, 16), (1, 1, 32, 1)


def far_number() -> Network:
    """A number that no command has room for, beside many of 32 bits that are read elsewhere too."""
    b = Builder(35)
    place = b.argmax(b.input((1, 16, 8, 14)))
    far = b.with_whole("ADD", place, np.array(70_000), first=False)
    return b.build((b.mul(far, place),), "far_number")


def small() -> Network:
    b = Builder(34)
    x = b.mul(b.input((1, 4, 4, 16)), b.constant(np.linspace(0.1, 0.9, 16).reshape(1, 1, 1, 16)))
    return b.build((x,), "small")


@pytest.mark.parametrize("accelerator", ["ethos-u55-128", "ethos-u65-256"])
@pytest.mark.parametrize(("net", "count"), [(slopes(), 2), (shifted(), 1), (far_number(), 1)])
def test_each_is_copied_right_before_its_reader(net, count, accelerator):
    graph = graph_of(net)
    assert verify(graph) == ()
    found = copies(graph)
    assert len(found) == count
    for number in found:
        copy, reader = graph.ops[number], graph.ops[number + 1]
        assert reader.ifm2 is not None
        assert reader.ifm2.fm == copy.ofm.fm
        assert graph.fm(copy.ifm).data is not None
        assert number in next(
            each.npu_ops for each in graph.lineage if each.op == reader.sources[0]
        )
    _, compiled = scheduled_and_compiled(net, resolve(accelerator), Options())
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


def test_numbers_of_channels_are_copied_before_what_passes_in_stripes():
    """So that it passes in stripes as before, in as little memory but for the numbers."""
    net = between(CHANNELS)
    graph = graph_of(net)
    assert verify(graph) == ()
    assert [op.kind.value for op in graph.ops] == [
        *("copy", "copy", "conv2d", "mul", "add", "conv2d"),
    ]
    target = resolve("ethos-u55-128").with_limit(14 << 10)
    scheduled, compiled = scheduled_and_compiled(net, target, Options())
    (cascade,) = (each for part in scheduled.schedule.islands for each in part.cascades)
    assert set(range(2, 6)) <= set(cascade.ops)
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


@pytest.mark.parametrize("net", [between(COLUMNS), small()], ids=["columns", "few reads"])
def test_others_stay_where_they_are(net):
    assert copies(graph_of(net)) == []


def test_without_the_freedom_none_is_copied():
    assert copies(graph_of(slopes(), near=False)) == []
