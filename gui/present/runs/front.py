"""The front: schedules beside the one that was taken, compared and adopted; no Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from core.base.frozen import Frozen, NamedTuple
from core.ir.knobs import turned
from core.ir.options import Engine, Search, Strategy
from core.ir.schedule import FrontPoint
from core.ir.settings import Settings
from gui.document.answer import Answer
from gui.document.decisions import FROM_FRONT, is_from_front
from gui.document.display import Display
from gui.document.document import Document
from gui.document.kept import Kept
from gui.present import units
from gui.present.compiled import STAYS, is_compiled
from gui.present.controls import own_limit
from gui.present.rects import Floats
from gui.present.runs.comparison import full_title

OFFER = (
    "There is no front.\n\n"
    "The best search finds many schedules, from the smallest to the fastest, and so does the "
    "Pareto engine, sooner. Here they are drawn, cycles against SRAM, and a click adopts one."
)
NO_CHOICE = "There is no front.\n\nNo operator runs on the NPU: there is nothing to choose from."
COLUMNS = ("Time", "SRAM", "Cascades", "Evicted")
_ROOM = 0.08
_LEAST_ROOM_CYCLES = 16.0
_FAR = 2.0
"""A limit this many times as high as all schedules would press them together."""
_NOTHING = "none"
_SAME = "the same"


class Front(Frozen):
    """The schedules that were found, from the smallest to the fastest."""

    points: tuple[FrontPoint, ...]
    taken: int
    limit_bytes: int | None
    clock_hz: float
    estimate_error: float
    """As a share of cycles."""
    display: Display

    @property
    def is_limit_far(self) -> bool:
        """Whether the limit is too high to be drawn."""
        most = max(point.peak_bytes for point in self.points)
        return self.limit_bytes is not None and self.limit_bytes > _FAR * most

    def size(self, size_bytes: float) -> str:
        """An amount of memory."""
        return units.size(size_bytes, self.display.byte_unit)

    def time(self, cycles: float) -> str:
        """A length of time."""
        return units.time(cycles, self.display.time_unit, self.clock_hz)


class Dot(NamedTuple):
    """A schedule in the drawing."""

    cycles: float
    size_bytes: float
    is_taken: bool
    is_over: bool
    """It needs more than the limit."""


class Stairs(NamedTuple):
    """The least SRAM that was found for each number of cycles."""

    edges: Floats
    values: Floats


class Bounds(NamedTuple):
    """What is drawn: cycles from one to another, and bytes from 0."""

    first_cycle: float
    last_cycle: float
    top_bytes: float


def front_of(answer: Answer, display: Display) -> Front | None:
    """The front of an answer; None where its engine finds none."""
    scheduled = answer.scheduled
    points = scheduled.schedule.front
    taken = next((at for at, point in enumerate(points) if point.is_taken), None)
    if taken is None:
        return None
    return Front(
        points=points,
        taken=taken,
        limit_bytes=own_limit(scheduled.target),
        clock_hz=scheduled.total.clock_hz,
        estimate_error=scheduled.target.accelerator.family.estimate_error,
        display=display,
    )


def reason_for_none(answer: Answer) -> str:
    """Why an answer has no front, or what would be here."""
    if is_compiled(answer):
        return f"There is no front.\n\n{STAYS.capitalize()}."
    return NO_CHOICE if answer.scheduled.options.engine is Engine.PARETO else OFFER


def dots(front: Front) -> tuple[Dot, ...]:
    """Where the schedules are."""
    limit = front.limit_bytes
    return tuple(
        Dot(
            point.cycles,
            float(point.peak_bytes),
            point.is_taken,
            limit is not None and point.peak_bytes > limit,
        )
        for point in front.points
    )


def alike_cycles(front: Front) -> tuple[float, float]:
    """The fewest and the most cycles that the estimate cannot tell from those of the current
    schedule."""
    cycles, least = front.points[front.taken].cycles, 1 - front.estimate_error
    return cycles * least, cycles / least


def is_alike(front: Front, index: int) -> bool:
    """Whether the estimate cannot tell which of a schedule and the current one is faster."""
    fewest, most = alike_cycles(front)
    return fewest <= front.points[index].cycles <= most


def bounds(front: Front) -> Bounds:
    """All schedules with some room around them, and the limit where it is not far."""
    cycles = [point.cycles for point in front.points]
    room = max((max(cycles) - min(cycles)) * _ROOM, _LEAST_ROOM_CYCLES)
    top = max(point.peak_bytes for point in front.points)
    if front.limit_bytes is not None and not front.is_limit_far:
        top = max(top, front.limit_bytes)
    return Bounds(max(min(cycles) - room, 0.0), max(cycles) + room, max(top, 1) * (1 + 2 * _ROOM))


def stairs(front: Front) -> Stairs:
    """Steps down from the fastest to the smallest, which is enough for all slower ones; what was
    taken by another price can be no step."""
    best = list(accumulate((point.cycles for point in front.points), min))
    pairs = zip(front.points, [math.inf, *best], strict=False)
    down = [point for point, before in pairs if point.cycles < before][::-1]
    cycles = [point.cycles for point in down]
    # The last step reaches over the edge of what can be shown.
    drawn = bounds(front)
    end = 2 * drawn.last_cycle - drawn.first_cycle
    return Stairs(
        np.asarray([*cycles, end]),
        np.asarray([float(point.peak_bytes) for point in down]),
    )


def limit_text(front: Front) -> str:
    """What stands at the line of the limit."""
    if front.limit_bytes is None:
        return ""
    text = f"limit {front.size(front.limit_bytes)}"
    return f"{text}, far above" if front.is_limit_far else text


def headline(front: Front, answer: Answer) -> str:
    """How many there are, and why the current one was taken."""
    options = answer.scheduled.options
    most = options.pareto.most_bytes
    found = units.counted(len(front.points), "schedule")
    if len(front.points) == 1:
        found = "One schedule: nothing that was found is smaller or faster"
    if is_adopted(answer.document):
        return f"{found}; you have adopted one, and it is decided as edits"
    if most is None and options.pareto.weights.are_given:
        return f"{found}; the lowest weighted sum is taken"
    if most is None:
        return f"{found}; {options.strategy.value} takes {_choice(front, options.strategy)}"
    return f"{found}; at most {front.size(most)} is asked for"


def _choice(front: Front, strategy: Strategy) -> str:
    """What a strategy takes of a front."""
    if strategy is Strategy.PERFORMANCE:
        is_over = dots(front)[front.taken].is_over
        return "the smallest, for none fits" if is_over else "the fastest that fits"
    return "as much SRAM as without spilling" if front.taken else "the smallest"


def row_of(front: Front, index: int) -> tuple[str, ...]:
    """A schedule in the columns of the comparison."""
    point = front.points[index]
    inside = f" ({units.counted(point.cascaded_ops, 'op')})" if point.cascades else ""
    evicted = front.size(point.evicted_bytes) if point.evicted_bytes else _NOTHING
    cascades = f"{point.cascades:,}{inside}" if point.cascades else _NOTHING
    return (front.time(point.cycles), front.size(point.peak_bytes), cascades, evicted)


def differences(front: Front, index: int) -> tuple[str, ...]:
    """How a schedule differs from the current one, in the columns of the comparison."""
    now, other = front.points[front.taken], front.points[index]
    return (
        _signed(other.cycles - now.cycles, front.time),
        _signed(other.peak_bytes - now.peak_bytes, front.size),
        _signed(other.cascades - now.cascades, units.count),
        _signed(other.evicted_bytes - now.evicted_bytes, front.size),
    )


def shares(front: Front, index: int) -> tuple[str, ...]:
    """The same differences as shares of what the current one has, where that says something."""
    now, other = front.points[front.taken], front.points[index]
    return (
        _share(other.cycles - now.cycles, now.cycles),
        _share(other.peak_bytes - now.peak_bytes, now.peak_bytes),
        "",
        _share(other.evicted_bytes - now.evicted_bytes, now.evicted_bytes),
    )


def told(front: Front, index: int) -> str:
    """A schedule, and how it compares with the current one, in a sentence or two."""
    point = front.points[index]
    time, size, _, evicted = row_of(front, index)
    cascades = units.counted(point.cascades, "cascade")
    inside = f" of {units.counted(point.cascaded_ops, 'operator')}" if point.cascades else ""
    has = f"{time}, {size} of SRAM, {cascades}{inside}, {evicted} evicted{_found_by(front, point)}"
    if index == front.taken:
        return f"The current schedule: {has}."
    names = ("", "SRAM", "cascades", "evicted")
    changes = [
        f"{name} {change}".strip()
        for change, name in zip(differences(front, index), names, strict=True)
        if change != _SAME
    ]
    over = " It is above the limit." if dots(front)[index].is_over else ""
    alike = (
        ". As fast as that one, as far as the estimate can tell" if is_alike(front, index) else ""
    )
    return f"{has}.{over} Against the current one: {', '.join(changes)}{alike}."


def _found_by(front: Front, point: FrontPoint) -> str:
    """Which search found a schedule, where there were several."""
    if point.engine is None:
        return ""
    limit = point.searched_bytes
    where = "without a limit" if limit is None else f"at {front.size(limit)}"
    then = f", then {units.counted(point.changes, 'part')}" if point.changes else ""
    return f", found by {point.engine.value} {where}{then}"


def described(front: Front, pointed: int | None) -> str:
    """All of it, for those who cannot see the drawing."""
    first, last = front.points[0], front.points[-1]
    found = units.counted(len(front.points), "schedule")
    smallest = f"{front.size(first.peak_bytes)} and {front.time(first.cycles)}"
    fastest = f"{front.size(last.peak_bytes)} and {front.time(last.cycles)}"
    parts = [f"{found} from {smallest} to {fastest}.", told(front, front.taken)]
    if pointed is not None and pointed != front.taken:
        parts.append(f"Pointed at: {told(front, pointed)}")
    return " ".join(parts)


def finding(document: Document, point: FrontPoint) -> Settings:
    """What finds a schedule of the front again, so that its decisions can be taken."""
    if point.engine is not None:
        # One front answers every limit: that of a point is what it takes, robust or not.
        return turned(document.settings, {"limit_bytes": point.peak_bytes, "robust": False})
    values = {"engine": Engine.PARETO, _POINT: point.peak_bytes}
    return turned(document.settings, values)


def kept_point(document: Document, front: Front, index: int) -> Kept:
    """A schedule of the front as A, by what finds it."""
    found = document.with_settings(finding(document, front.points[index]))
    return Kept(title=f"of the front: {full_title(found)}", document=found)


def adopting(front: Front, index: int) -> str:
    """What undo calls it to adopt a schedule."""
    point = front.points[index]
    return f"Adopt from the front: {front.time(point.cycles)}, {front.size(point.peak_bytes)}"


def is_adopted(document: Document) -> bool:
    """Whether a schedule of a front is decided."""
    return is_from_front(document.edits)


def is_by_strategy(document: Document) -> bool:
    """Whether nothing but the strategy says which schedule is taken."""
    return document == by_strategy(document)


def by_strategy(document: Document) -> Document:
    """What has to be asked for to let the strategy choose again."""
    kept = tuple(edit for edit in document.edits if edit.note != FROM_FRONT)
    return _asking(document.with_edits(kept), {_POINT: None})


def with_best(document: Document) -> Document:
    """The same for the search that answers every limit from one front."""
    return _asking(document, {"search": Search.BEST})


def with_pareto(document: Document) -> Document:
    """The same for the engine that finds fronts."""
    return _asking(document, {"engine": Engine.PARETO})


_POINT = "pareto.most_bytes"


def _asking(document: Document, values: Mapping[str, Any]) -> Document:
    return document.with_settings(turned(document.settings, values))


def stepped(front: Front, pointed: int | None, step: int) -> int:
    """The next schedule towards the fastest, or the smallest; the ends hold."""
    start = front.taken if pointed is None else pointed
    return min(max(start + step, 0), len(front.points) - 1)


def nearest(places: Sequence[tuple[float, float]], x: float, y: float, reach: float) -> int | None:
    """The place that is nearest to a point, and no further than the reach."""
    if not places:
        return None
    distance, index = min(
        ((left - x) ** 2 + (top - y) ** 2, index) for index, (left, top) in enumerate(places)
    )
    return index if distance <= reach**2 else None


def _signed(value: float, write: Callable[[float], str]) -> str:
    if not value:
        return _SAME
    return f"{'+' if value > 0 else '-'}{write(abs(value))}"


def _share(change: float, whole: float) -> str:
    if not change or not whole:
        return ""
    text = units.share(abs(change) / whole)
    # What is next to nothing is so either way.
    return text if text.startswith("<") else f"{'+' if change > 0 else '-'}{text}"
