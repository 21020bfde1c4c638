"""What the original makes of inputs, computed while the compiled model runs on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from core.base.frozen import Changing, NamedTuple
from core.ir.network import Network
from core.pipeline.proof import litert
from core.pipeline.proof.litert import Values
from core.pipeline.proof.reference import Reference


class Expected(NamedTuple):
    """One input, and what the original will have made of it, or how LiteRT ended itself on it."""

    given: Values
    made: Future[Values | litert.Ended]


def expected(original: Network, inputs: Sequence[Values]) -> Generator[Expected]:
    """One input after the other; no more than the next one is computed ahead."""
    restarted, begun = _Restarted(original), deque[Expected]()
    with ThreadPoolExecutor(1) as pool:
        try:
            for given in inputs:
                begun.append(Expected(given, pool.submit(restarted.run, given)))
                if len(begun) > 1:
                    yield begun[0]
                    begun.popleft()
            yield from begun
            begun.clear()
        finally:
            for one in reversed(begun):
                if not one.made.cancel() and not one.made.done():
                    litert.end_ahead()


class _Restarted(Changing):
    """A reference that begins anew after LiteRT has ended itself."""

    original: Network
    _reference: Reference | None = None

    def run(self, given: Values) -> Values | litert.Ended:
        """What it makes of inputs."""
        reference = self._reference or Reference(self.original, is_ahead=True)
        try:
            made = reference.run(given)
        except litert.Ended as error:
            self._reference = None
            return error
        self._reference = reference
        return made
