"""Ways to go on from a strategy set: an operator alone, a cascade begun, continued, or graduated.

A cascade graduates when its last operator makes its whole output; only then is its memory a part
of what the set needs.
"""

from __future__ import annotations

import numpy as np

from core.schedule.pareto.sets import Batch, Sets
from core.schedule.pareto.strategies import NodeStrategies, Strategies
from core.schedule.spans import Spans
from core.target.format import ALIGNMENT_BYTES


def alone(before: Sets, node: int, own: NodeStrategies, spans: Spans) -> Batch:
    """The operator by itself, behind sets without an open cascade."""
    taken = spans.alone[node] + own.alone.buffer_bytes[None, :]
    return Batch(
        before=before,
        strategies=own.alone,
        node=node,
        reads_rolling=False,
        costs=before.costs[:, None] + own.alone.costs[None, :],
        settled=np.maximum(before.settled[:, None], taken),
        open=np.zeros((before.count, own.alone.count)),
        heights=np.zeros((before.count, own.alone.count)),
    )


def begun(before: Sets, node: int, own: NodeStrategies, spans: Spans) -> Batch:
    """The operator as the first of a cascade: its output will not exist whole."""
    taken = spans.live[node] - spans.made[node] + own.first.buffer_bytes
    shape = (before.count, own.first.count)
    return Batch(
        before=before,
        strategies=own.first,
        node=node,
        reads_rolling=False,
        costs=before.costs[:, None] + own.first.costs[None, :],
        settled=np.broadcast_to(before.settled[:, None], shape),
        open=np.broadcast_to(taken[None, :], shape),
        heights=np.broadcast_to(own.first.heights[None, :], shape),
    )


def continued(before: Sets, node: int, own: NodeStrategies, spans: Spans) -> Batch:
    """The operator as one more of an open cascade that stays open."""
    shape = (before.count, own.middle.count)
    taken = _with_rolling_buffer(before, node, own.middle, spans) - spans.made[node]
    return Batch(
        before=before,
        strategies=own.middle,
        node=node,
        reads_rolling=True,
        costs=before.costs[:, None] + own.middle.costs[None, :],
        settled=np.broadcast_to(before.settled[:, None], shape),
        open=taken,
        heights=np.broadcast_to(own.middle.heights[None, :], shape),
    )


def graduated(before: Sets, node: int, own: NodeStrategies, spans: Spans) -> Batch:
    """The operator as the last of an open cascade."""
    taken = _with_rolling_buffer(before, node, own.last, spans)
    return Batch(
        before=before,
        strategies=own.last,
        node=node,
        reads_rolling=True,
        costs=before.costs[:, None] + own.last.costs[None, :],
        settled=np.maximum(before.settled[:, None], taken),
        open=np.zeros_like(taken),
        heights=np.zeros_like(taken),
    )


def _with_rolling_buffer(
    before: Sets, node: int, own: Strategies, spans: Spans
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Bytes of the cascade with the operator, whose buffer holds what both neighbours work on."""
    rows = before.heights[:, None] + own.reads[None, :] - 1
    rolling = np.ceil(rows * spans.row_bytes[node - 1] / ALIGNMENT_BYTES) * ALIGNMENT_BYTES
    added = spans.opened[node] + own.buffer_bytes[None, :]
    taken: np.ndarray[tuple[int, int], np.dtype[np.float64]] = (
        before.open[:, None] + rolling + added
    )
    return taken
