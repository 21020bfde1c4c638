"""The rows of a ring between two operators of a chain."""

from __future__ import annotations

from core.base.frozen import Changing, field
from core.liveness.stripes import players_of, ring_rows
from core.schedule.problem import Node


class ExactRows(Changing):
    """No more rows than are needed; each pair is played once."""

    _known: dict[tuple[int, int, int, int], int] = field(default_factory=dict)

    def __call__(self, maker: Node, made: int, reader: Node, read: int) -> int:
        """Rows between two nodes that make so many at once."""
        key = maker.op.id, made, reader.op.id, read
        known = self._known.get(key)
        if known is None:
            fm = maker.ofm.fm
            players = players_of((maker.op, reader.op), (made, read), {fm})
            known = self._known[key] = ring_rows(players)[fm]
        return known
