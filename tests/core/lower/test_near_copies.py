"""What would move in short pieces is copied to or from fast storage, and the numbers stay."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.frozen import replace
from core.check.npugraph import verify
from core.ir.freedoms import ALL
from core.ir.network import Network
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import LoweringOptions, Options
from core.ir.scheduled import Run
from core.lower import run as lower
from core.pipeline.scheduled import Workbench
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

U65 = "ethos-u65-256"
APART = Options(separate_io_regions=True)


def graph_of(net: Network, on: str = "ethos-u55-256", *, near: bool = True) -> NpuGraph:
    options = LoweringOptions(freedoms=replace(ALL, near_constants=near))
    return lower.run(net, accelerator_named(on), options)


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


def classified(classes: int, rows: int = 1) -> Network:
    """A softmax of as many classes behind an input of 512 bytes."""
    b = Builder(38)
    x = b.fully_connected(b.input((rows, 512 // rows)), classes)
    return b.build((b.softmax(x),), "classified")


@pytest.mark.parametrize("accelerator", ["ethos-u55-128", U65])
def test_numbers_of_a_small_softmax_are_copied_at_once(accelerator):
    """Each would wait for the memory where constants are, behind an operator of fewer cycles."""
    net, target = classified(10), resolve(accelerator)
    graph = graph_of(net, accelerator)
    assert verify(graph) == ()
    (copy,) = (graph.ops[number] for number in copies(graph))
    readers = [op for op in graph.ops if op.ifm2 is not None and op.ifm2.fm == copy.ofm.fm]
    assert len(readers) > 10
    assert copy.id == readers[0].id - 1
    apart = {op.ifm2.start.w for op in readers if op.ifm2 is not None}
    assert apart == set(range(copy.ofm.shape.w))
    scheduled, compiled = scheduled_and_compiled(net, target, Options())
    assert largest_differences(net, compiled.data, range(3)) == ({}, [])
    far = graph_of(net, accelerator, near=False)
    run = Run(network=net, accelerator=target.accelerator, graph=far)
    without = Workbench(run).schedule(target, Options())
    assert scheduled.total.total_cycles < without.total.total_cycles
    # An input in DRAM is no part of what is used of fast storage.
    assert accelerator == U65 or scheduled.fast_bytes == without.fast_bytes


@pytest.mark.parametrize("net", [classified(100), classified(10, rows=32)])
def test_where_maps_are_large_numbers_take_no_memory_beside_them(net):
    """What runs there may take most memory; only a number that is read often is copied."""
    graph = graph_of(net)
    assert {graph.ops[number].ofm.shape.elements for number in copies(graph)} == {1}


def head(channels: int) -> Network:
    """Maps of a detector for its CPU, of which a convolution reads the first as well."""
    b = Builder(36)
    x = b.conv(b.input((1, 24, 24, 8)), channels, window(3))
    return b.build((x, b.conv(x, channels)), "head")


def test_what_the_cpu_reads_in_rows_of_many_channels_is_copied_out():
    graph = graph_of(head(20), U65)
    assert verify(graph) == ()
    assert [op.kind.value for op in graph.ops] == ["conv2d", "copy", "conv2d", "copy"]
    first, out, second, _ = graph.ops
    assert (out.ifm.fm, out.sources) == (first.ofm.fm, first.sources)
    assert second.ifm.fm == out.ofm.fm
    assert [op.ofm.fm for op in graph.ops if op.kind is OpKind.COPY] == [*graph.outputs[0]]


def test_where_one_port_writes_there_is_no_copy():
    assert copies(graph_of(head(20))) == []


@pytest.mark.parametrize("accelerator", ["ethos-u55-128", U65])
def test_within_one_memory_nothing_moves_for_it(accelerator):
    net, target = head(20), resolve(accelerator, memory_mode="Sram_Only")
    scheduled, compiled = scheduled_and_compiled(net, target, Options())
    without, _ = scheduled_and_compiled(net, target, APART)
    assert scheduled.total.total_cycles <= without.total.total_cycles
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


@pytest.mark.parametrize("kib", [4, 16, 384])
def test_a_far_memory_gets_it_in_one_piece(kib):
    """Where it has room near, and as fast as without the copy where it has none."""
    net = head(20)
    target = resolve(U65).with_limit(kib << 10)
    scheduled, compiled = scheduled_and_compiled(net, target, Options())
    without, _ = scheduled_and_compiled(net, target, APART)
    assert scheduled.total.total_cycles <= without.total.total_cycles * (0.95 if kib > 16 else 1.0)
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


def classes() -> Network:
    """Maps of two sizes that a detector joins to one list of 91 classes for each box."""
    b = Builder(37)
    fine = b.conv(b.input((1, 24, 24, 8)), 16, window(3))
    coarse = b.conv(fine, 24, window(3, 2))
    parts = [b.reshape(b.conv(fine, 91), (1, 576, 91)), b.reshape(b.conv(coarse, 91), (1, 144, 91))]
    return b.build((b.concat(parts, 1),), "classes")


def test_what_several_operators_make_is_copied_out_behind_the_last_one():
    graph = graph_of(classes(), U65)
    assert verify(graph) == ()
    *_, last, out = graph.ops
    makers = [op for op in graph.ops if op.ofm.fm == out.ifm.fm]
    assert (copies(graph), makers[-1], len(makers)) == ([out.id], last, 2)
    target = resolve(U65)
    scheduled, compiled = scheduled_and_compiled(classes(), target, Options())
    without, _ = scheduled_and_compiled(classes(), target, APART)
    assert scheduled.total.total_cycles < 0.5 * without.total.total_cycles
    assert largest_differences(classes(), compiled.data, range(2)) == ({}, [])


@pytest.mark.parametrize("channels", [4, 16])
def test_rows_of_one_brick_are_written_where_they_are_read(channels):
    assert copies(graph_of(head(channels), U65)) == []


def test_maps_in_buffers_of_the_application_are_made_there():
    """What is made beside them would take room in the arena."""
    assert copies(lower.run(head(20), accelerator_named(U65), APART.lowering)) == []
