"""Estimates where they are told first: with as many digits as somebody may believe."""

from __future__ import annotations

_DIGITS = 3


def rough_text(number: float) -> str:
    """Three digits, and a letter for thousands: 3.03 M, 55.9 k, 812."""
    size = float(f"{abs(number):.{_DIGITS}g}")
    if size < 1:
        return "0" if round(size, 2) == 0 else f"{number:.{_DIGITS}g}"
    sign = "-" if number < 0 else ""
    for factor, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if size >= factor:
            value = size / factor
            decimals = max(_DIGITS - len(f"{int(value)}"), 0)
            return f"{sign}{value:,.{decimals}f}{letter}"
    return f"{sign}{size:g}"
