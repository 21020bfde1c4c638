"""The errors of operators as a table, as JSON, and as a comment."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from core.ir.operator_error import ErrorFigures, Fault, OperatorError
from core.report.json_forms.stamp import stamp
from core.report.judgements import Judgement
from core.report.review import Review
from core.report.tables import Listing
from core.report.words import counted

_HEADERS = (
    *("#", "kind", "name", "runs on", "elements"),
    *("differ", "by up to", "mean"),
    *("quantised: up to", "mean"),
    *("from the start: up to", "mean"),
    *("begins", "ends"),
)
_NOTES = """\
differ, by up to, mean: the compiled model from integer kernels on the same inputs of the operator,
in steps; nothing where it cannot be seen, because operators were fused
quantised: those kernels from real numbers on the same inputs of the operator
from the start: those kernels from a network that computes with real numbers
begins, ends: cycles of operations before it and with it, each on its own"""
_STRIP = 64
"""Parts of a timeline."""
_ROLES: tuple[tuple[str, Callable[[OperatorError], ErrorFigures | None]], ...] = (
    ("compiled", lambda each: each.integer),
    ("quantised", lambda each: each.alone),
    ("from the start", lambda each: each.real),
)


def render(errors: Sequence[OperatorError], fault: Fault) -> str:
    """All of it for a terminal."""
    parts = (listing(errors).text(), "", _NOTES, "", *timeline(errors), told(errors, fault))
    return "\n".join(parts) + "\n"


def timeline(errors: Sequence[OperatorError]) -> tuple[str, ...]:
    """Errors over the run, a line for each reference; nothing where nobody can say when.

    A digit tells how far the worst operator of that time is off on average: 0 is below a
    hundredth of a step, and each more is about three times as far. What is fused into another
    operator counts at that one's time.
    """
    end = max((each.span.end_cycles for each in errors if each.span), default=0)
    if not end:
        return ()
    lines = [f"over the timeline, of {end:,} cycles, how far off on average (0 to 9, . nothing)"]
    for title, figures_of in _ROLES:
        worst = [-1.0] * _STRIP
        waiting = -1.0
        for each in errors:
            figures = figures_of(each)
            waiting = max(waiting, figures.mean if figures else -1.0)
            if each.span is None:
                continue
            first, last = (
                min(cycles * _STRIP // end, _STRIP - 1)
                for cycles in (each.span.begin_cycles, max(each.span.end_cycles - 1, 0))
            )
            for at in range(first, last + 1):
                worst[at] = max(worst[at], waiting)
            waiting = -1.0
        lines.append(f"{title:14}  |{''.join(map(_digit, worst))}|")
    return (*lines, "")


def _digit(mean: float) -> str:
    if mean < 0:
        return "."
    return "0" if mean < _LEAST else str(min(int(2 * math.log10(mean / _LEAST)) + 1, 9))


_LEAST = 0.01


def listing(errors: Sequence[OperatorError]) -> Listing:
    """A row for each operator."""
    return Listing(_HEADERS, [_row(each) for each in errors])


def told(errors: Sequence[OperatorError], fault: Fault) -> str:
    """Whose fault it is, in a sentence."""
    match fault:
        case Fault.COMPILER:
            off = [each for each in errors if each.integer and each.integer.differing]
            first = f"; the first that is seen to differ is {_named(off[0])}" if off else ""
            return f"whose fault: the compiler's{first}"
        case Fault.RUNTIME:
            return (
                "whose fault: the runtime's; the compiled model is right, and the outputs that were"
                " given are others"
            )
        case Fault.QUANTISER:
            return f"whose fault: the quantiser's{_most(errors)}"
        case Fault.NOBODY:
            return f"whose fault: nobody's, nothing is far off{_most(errors)}"


def describe(
    name: str, errors: Sequence[OperatorError], fault: Fault, *, holds: bool
) -> dict[str, Any]:
    """All of it as JSON."""
    return {
        **stamp("operator errors"),
        "model": name,
        "holds": holds,
        "fault": fault.value,
        "operators": [
            {
                "number": each.number,
                "kind": each.kind,
                "name": each.name,
                "runs_on": _place(each),
                "compiled": _figures(each.integer),
                "quantised": _figures(each.alone),
                "from_the_start": _figures(each.real),
                "begins_at_cycle": each.span.begin_cycles if each.span else None,
                "ends_at_cycle": each.span.end_cycles if each.span else None,
            }
            for each in errors
        ],
    }


def review_of(
    name: str,
    errors: Sequence[OperatorError],
    fault: Fault,
    remarks: Sequence[str],
    *,
    holds: bool,
) -> Review:
    """All of it for those who look at changes, the farthest off first."""
    worst = sorted(errors, key=_severity, reverse=True)
    said = "holds" if holds else "does not hold"
    return Review(
        headline=f"{name} {said} on the inputs that were given",
        remarks=(told(errors, fault), *remarks),
        judged=(Judgement(model=name, limit="holds", found=said, holds=holds),),
        tables=((f"{counted(len(errors), 'operator')}, the farthest off first", listing(worst)),),
    )


def _severity(error: OperatorError) -> tuple[float, float]:
    of_compiled, of_quantiser = error.integer, error.alone
    return (
        of_compiled.largest if of_compiled else 0.0,
        of_quantiser.mean if of_quantiser else 0.0,
    )


def _most(errors: Sequence[OperatorError]) -> str:
    """Which operator loses most by itself."""
    lossy = [(each.alone.mean, each) for each in errors if each.alone is not None]
    if not lossy:
        return ""
    mean, worst = max(lossy, key=lambda pair: pair[0])
    return f"; most is lost in {_named(worst)}, {mean:.3g} steps on average"


def _named(error: OperatorError) -> str:
    return f"{error.kind} {error.number} ('{error.name}')"


def _place(error: OperatorError) -> str:
    return "CPU" if error.is_on_cpu else "NPU"


def _row(error: OperatorError) -> list[object]:
    figures = next((each for each in (error.integer, error.alone, error.real) if each), None)
    own = error.integer
    return [
        *(error.number, error.kind, error.name, _place(error)),
        figures.elements if figures else None,
        *((own.differing, _rounded(own.largest), _rounded(own.mean)) if own else (None,) * 3),
        *_two(error.alone),
        *_two(error.real),
        *((error.span.begin_cycles, error.span.end_cycles) if error.span else (None, None)),
    ]


def _two(figures: ErrorFigures | None) -> tuple[float | None, float | None]:
    if figures is None:
        return None, None
    return _rounded(figures.largest), _rounded(figures.mean)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _figures(figures: ErrorFigures | None) -> dict[str, float] | None:
    if figures is None:
        return None
    return {
        "elements": figures.elements,
        "differing": figures.differing,
        "largest": figures.largest,
        "mean": figures.mean,
    }
