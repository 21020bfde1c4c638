"""Synthetic networks of any size for benchmarks: chains of convolutions, trees, ways beside each
other, residuals, and skips over everything between."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.base.dtype import DType
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import Network, Operator, Quantization, Subgraph, Table, Tensor

DEPTH = 8
SIDE = 16
_SCALE = Quantization(scales=(0.1,), zero_points=(0,))
_BRANCH = 7
"""Convolutions between two forks of a tree."""


@dataclass(slots=True)
class _Pictures:
    """Tensors and operators so far; all maps have one shape."""

    side: int
    depth: int
    tensors: list[Tensor] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    def picture(self, name: str) -> TensorId:
        """A feature map."""
        shape = (1, self.side, self.side, self.depth)
        return self._add(Tensor(name=name, shape=shape, dtype=DType.INT8, quantization=_SCALE))

    def conv(self, given: TensorId) -> TensorId:
        """A convolution of 3x3 with weights of its own."""
        number = len(self.operators)
        taps = self.random.integers(-9, 9, (self.depth, 3, 3, self.depth), dtype=np.int8)
        weights = self._add(
            Tensor(
                name=f"weights{number}",
                shape=taps.shape,
                dtype=DType.INT8,
                quantization=_SCALE,
                data=ConstData.of(taps),
            )
        )
        fields = (("stride_w", 1), ("stride_h", 1))
        options = Table(kind="Conv2DOptions", fields=fields)
        return self._apply("CONV_2D", (given, weights), options)

    def add(self, one: TensorId, other: TensorId) -> TensorId:
        """The sum of two maps."""
        return self._apply("ADD", (one, other), Table(kind="AddOptions", fields=()))

    def network(self, name: str, given: TensorId, made: TensorId) -> Network:
        """The network of all operators so far."""
        graph = Subgraph(
            name=name,
            tensors=tuple(self.tensors),
            operators=tuple(self.operators),
            inputs=(given,),
            outputs=(made,),
        )
        return Network(subgraphs=(graph,))

    def _apply(self, kind: str, inputs: tuple[TensorId, ...], options: Table) -> TensorId:
        made = self.picture(f"map{len(self.operators)}")
        self.operators.append(Operator(kind=kind, inputs=inputs, outputs=(made,), options=options))
        return made

    def _add(self, tensor: Tensor) -> TensorId:
        self.tensors.append(tensor)
        return TensorId(len(self.tensors) - 1)


def chain(length: int, side: int = SIDE, depth: int = DEPTH) -> Network:
    """Convolutions of 3x3, one after the other."""
    b = _Pictures(side, depth)
    given = made = b.picture("input")
    for _ in range(length):
        made = b.conv(made)
    return b.network("chain", given, made)


def tree(length: int, side: int = SIDE, depth: int = DEPTH) -> Network:
    """So many operators: branches of convolutions from one map, summed up pair by pair.

    Operators run depth first, so that one sum for each level of the tree waits for its partner.
    """
    b = _Pictures(side, depth)
    given = b.picture("input")
    waiting: list[tuple[int, TensorId]] = []
    while len(b.operators) + len(waiting) < length:
        level, made = 0, given
        for _ in range(_BRANCH):
            made = b.conv(made)
        while waiting and waiting[-1][0] == level:
            _, other = waiting.pop()
            level, made = level + 1, b.add(other, made)
        waiting.append((level, made))
    _, made = waiting.pop()
    while waiting:
        made = b.add(waiting.pop()[1], made)
    return b.network("tree", given, made)


def parallel(length: int, side: int = SIDE, depth: int = DEPTH) -> Network:
    """Branches of two convolutions, all from one map, summed up one after the other."""
    b = _Pictures(side, depth)
    given = b.picture("input")
    source = b.conv(given)
    made = b.conv(b.conv(source))
    while len(b.operators) < length:
        made = b.add(made, b.conv(b.conv(source)))
    return b.network("parallel", given, made)


def residual(length: int, side: int = SIDE, depth: int = DEPTH) -> Network:
    """Two convolutions and a way around them, again and again."""
    b = _Pictures(side, depth)
    given = b.picture("input")
    made = b.conv(given)
    while len(b.operators) < length:
        made = b.add(made, b.conv(b.conv(made)))
    return b.network("residual", given, made)


def skips(length: int, side: int = SIDE, depth: int = DEPTH) -> Network:
    """Convolutions whose maps are all read again, the last one first."""
    b = _Pictures(side, depth)
    given = b.picture("input")
    made = b.conv(given)
    waiting: list[TensorId] = []
    while len(b.operators) + 2 * len(waiting) < length:
        waiting.append(made)
        made = b.conv(made)
    for other in reversed(waiting):
        made = b.add(b.conv(made), other)
    return b.network("skips", given, made)
