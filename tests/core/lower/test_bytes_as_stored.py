"""Products read bytes with or without a sign; what only gives them one is left out."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.check.npugraph import verify
from core.ir.freedoms import ALL
from core.ir.network import Network, Operator, Table
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import LoweringOptions, Options
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled


def graph_of(net: Network, *, is_free: bool = True) -> NpuGraph:
    freedoms = replace(ALL, folded_shapes=False, fewer_operators=is_free)
    accelerator = accelerator_named("ethos-u55-128")
    return lower.run(net, accelerator, LoweringOptions(freedoms=freedoms))


def given_without_sign(net: Network, *, moved: int = 128, scale: float = 1.0) -> Network:
    """The network with bytes without a sign as its input, which a QUANTIZE gives one."""
    graph = net.main
    (signed,) = graph.inputs
    tensor, stored = graph.tensors[signed], TensorId(len(graph.tensors))
    old_scale, zero = tensor.one_scale
    quantization = replace(
        tensor.quantization, scales=(old_scale * scale,), zero_points=(zero + moved,)
    )
    unsigned = replace(tensor, name="stored", dtype=DType.UINT8, quantization=quantization)
    options = Table(kind="QuantizeOptions")
    step = Operator(kind="QUANTIZE", inputs=(stored,), outputs=(signed,), options=options)
    main = replace(
        graph,
        tensors=(*graph.tensors, unsigned),
        operators=(step, *graph.operators),
        inputs=(stored,),
    )
    return replace(net, subgraphs=(main,), signatures=())


def picture(b: Builder) -> Value:
    return b.input((1, 12, 12, 3))


def filtered() -> Network:
    b = Builder(3)
    return b.build([b.conv(b.conv(picture(b), 8, window(3, 2)), 4)], "filtered")


def by_channel() -> Network:
    b = Builder(4)
    return b.build([b.depthwise(picture(b), window(3))], "by_channel")


def twice() -> Network:
    b = Builder(5)
    x = picture(b)
    return b.build([b.conv(x, 8, window(3)), b.fully_connected(b.reshape(x, (1, 432)), 6)], "twice")


def added() -> Network:
    """A sum reads it as well."""
    b = Builder(6)
    x = picture(b)
    return b.build([b.conv(x, 3, window(3)), b.add(x, x)], "added")


def requantisations(graph: NpuGraph) -> int:
    return [op.kind for op in graph.ops].count(OpKind.AVERAGE_POOL)


@pytest.mark.parametrize("make", [filtered, by_channel, twice])
def test_products_read_bytes_without_a_sign(make):
    net = given_without_sign(make())
    graph, as_in_file = graph_of(net), graph_of(net, is_free=False)
    assert verify(graph) == ()
    assert (requantisations(graph), requantisations(as_in_file)) == (0, 1)
    for accelerator in ("ethos-u55-128", "ethos-u65-512"):
        _, compiled = scheduled_and_compiled(net, resolve(accelerator), Options())
        assert largest_differences(net, compiled.data, range(2)) == ({}, [])


KEPT = {
    "something else reads them": given_without_sign(added()),
    "they are numbers of another scale": given_without_sign(filtered(), scale=1.5),
    "they are other numbers": given_without_sign(filtered(), moved=100),
}


@pytest.mark.parametrize("why", KEPT)
def test_bytes_get_their_sign_where(why):
    assert requantisations(graph_of(KEPT[why])) == 1
