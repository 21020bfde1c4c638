"""The errors of operators as a table, as JSON, and as a comment."""

from __future__ import annotations

from collections.abc import Sequence
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
)
_NOTES = """\
differ, by up to, mean: the compiled model from integer kernels on the same inputs of the operator,
in steps; nothing where it cannot be seen, because operators were fused
quantised: those kernels from real numbers on the same inputs of the operator
from the start: those kernels from a network that computes with real numbers"""


def render(errors: Sequence[OperatorError], fault: Fault) -> str:
    """All of it for a terminal."""
    return "\n".join((listing(errors).text(), "", _NOTES, "", told(errors, fault))) + "\n"


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
