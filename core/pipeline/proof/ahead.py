"""What the original makes of inputs, computed while the compiled model runs on those before."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from core.ir.network import Network
from core.pipeline.proof import litert
from core.pipeline.proof.litert import Values
from core.pipeline.proof.reference import Reference


class Expected(NamedTuple):
    """One input, and what the original makes of it, or how LiteRT ended itself on it."""

    given: Values
    made: Values | litert.Ended


def expected(original: Network, inputs: Sequence[Values]) -> Generator[Expected]:
    """One input after the other; no more than the next one is computed ahead."""
    one_by_one = _computed(original, inputs)
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, one_by_one, None)
        try:
            while (found := coming.result()) is not None:
                coming = pool.submit(next, one_by_one, None)
                yield found
        finally:
            if not coming.done():
                litert.end_ahead()


def _computed(original: Network, inputs: Sequence[Values]) -> Iterator[Expected]:
    reference: Reference | None = None
    for given in inputs:
        reference = reference or Reference(original, is_ahead=True)
        try:
            made: Values | litert.Ended = reference.run(given)
        except litert.Ended as error:
            made, reference = error, None
        yield Expected(given, made)
