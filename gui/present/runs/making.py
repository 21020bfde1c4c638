"""What is offered and told of sweeps that are made here; no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.api import sweeps
from core.base.errors import CoreError, OptionError
from core.base.frozen import NamedTuple
from core.ir import knobs
from core.ir.knob import Knob
from gui.document.answer import Answer
from gui.document.document import Document
from gui.document.problem import Lasts, Problem
from gui.document.swept import Made, Making, SweepOrder
from gui.present import units

KEY = "sweep"
"""Of the message about the last sweep."""
SWEPT_KNOBS = ("accelerator", "system_config", "memory_mode", "strategy", "search", "engine")
"""What can have several values beside the limit, in the order in which it is asked."""
SUFFIX = ".sqlite"
_LIMIT = "limit_bytes"
_USUAL_LIMITS = 16
_KIB = 1024
_MOST_CELLS = 100_000
_MOST_TOLD = 3


class Wanted(NamedTuple):
    """What the form says."""

    limits: str
    boards: Sequence[str]
    values: Mapping[str, tuple[Any, ...]]
    """Of knobs by their names; none where the document's own stands."""
    path: str
    models: tuple[str, ...] = ()
    """Paths of further ones, beside the one that is open."""
    cluster: str = ""


def usual_limits(answer: Answer | None) -> str:
    """Some limits up to what the network takes where nothing limits it."""
    most = answer.unlimited_bytes if answer is not None else 0
    step = _KIB
    while step * _USUAL_LIMITS < most:
        step *= 2
    count = max(-(-most // step), 1)
    kib = step // _KIB
    return f"{kib}K:{kib * count}K:{kib}K"


def knobs_swept() -> tuple[Knob, ...]:
    """The rows of knobs that can have several values."""
    return tuple(knobs.knob_named(name) for name in SWEPT_KNOBS)


def usual_path(folder: Path, model: str) -> Path:
    """Where a sweep of a model goes where nobody says otherwise."""
    return folder / f"{Path(model).stem}_sweep{SUFFIX}"


def order_of(document: Document, wanted: Wanted) -> SweepOrder:
    """The sweep that is asked for; an OptionError says what is missing or wrong."""
    if document.model is None:
        raise OptionError("no model is open")
    if not wanted.path:
        raise OptionError("say where the sweep should go")
    limits = _limits(wanted)
    axes = {name: values for name, values in wanted.values.items() if values}
    return SweepOrder(
        models=tuple(Path(path) for path in dict.fromkeys((document.model.path, *wanted.models))),
        # Decisions are about what is shown, and stay with it.
        base=knobs.turned(document.with_edits(()).settings, {"pareto.most_bytes": None}),
        axes=((_LIMIT, limits), *axes.items()),
        path=Path(wanted.path),
        cluster=wanted.cluster,
    )


def _limits(wanted: Wanted) -> tuple[int | None, ...]:
    boards = sweeps.boards_named(",".join(wanted.boards)) if wanted.boards else ()
    own = sweeps.parse_limits(wanted.limits) if wanted.limits.strip() else ()
    found = tuple(dict.fromkeys((*own, *(board.sram_bytes for board in boards))))
    if not found:
        raise OptionError("say which limits to sweep, such as 64K:1M:32K")
    return found


def counted(order: SweepOrder) -> str:
    """How many cells a sweep has, and what of it cannot be had."""
    many = len(order.models)
    for _, values in order.axes:
        many *= len(values)
    if many > _MOST_CELLS:
        raise OptionError(f"{many:,} cells are too many for the window: use `reefpoint sweep`")
    plan = sweeps.plan(order.base, dict(order.axes))
    told = units.counted(len(order.models) * len(plan.asked), "cell")
    if len(order.models) > 1:
        told += f" of {len(order.models)} models"
    out = len(order.models) * sum(part.count for part in plan.left_out)
    if not out:
        return told
    return f"{told}; {out:,} left out: {plan.left_out[0].reason}"


def progress_text(making: Making) -> str:
    """How far a sweep is, and how long the rest will take."""
    if not making.cells:
        return "Starting"
    far = f"{making.done:,} of {units.counted(making.cells, 'cell')}"
    if making.is_paused:
        return f"{far}, paused"
    if making.seconds_left is None:
        return far
    return f"{far}, {sweeps.duration_text(making.seconds_left)} left"


def ended(made: Made) -> Problem:
    """What became of a sweep."""
    if made.message:
        message = f"{made.title}: {made.message}."
        advice = "What was computed before is kept; the same sweep goes on from there."
        return Problem(key=KEY, message=message, advice=advice, lasts=Lasts.MODEL)
    if made.is_stopped:
        message = f"{made.title} was stopped."
        advice = "What was computed is kept; the same sweep goes on from there."
        return Problem(key=KEY, message=message, advice=advice, lasts=Lasts.MODEL, is_note=True)
    known = made.cells - made.computed
    message = f"{made.title}: {units.counted(made.cells, 'cell')}, {made.computed:,} computed"
    message += f" and {known:,} there before." if known else "."
    rest = len(made.errors) - _MOST_TOLD
    errors = (*made.errors[:_MOST_TOLD], *([f"{rest:,} more"] if rest > 0 else []))
    return Problem(
        key=KEY,
        message=message,
        advice="; ".join(errors),
        lasts=Lasts.MODEL,
        is_note=not made.errors,
    )


def obstacle(document: Document, wanted: Wanted) -> tuple[str, bool]:
    """How many cells are asked for; or why none can be had, and that it is so."""
    try:
        left_out = units.counted(len(document.edits), "edit")
        told = f"; {left_out} of yours left out, as a sweep has none" if document.edits else ""
        return counted(order_of(document, wanted)) + told, False
    except CoreError as error:
        return str(error), True
