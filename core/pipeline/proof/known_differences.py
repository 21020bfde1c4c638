"""Where the hardware is known to compute otherwise than the reference kernels, and how exactly.

A difference is here because streams were seen to have it, and why is known: what the hardware makes
of an operator's inputs is computed beside the reference, and a stream has to have exactly that.
Kinds that could be suspected but were equal wherever they were tried are not here: softmax, average
pool, mean, the curves as operators of their own, resizing, and element-wise arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.frozen import NamedTuple
from core.base.ids import TensorId
from core.emit.conventions import PROGRAM
from core.ir.network import Operator, Subgraph
from core.pipeline.proof.hardware_fully_connected import (
    Scaling,
    fully_connected,
    is_narrow,
    is_wide,
)
from core.pipeline.proof.hardware_lstm import lstm
from core.pipeline.proof.hardware_sum import is_quantised, summed

Values = Mapping[TensorId, npt.NDArray[Any]]
Rule = Callable[[Subgraph, Operator, Values], Mapping[TensorId, np.ndarray]]


class KnownDifference(NamedTuple):
    """What an operator of a kind computes on the hardware, why, and how this is known."""

    kind: str
    reason: str
    source: str
    is_meant: Callable[[Subgraph, Operator], bool]
    """Whether it concerns an operator of the kind."""
    compute: Rule
    """What the hardware makes of an operator's inputs: outputs, and states that are left."""
    is_ours: bool = True
    """Whether our own files have it, and not only those of other compilers."""

    def __str__(self) -> str:
        """What a user has to know of it."""
        return f"{self.kind}: {self.reason}"


def _scaled(scaling: Scaling) -> Rule:
    return lambda graph, op, given: {op.outputs[0]: fully_connected(graph, op, given, scaling)}


_WIDE = KnownDifference(
    "FULLY_CONNECTED",
    "the hardware scales sums of 16-bit inputs by 16 bits of the multiplier, LiteRT by 32",
    "random networks with 16 bits, by the ecosystem's compiler and by ours",
    is_wide,
    _scaled(Scaling.REDUCED),
)
_KNOWN = (
    # Of two that are meant the first counts.
    _WIDE._replace(compute=_scaled(Scaling.REDUCED_BY_OTHERS), is_ours=False),
    _WIDE,
    KnownDifference(
        "FULLY_CONNECTED",
        "streams of other compilers round sums of 32 bits twice, LiteRT once",
        "ad01_int8 and random networks by the ecosystem's compiler",
        is_narrow,
        _scaled(Scaling.TWICE),
        is_ours=False,
    ),
    KnownDifference(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        "gates go through the hardware's curves, which interpolate between points; LiteRT's LSTM"
        " computes them in fixed point",
        "random networks, by the ecosystem's compiler and by ours",
        lambda *_: True,
        lstm,
    ),
    KnownDifference(
        "SUM",
        "LiteRT's reference kernel returns what its memory held before; the hardware's sums are"
        " exact, and scaled once",
        "sums of 8 and 16 bits by LiteRT 2.3, whose other kernel comes within one of them",
        is_quantised,
        summed,
    ),
)


def known_difference(graph: Subgraph, op: Operator, compiler: str) -> KnownDifference | None:
    """What is known of an operator in a file of a compiler."""
    is_ours = compiler.startswith(PROGRAM)
    for item in _KNOWN:
        if item.kind == op.kind and (item.is_ours or not is_ours) and item.is_meant(graph, op):
            return item
    return None
