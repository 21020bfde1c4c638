"""How cells are dealt out: those that share work stay together, in batches of some seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from core.base.frozen import Changing
from core.sweep.work import Ask

_FIRST_CELLS = 2
_MOST_CELLS = 512
_WORTH_HALVING = 4
"""Cells that are left to a worker while another, with nothing to do, takes half of them."""


class Lane(Changing):
    """Cells of one lowered network that are still to be computed."""

    model: str
    asks: deque[Ask]
    cell_s: float = 0.0
    """What one has taken, where that is known."""

    def batch(self, seconds: float) -> tuple[Ask, ...]:
        """The next cells, for about so long."""
        wanted = int(seconds / self.cell_s) if self.cell_s else _FIRST_CELLS
        count = min(max(wanted, 1), _MOST_CELLS, len(self.asks))
        return tuple(self.asks.popleft() for _ in range(count))

    def learn(self, seconds: Sequence[float]) -> None:
        """Say how long some cells took, one after the other; what was done before the first of
        several of them, on a worker that did not have the network, is not a cell's."""
        own = seconds[1:] or seconds
        mean = sum(own) / len(own)
        self.cell_s = (self.cell_s + mean) / 2 if self.cell_s else mean

    def halved(self) -> Lane | None:
        """The later half for somebody else, where it is worth that they lower the network too."""
        if len(self.asks) < _WORTH_HALVING:
            return None
        rest = deque(self.asks.pop() for _ in range(len(self.asks) // 2))
        rest.reverse()
        return Lane(self.model, rest, self.cell_s)


def lanes(model: str, asks: Iterable[Ask]) -> Iterator[Lane]:
    """The lanes of a model."""
    together: dict[str, deque[Ask]] = {}
    for ask in asks:
        together.setdefault(ask.shared, deque()).append(ask)
    return (Lane(model, shared) for shared in together.values())
