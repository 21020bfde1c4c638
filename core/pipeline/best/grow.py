"""Lets a front grow: asks one question after the other, and keeps what no other schedule beats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from core.base.frozen import replace
from core.ir.front import Ask, Front, Point, Tried
from core.pipeline.best.plan import next_ask

Answerer = Callable[[Ask, Front], Iterable[Point]]
"""Schedules for a question; the first is for its limit itself. A front says what is of no use."""


def steps(
    front: Front, answers: Answerer, *, is_spilling: bool, windowed_ops: int
) -> Iterator[Front]:
    """The front after each further step, until there is nothing left that promises anything."""
    while not front.is_done:
        ask = next_ask(front, is_spilling=is_spilling, windowed_ops=windowed_ops)
        front = replace(front, is_done=True) if ask is None else asked(front, ask, answers)
        yield front


def asked(front: Front, ask: Ask, answers: Answerer) -> Front:
    """The front with all that one question finds."""
    found = list(answers(ask, front))
    grown = front.with_points(found)
    first, last = grown.points[0].fast_bytes, grown.points[-1].fast_bytes
    low = max(first, 1)
    gain = 0.0
    if front.points:
        gain = front.mean_log_cycles(low, last) - grown.mean_log_cycles(low, last)
    tried = Tried(
        ask=ask, fast_bytes=found[0].fast_bytes, cycles=found[0].cycles, gain=max(gain, 0.0)
    )
    return replace(grown, tried=(*front.tried, tried))
