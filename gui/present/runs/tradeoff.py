"""A sweep as panels: one for each model and target, with a step line for each way to search."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath

from core.api import sweeps
from core.api.sweeps import Cell, Totals
from core.base.errors import OptionError
from core.base.frozen import Frozen, NamedTuple, replace
from core.ir import knobs
from core.ir.options import Search
from gui.document.answer import Answer
from gui.document.display import Display
from gui.document.document import Document
from gui.document.kept import Kept
from gui.document.swept import SweptCells
from gui.present import units
from gui.present.runs.comparison import full_title, signed_size

NOTHING = (
    "No sweep is shown.\n\n"
    "A sweep shows what limits cost: time, traffic and evictions of many schedules."
    " It is made beside everything else, and kept in a file."
)
HINT = "Point at a cell to compare it, click it to adopt it, K keeps it as A."
CLIFF, SLOWER = "cliff", "slower"
"""Flags of steps: to a lower limit that costs much, and to a higher one that brings no less."""
_KIB = 1024
_TICKS = 4


class Figure(enum.Enum):
    """What is drawn over the limit."""

    TIME = "Time"
    TRAFFIC = "Traffic"
    EVICTED = "Evicted"

    def value_of(self, totals: Totals) -> float:
        """The figure of a cell, in cycles, or in bytes."""
        match self:
            case Figure.TIME:
                return totals.seconds * 1e3
            case Figure.TRAFFIC:
                return totals.moved_bytes / _KIB
            case Figure.EVICTED:
                return totals.evicted_bytes / _KIB

    @property
    def unit(self) -> str:
        """What numbers at the axis are."""
        return "ms" if self is Figure.TIME else "KiB"


class Spot(NamedTuple):
    """A cell in a panel; places are shares of its width and height, from the lower left."""

    x: float
    y: float
    cell: Cell
    is_over: bool
    mark: str
    """`cliff` or `slower`, where the step to it is one."""
    flag: str = ""
    """What is said beside the mark, with as much as there is room for."""
    tip: str = ""
    """What is flagged, in words."""


class Line(Frozen):
    """The cells of one way to search, from the lowest limit on."""

    title: str
    spots: tuple[Spot, ...]


class Guide(NamedTuple):
    """A limit that a board or a memory mode has."""

    x: float
    title: str
    tip: str
    """With its size, and where that is told."""


class Tick(NamedTuple):
    """A place of an axis with its number."""

    at: float
    text: str


class Panel(Frozen):
    """One drawing."""

    title: str
    lines: tuple[Line, ...]
    guides: tuple[Guide, ...]
    ticks_x: tuple[Tick, ...]
    ticks_y: tuple[Tick, ...]


def panels_of(swept: SweptCells, figure: Figure) -> tuple[Panel, ...]:
    """All panels of a sweep, those of one model beside each other.

    What all have in common stands above them, and not in each title.
    """
    curves = sweeps.curves(swept.cells)
    groups = groupby(curves, key=lambda curve: (curve.model, curve.target))
    targets, choices = _Names(map(_target, curves)), _Names(map(_choice, curves))
    return tuple(
        _panel(f"{PurePath(model).stem}, {targets.of(_target(group[0]))}", group, figure, choices)
        for (model, _), group in ((key, tuple(group)) for key, group in groups)
    )


class _Names:
    """Names of several words, of which those are told that are not the same for all."""

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        columns = [*zip(*names, strict=True)]
        # The first is told anyway.
        self._is_told = [not at or len({*words}) > 1 for at, words in enumerate(columns)]

    def of(self, name: tuple[str, ...]) -> str:
        """What of a name tells it from others."""
        return " ".join(self._words(name, is_told=True))

    def rest(self, name: tuple[str, ...]) -> str:
        """What of a name all others have, too."""
        return " ".join(self._words(name, is_told=False))

    def _words(self, name: tuple[str, ...], *, is_told: bool) -> Iterator[str]:
        return (word for word, told in zip(name, self._is_told, strict=True) if told is is_told)


def _target(curve: sweeps.Curve) -> tuple[str, ...]:
    settings = curve.cells[0].settings
    return settings.accelerator, settings.memory_mode, settings.system_config


def _choice(curve: sweeps.Curve) -> tuple[str, ...]:
    settings = curve.cells[0].settings
    return settings.strategy, settings.search, settings.engine


def _panel(title: str, curves: Sequence[sweeps.Curve], figure: Figure, choices: _Names) -> Panel:
    points = [point for curve in curves for point in curve.points]
    limits = [point.limit_bytes for point in points] or [0]
    low, high = min(limits), max(*limits, min(limits) + _KIB)
    step = _step(max((figure.value_of(point.totals) for point in points), default=0.0))

    def x(limit: float) -> float:
        return (limit - low) / (high - low)

    def y(value: float) -> float:
        return value / (step * _TICKS)

    known = sweeps.guides(curves, sweeps.BOARDS)
    found = (Guide(x(each.size_bytes), each.name, _guide_tip(each)) for each in known)
    return Panel(
        title=title,
        lines=tuple(_line(curve, choices.of(_choice(curve)), figure, x, y) for curve in curves),
        guides=tuple(guide for guide in found if 0 <= guide.x <= 1),
        ticks_x=tuple(Tick(x(limit), units.size(limit)) for limit in _limit_ticks(low, high)),
        ticks_y=tuple(Tick(y(step * at), _number(step, at, figure)) for at in range(_TICKS + 1)),
    )


def _guide_tip(guide: sweeps.Guide) -> str:
    return f"{guide.name}: {units.size(guide.size_bytes)} ({guide.source})"


def _line(
    curve: sweeps.Curve,
    title: str,
    figure: Figure,
    x: Callable[[float], float],
    y: Callable[[float], float],
) -> Line:
    marks = {step.low.limit_bytes: (CLIFF, CLIFF, _cliff_tip(step)) for step in curve.cliffs}
    nothing = ("", "", "")
    for step in curve.setbacks:
        # What is a setback and a cliff at once has one flag, whose tip tells both.
        limit, tip = step.high.limit_bytes, _slower_tip(step)
        flag = f"{SLOWER} than in {units.size(step.low.limit_bytes)}"
        marks[limit] = SLOWER, flag, f"{tip}\n{marks[limit][-1]}" if limit in marks else tip
    return Line(
        title=title,
        spots=tuple(
            Spot(
                x(point.limit_bytes),
                y(figure.value_of(point.totals)),
                point.cell,
                point.totals.excess_bytes > 0,
                *(marks.get(point.limit_bytes, nothing) if figure is Figure.TIME else nothing),
            )
            for point in curve.points
        ),
    )


def _cliff_tip(step: sweeps.Step) -> str:
    more, limit = step.low.totals.cycles - step.high.totals.cycles, step.high.limit_bytes
    return f"{CLIFF}: {more:+,.0f} cycles ({step.ratio - 1:+.1%}) to {units.size(limit)}"


def _slower_tip(step: sweeps.Step) -> str:
    more, limit = step.high.totals.cycles - step.low.totals.cycles, step.low.limit_bytes
    told = f"{SLOWER} than in {units.size(limit)}, which is less memory: {more:+,.0f} cycles"
    if step.high.cell.settings.search != Search.DIRECT.value:
        return told
    return f"{told}\nthe direct search looks at one limit; the best takes the faster schedule"


def _step(most: float) -> float:
    """A round number of which four reach as far as is needed."""
    if most <= 0:
        return 1.0
    scale = 10.0 ** math.floor(math.log10(most / _TICKS))
    steps = (round(factor * scale, 12) for factor in (1, 2, 2.5, 5, 10, 20))
    return next(step for step in steps if step * _TICKS >= most)


def _number(step: float, at: int, figure: Figure) -> str:
    """What stands at a tick; the highest has the unit."""
    return f"{step * at:g} {figure.unit}" if at == _TICKS else f"{step * at:g}"


def _limit_ticks(low: int, high: int) -> range:
    step = _KIB
    while (high - low) / step > _TICKS:
        step *= 2
    return range(-(-low // step) * step, high + 1, step)


def headline(swept: SweptCells) -> str:
    """What is shown, and how much of it has no schedule."""
    bad = sum(cell.outcome.totals is None for cell in swept.cells)
    told = f"{swept.title}: {units.counted(len(swept.cells), 'cell')}"
    told += f", {bad:,} without a schedule" if bad else ""
    curves = sweeps.curves(swept.cells)
    rests = [
        _Names(map(name, curves)).rest(name(curves[0])) for name in (_target, _choice) if curves
    ]
    return "; ".join(filter(None, (told, *rests)))


def told(cell: Cell, answer: Answer | None, display: Display) -> str:
    """A cell in words, beside the present schedule where that is of the same model."""
    settings, totals = cell.settings, cell.outcome.totals
    assert totals is not None

    def size(size_bytes: int) -> str:
        return units.size(size_bytes, display.byte_unit)

    over = f", {size(totals.excess_bytes)} above the limit" if totals.excess_bytes else ""
    where = f"{cell.model.name} within {size(settings.limit_bytes)}"
    time = f"{totals.seconds * 1e3:.3f} ms, {totals.cycles:,.0f} cycles"
    memory = f"{size(totals.fast_bytes)} required{over}, {size(totals.evicted_bytes)} evicted"
    lines = [f"{where}, {settings.choice_name}, {settings.target_name}", f"{time}; {memory}"]
    if is_of(cell, answer):
        assert answer is not None
        lines.append(f"against what is shown: {', '.join(_changes(totals, answer, display))}")
        if answer.document.edits:
            own = units.counted(len(answer.document.edits), "edit")
            lines.append(f"what is shown has {own}, a sweep none")
    return "\n".join(lines)


def _changes(totals: Totals, answer: Answer, display: Display) -> Iterator[str]:
    """What a cell has more and less than what is shown."""
    shown = answer.scheduled
    now = shown.total.seconds
    if now:
        yield f"{totals.seconds / now - 1:+.1%} time"
    yield f"{round(totals.cycles - shown.total.total_cycles):+,} cycles"
    yield f"{signed_size(totals.fast_bytes - shown.fast_bytes, display)} required"
    if shown.evicted_bytes is not None:
        yield f"{signed_size(totals.evicted_bytes - shown.evicted_bytes, display)} evicted"


def is_of(cell: Cell, answer: Answer | None) -> bool:
    """Whether a cell is of the model that is open."""
    model = None if answer is None else answer.document.model
    return model is not None and model.digest == cell.model.digest


def same(one: Cell | None, other: Cell | None) -> bool:
    """Whether two are of one model and one settings, though one may have been read again."""
    if one is None or other is None:
        return one is other
    return (one.model.digest, one.settings.digest) == (other.model.digest, other.settings.digest)


def keeping(cell: Cell, document: Document) -> Kept | str:
    """A cell as A, which is worked out again; a text says why that cannot be."""
    wanted = adopting(cell, document)
    if isinstance(wanted, str):
        return wanted
    return Kept(title=full_title(wanted), document=wanted)


def adopting(cell: Cell, document: Document) -> Document | str:
    """The document that asks for what a cell has; a text says why there is none."""
    if document.model is None or document.model.digest != cell.model.digest:
        return f"Open {cell.model.name} first: another model is shown."
    try:
        found = knobs.read_words(cell.settings.words)
    except (LookupError, OptionError):
        return "It was made with options that are not known here."
    configs = cell.settings.configs or document.settings.configs
    return document.with_settings(replace(found, configs=configs))
