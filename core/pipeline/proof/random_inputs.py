"""Inputs for a network, made from a seed: of several kinds, since none shows every fault."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError
from core.base.frozen import NamedTuple
from core.base.ids import TensorId
from core.ir.network import Network, Operator, Subgraph, Tensor
from core.pipeline.proof.litert import Array

PLAIN_INTEGERS = (-(1 << 14), (1 << 14) - 1)
"""For wide integers without a scale: what is added or multiplied stays within 32 bits."""
_PLAIN_REALS = (-1.0, 1.0)
_WIDE_BITS = 32
_SAME_VALUES = frozenset({"CAST", "EXPAND_DIMS", "RESHAPE", "SQUEEZE", "TRANSPOSE"})
"""Kinds whose output holds the values of their first input."""

_SIDES = (1, 2, 3, 4, 6, 8, 16)
"""Of patches, in elements."""
LEAST_INPUTS, MOST_INPUTS = 4, 96
_MOST_WORK = 32_000_000
"""For all inputs together, as far as no fewer than the least are tried."""
_PRODUCTS_PER_ELEMENT = 64
"""That take as long as one more element of output."""
_PRODUCTS = frozenset({"CONV_2D", "FULLY_CONNECTED"})
_ELEMENTS_PER_PRODUCT = 6_000
"""That take as long as one row by a computed matrix, which becomes two or three commands."""
_ELEMENTS_PER_STEP = 75_000
"""That take as long as one step of an LSTM, which becomes dozens of small commands."""

Shares = npt.NDArray[np.float64]
"""For each element a place between the least value that an input can have (0) and the most (1)."""


def usual_count(network: Network) -> int:
    """How many inputs are tried where nobody says it: many of a small network."""
    work = sum(_work(network.main, op) for op in network.main.operators)
    return min(max(_MOST_WORK // max(work, 1), LEAST_INPUTS), MOST_INPUTS)


def _work(graph: Subgraph, op: Operator) -> int:
    elements = sum(graph.tensors[out].elements for out in op.outputs)
    if op.kind == "UNIDIRECTIONAL_SEQUENCE_LSTM":
        steps = elements // max(graph.tensors[op.outputs[0]].shape[-1], 1)
        return steps * _ELEMENTS_PER_STEP
    if op.kind == "BATCH_MATMUL" and graph.tensors[op.inputs[-1] or 0].data is None:
        made = graph.tensors[op.outputs[0]].shape
        return elements // max(*made[-2:], 1) * _ELEMENTS_PER_PRODUCT
    if op.kind not in _PRODUCTS or len(op.inputs) < 2 or op.inputs[1] is None:
        return elements
    weights = graph.tensors[op.inputs[1]]
    return elements + elements * weights.elements // (weights.shape[0] * _PRODUCTS_PER_ELEMENT)


def random_inputs(network: Network, seed: int, number: int) -> dict[TensorId, Array]:
    """The `number`-th inputs of a seed, for the main subgraph."""
    main, draw = _Main.of(network.main), drawn(seed, number)
    return {tensor: _values(main, tensor, draw) for tensor in dict.fromkeys(main.graph.inputs)}


def drawn(seed: int, number: int) -> Callable[[tuple[int, ...]], Shares]:
    """What makes the `number`-th inputs of a seed, one after the other."""
    generator, more = np.random.default_rng([seed, number]), number - len(_KINDS)
    draw = _KINDS[number] if more < 0 else _VARIED[more % len(_VARIED)]
    return lambda shape: draw(shape, generator)


def as_integers(shares: Shares, least: int, most: int) -> npt.NDArray[np.int64]:
    """Places as whole numbers: as many values as there are, each as likely as any other."""
    steps = np.floor(shares * float(most - least + 1)).astype(np.int64)
    return np.minimum(steps + least, most)


def _uniform(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    return generator.random(shape)


def _smooth(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    """Like an image: neighbours are alike along each axis but the last, which has the channels."""
    waves, middle = np.zeros(shape), generator.uniform(0.2, 0.8)
    for axis, size in enumerate(shape):
        turns, start = generator.uniform(0.2, 3.0), generator.random()
        steps = generator.random(size) if axis == len(shape) - 1 else np.arange(size) / size
        wave = np.sin(2 * math.pi * (turns * steps + start))
        waves = waves + wave.reshape([-1 if at == axis else 1 for at in range(len(shape))])
    grain = 0.02 * generator.standard_normal(shape)
    share: Shares = np.clip(middle + waves / (2 * max(len(shape), 1)) + grain, 0.0, 1.0)
    return share


def _extreme(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    """Either end in each element."""
    return generator.integers(0, 2, shape).astype(np.float64)


def _odds(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    """Either end, in each channel with odds of its own."""
    return (generator.random(shape) < generator.random(shape[-1:])).astype(np.float64)


def _patches(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    """The same, alike for neighbours: what lasts in networks that pool."""
    sides = [
        1 if axis in {0, len(shape) - 1} else int(generator.choice(_SIDES))
        for axis in range(len(shape))
    ]
    whole = _odds(
        tuple(-(-size // side) for size, side in zip(shape, sides, strict=True)), generator
    )
    for axis, side in enumerate(sides):
        whole = np.repeat(whole, side, axis)
    return whole[tuple(slice(size) for size in shape)]


def _grainy(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    """Patches under noise."""
    noise = 0.3 * generator.standard_normal(shape)
    share: Shares = np.clip(_patches(shape, generator) + noise, 0.0, 1.0)
    return share


def _sparse(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    """One value nearly everywhere, as behind activations."""
    background = generator.random()
    share: Shares = np.where(generator.random(shape) < 0.1, generator.random(shape), background)
    return share


def _all_least(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    del generator
    return np.zeros(shape)


def _all_most(shape: tuple[int, ...], generator: np.random.Generator) -> Shares:
    del generator
    return np.ones(shape)


_KINDS: tuple[Callable[[tuple[int, ...], np.random.Generator], Shares], ...] = (
    _uniform,
    _extreme,
    _smooth,
    _sparse,
    _all_least,
    _all_most,
)
"""Of the first inputs, which have to do for large networks."""
_VARIED = (_patches, _odds, _grainy, _uniform)
"""Of further ones, as often as they are asked for: of all that were tried, these show most of the
faults of one weight by one step that any kind shows (`python -m tests.fuzz flips`)."""


class _Main(NamedTuple):
    """A subgraph, and by tensor the operators that read it."""

    graph: Subgraph
    readers: dict[TensorId, list[Operator]]

    @classmethod
    def of(cls, graph: Subgraph) -> _Main:
        readers: dict[TensorId, list[Operator]] = {}
        for op in graph.operators:
            for number in dict.fromkeys(op.inputs):
                if number is not None:
                    readers.setdefault(number, []).append(op)
        return cls(graph, readers)


def _values(main: _Main, number: TensorId, draw: Callable[[tuple[int, ...]], Shares]) -> Array:
    tensor = main.graph.tensors[number]
    numpy_type = tensor.dtype.numpy
    kind = np.dtype(numpy_type).kind if numpy_type is not None else ""
    if kind == "b":
        return draw(tensor.shape) >= 0.5
    if kind == "f":
        low, high = _real_range(main, number)
        return (low + (high - low) * draw(tensor.shape)).astype(np.dtype(numpy_type))
    if kind in {"i", "u"}:
        least, most = _integer_range(main, number)
        return as_integers(draw(tensor.shape), least, most).astype(np.dtype(numpy_type))
    raise InputError(f"no values can be made for its type {tensor.dtype.name}", tensor.name)


def _integer_range(main: _Main, number: TensorId) -> tuple[int, int]:
    """The full range, or the places that exist where values are places."""
    places = _places(main, number)
    if places is not None:
        return 0, max(places - 1, 0)
    tensor = main.graph.tensors[number]
    least, most = tensor.dtype.limits
    if tensor.dtype.bits >= _WIDE_BITS and not _scales(tensor):
        return max(least, PLAIN_INTEGERS[0]), PLAIN_INTEGERS[1]
    return least, most


def _places(main: _Main, number: TensorId) -> int | None:
    """How many places a tensor may choose from; None where its values are not places."""
    found: list[int] = []
    for op in main.readers.get(number, ()):
        position = op.inputs.index(number)
        limit = _limit_of(main.graph, op, position)
        if limit is not None:
            found.append(limit)
        elif op.kind in _SAME_VALUES and position == 0:
            found += [limit for out in op.outputs if (limit := _places(main, out)) is not None]
    return min(found, default=None)


def _limit_of(graph: Subgraph, op: Operator, position: int) -> int | None:
    """How many places an operand of an operator may choose from."""
    match op.kind, position:
        case ("EMBEDDING_LOOKUP", 0) if op.inputs[1] is not None:
            return graph.tensors[op.inputs[1]].shape[0]
        case ("GATHER", 1) if op.inputs[0] is not None:
            axis = op.own_options.integer("axis")
            return graph.tensors[op.inputs[0]].shape[axis]
        case ("GATHER_ND", 1) if op.inputs[0] is not None and op.inputs[1] is not None:
            depth = graph.tensors[op.inputs[1]].shape[-1]
            return min(graph.tensors[op.inputs[0]].shape[:depth], default=1)
        case ("ONE_HOT", 0) | ("SCATTER_ND", 0):
            return min(graph.tensors[op.outputs[0]].shape, default=1)
        case _:
            return None


def _real_range(main: _Main, number: TensorId) -> tuple[float, float]:
    """What the quantisation behind an input can represent."""
    behind = (
        main.graph.tensors[op.outputs[0]]
        for op in main.readers.get(number, ())
        if op.kind == "QUANTIZE" and op.inputs[0] == number
    )
    for tensor in (*behind, main.graph.tensors[number]):
        given = tensor.quantization
        if given is not None and given.scales and tensor.dtype.is_integer:
            zero = given.zero_points[0] if given.zero_points else 0
            least, most = (given.scales[0] * (edge - zero) for edge in tensor.dtype.limits)
            return least, most
        if given is not None and given.minimum and given.maximum:
            return given.minimum[0], given.maximum[0]
    return _PLAIN_REALS


def _scales(tensor: Tensor) -> tuple[float, ...]:
    return tensor.quantization.scales if tensor.quantization is not None else ()
