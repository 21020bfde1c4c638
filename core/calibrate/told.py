"""What a calibration has found, in lines: for those who ran it, and as evidence in its file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from core.base.frozen import Frozen
from core.calibrate.figures import Figure
from core.calibrate.run import (
    MOST_ERROR,
    Calibration,
    Fitted,
    Kept,
    Row,
    is_off,
    is_other_program,
)
from core.report.json_forms.stamp import stamp

_MARGIN = 0.01
"""Of a value: what is less is not told."""


class Line(Frozen):
    """A row of the table of measurements."""

    name: str
    measured: str
    before: str
    after: str
    left_out: str


def lines(found: Calibration) -> Iterator[str]:
    """All of it."""
    for fitted in found.fitted:
        yield fitted_text(fitted)
    yield from map(kept_text, found.kept)
    yield from other_texts(found)
    yield ""
    yield from _table(found)
    yield ""
    yield from verdict(found)


def verdict(found: Calibration) -> Iterator[str]:
    """How well it holds, and what does not fit."""
    before, after, left_out = found.errors
    apart = "" if left_out is None else f"; {_share(left_out)} where each is left out in turn"
    yield f"mean error: {_share(before)} before, {_share(after)} after{apart}"
    if found.misfit is None:
        if left_out is not None and left_out > MOST_ERROR:
            yield "no measurement confirms what the others tell: more networks would"
        return
    row = found.rows[found.misfit.row]
    off = _signed(row.error(row.fitted_cycles))
    if is_other_program(row):
        yield f"does not fit: {row.name}: {'; '.join(_ports(row))}: was another program measured?"
    elif len(found.rows) > 2:
        others = _share(found.misfit.error)
        yield f"does not fit: {row.name}, {off} off; without it the others are {others} off"
    else:
        yield f"does not fit: {row.name}, {off} off within what a board can be"


def _ports(row: Row) -> Iterator[str]:
    for check in row.checks:
        if is_off(check):
            yield (
                f"{check.port.value} {check.direction.value}s {check.counted_bytes:,.0f} bytes,"
                f" and the program {check.priced_bytes:,.0f}"
            )


def fitted_text(fitted: Fitted) -> str:
    """What is told of a figure that is fitted."""
    value, assumed = _value(fitted.figure, fitted.value), _value(fitted.figure, fitted.assumed)
    margin = ""
    if math.isfinite(fitted.share) and fitted.share >= _MARGIN:
        margin = f" +- {_value(fitted.figure, fitted.value * fitted.share)}"
    bound = ", the least or most that there can be" if fitted.is_at_bound else ""
    ends = " or ".join(_value(fitted.figure, end) for end in fitted.open_ends)
    more = f"; any as far as {ends} fits as well" if ends else ""
    return f"{fitted.figure.value}: {value}{margin} (assumed {assumed}{bound}){more}"


def kept_text(kept: Kept) -> str:
    """What is told of one that is left."""
    value, low, high = (_value(kept.figure, each) for each in (kept.value, kept.low, kept.high))
    told = f"{kept.figure.value}: {value} as assumed"
    if kept.is_open:
        return f"{told}; the measurements do not tell it"
    return told if low == high else f"{told}; {low} to {high} fit as well"


def other_texts(found: Calibration) -> Iterator[str]:
    """What is told of other figures that fit as well."""
    fitted = {each.figure for each in found.fitted}
    for other in found.others:
        values = " and ".join(f"{figure.value} {_value(figure, value)}" for figure, value in other)
        idle = fitted - {figure for figure, _ in other}
        rest = " and ".join(figure.value for figure in Figure if figure in idle)
        yield f"the measurements do not tell this from {values}, with {rest} as assumed"


def _table(found: Calibration) -> Iterator[str]:
    head = Line(
        name="measurement", measured="cycles", before="before", after="after", left_out="left out"
    )
    rows = [head, *map(_line, found.rows)]
    widths = [
        max(len(getattr(row, name)) for row in rows)
        for name in ("name", "measured", "before", "after", "left_out")
    ]
    for row in rows:
        cells = (row.measured, row.before, row.after, row.left_out)
        right = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        yield "  ".join((row.name.ljust(widths[0]), *right)).rstrip()


def _line(row: Row) -> Line:
    left_out = row.left_out_cycles
    return Line(
        name=row.name,
        measured=f"{row.measured_cycles:,.0f}",
        before=_signed(row.error(row.assumed_cycles)),
        after=_signed(row.error(row.fitted_cycles)),
        left_out="" if left_out is None else _signed(row.error(left_out)),
    )


def _value(figure: Figure, value: float) -> str:
    if figure in (Figure.RATE, Figure.SRAM):
        return f"{value:.3g}"
    return f"{value:,.0f}"


def _share(value: float) -> str:
    return f"{value:.1%}".replace("%", " %")


def _signed(value: float) -> str:
    return f"{value:+.1%}".replace("%", " %")


def describe(found: Calibration) -> dict[str, Any]:
    """The same for programs."""
    before, after, left_out = found.errors
    misfit = found.misfit
    return {
        **stamp("calibration"),
        "holds": found.holds,
        "mean_error": {"before": before, "after": after, "left_out": left_out},
        "fitted": {
            each.figure.name.lower(): {
                "value": each.value,
                "assumed": each.assumed,
                "relative_error": each.share if math.isfinite(each.share) else None,
                "least": each.low,
                "most": each.high,
                "is_at_bound": each.is_at_bound,
                "is_told": not each.open_ends,
            }
            for each in found.fitted
        },
        "kept": {
            each.figure.name.lower(): {
                "value": each.value,
                "least": each.low,
                "most": each.high,
                "is_told": not each.is_open,
            }
            for each in found.kept
        },
        "as_well": [
            {figure.name.lower(): value for figure, value in other} for other in found.others
        ],
        "measurements": [
            {
                "name": row.name,
                "measured_cycles": row.measured_cycles,
                "cycles_before": row.assumed_cycles,
                "cycles_after": row.fitted_cycles,
                "cycles_left_out": row.left_out_cycles,
                "bytes": [
                    {
                        "port": check.port.value,
                        "direction": check.direction.value,
                        "counted": check.counted_bytes,
                        "priced": check.priced_bytes,
                    }
                    for check in row.checks
                ],
            }
            for row in found.rows
        ],
        "does_not_fit": None
        if misfit is None
        else {"name": found.rows[misfit.row].name, "error_of_the_others": misfit.error},
    }
