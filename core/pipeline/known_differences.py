"""Where the hardware is known to round otherwise than the reference kernels, kind by kind.

A kind is here because streams were seen to differ, and why is known. Kinds that could be suspected
but were equal wherever they were tried are not: softmax, average pool, mean, the curves as
operators of their own, resizing, and element-wise arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class KnownDifference(NamedTuple):
    """Why an operator of a kind may be off by one step, and how this is known."""

    kind: str
    reason: str
    source: str

    def __str__(self) -> str:
        """What a user has to know of it."""
        return f"{self.kind}: {self.reason}"


_KNOWN = (
    KnownDifference(
        "FULLY_CONNECTED",
        "the hardware scales sums of 16-bit inputs by 16 bits of the multiplier, LiteRT by 32;"
        " and streams of other compilers round sums of 8-bit inputs twice, LiteRT once",
        "both ways of rounding computed beside the reference kernel: that of the hardware differs"
        " where streams do, element by element (ad01_int8 by the ecosystem's compiler; random"
        " networks with 16 bits, by that compiler and by ours)",
    ),
    KnownDifference(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        "gates go through the hardware's curves, which interpolate between points; LiteRT's LSTM"
        " computes them in fixed point",
        "random networks: the streams of the ecosystem's compiler and of ours are equal to each"
        " other and off by one in the same elements",
    ),
)
_BY_KIND = {item.kind: item for item in _KNOWN}


def known_of(kinds: Iterable[str]) -> tuple[KnownDifference, ...]:
    """What is known of operators of these kinds."""
    present = set(kinds)
    return tuple(item for item in _KNOWN if item.kind in present)


def is_known(kind: str) -> bool:
    """Whether an operator of this kind may be off by one."""
    return kind in _BY_KIND
