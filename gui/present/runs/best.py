"""What the best search says of itself: what it has gained, and whether it goes on; no Qt."""

from __future__ import annotations

from core.base.memo import of_the_very
from core.base.rough import rough_text
from core.ir.decisions import FrontAnswered
from core.ir.options import Engine, Options
from core.ir.schedule import Schedule
from gui.document.answer import Answer
from gui.document.decisions import is_from_front
from gui.present.units import counted

_LONG_S = 10.0
_LEAST_SHARE = 0.001
"""What is told of a gain."""


def front_answered(answer: Answer) -> FrontAnswered | None:
    """How an answer was taken of a front of several searches; None where it was not."""
    return _front_of(answer.scheduled.schedule)


@of_the_very(2)
def _front_of(schedule: Schedule) -> FrontAnswered | None:
    """Many ask for it after every change, and most logs are long."""
    found = (each for each in reversed(schedule.decisions) if isinstance(each, FrontAnswered))
    return next(found, None)


def is_growing(answer: Answer) -> bool:
    """Whether a better answer may still come."""
    found = front_answered(answer)
    options = answer.scheduled.options
    if found is None or found.is_done or is_from_front(options.edits):
        return False
    return found.searches < options.effort


def search_text(answer: Answer, *, is_stopped: bool = False, is_live: bool = True) -> str:
    """Who searched, and what that was worth in which time; whether it goes on is said of what
    somebody works on."""
    found = front_answered(answer)
    if answer.scheduled.compiled_by is not None:
        return ""
    if answer.scheduled.around is not None and answer.scheduled.options.edits:
        return "your edits; all else as it was shown"
    if found is None:
        return _name(answer.scheduled.options)
    gain = rough_text(found.cycles)
    direct = gain if found.direct_cycles is None else rough_text(found.direct_cycles)
    if direct != gain:
        gain = f"{direct} -> {gain}"
    gain += f" cycles ({found.times_least:.2f} of the least, {rough_text(found.least_cycles)})"
    goes_on = is_live and is_growing(answer)
    end = "" if not goes_on else ", stopped" if is_stopped else ", still improving"
    return f"best: {gain}, {seconds_text(answer.seconds)}{end}"


def search_details(answer: Answer) -> str:
    """What stands behind that."""
    found = front_answered(answer)
    if found is None:
        return ""
    parts = f"{counted(found.points, 'schedule')} after {counted(found.searches, 'step')}"
    return f"{parts}; nothing is left that promises more" if found.is_done else parts


def seconds_text(seconds: float) -> str:
    """How long somebody has waited."""
    return f"{seconds:.1f} s" if seconds < _LONG_S else f"{seconds:.0f} s"


def better_forms(shown: Answer | None, better: Answer | None) -> tuple[str, ...]:
    """What is better in what waits, in more and in fewer words; empty where that is only more of
    the front, or another schedule that takes as much."""
    if shown is None or better is None:
        return ()
    before, after = shown.scheduled, better.scheduled
    now, then = before.total.total_cycles, after.total.total_cycles
    if after.layout.is_within_limits and not before.layout.is_within_limits:
        return "fits now: show", "fits: show", "show"
    if then < now:
        share = (now - then) / now
        told = f"{share:.1%}" if share >= _LEAST_SHARE else f"<{_LEAST_SHARE:.1%}"
        return f"{told} faster: show", f"{told}: show", "show"
    if after.fast_bytes < before.fast_bytes:
        return "less SRAM: show", "show"
    return ()


def growth_obstacle(answer: Answer | None) -> str:
    """Why a search does not go on; empty where it can."""
    if answer is None:
        return "there is no schedule yet"
    if answer.scheduled.around is not None:
        return "your edits keep what was shown: nothing else is searched"
    if (found := front_answered(answer)) is None:
        return "only the best search goes on by itself"
    if is_from_front(answer.scheduled.options.edits):
        return "a schedule of the front was adopted: nothing is left to be searched"
    if found.is_done:
        return "nothing is left that promises more"
    return "" if is_growing(answer) else "it has taken all the steps that effort allows"


def _name(options: Options) -> str:
    asked = options.engine if options.engine is Engine.PARETO else options.search
    return str(asked.value)
