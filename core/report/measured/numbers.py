"""Numbers as logs and tables print them."""

from __future__ import annotations

import math
import re

SECONDS = {
    "s": 1.0,
    "sec": 1.0,
    "seconds": 1.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "milliseconds": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "usec": 1e-6,
    "microseconds": 1e-6,
    "ns": 1e-9,
    "nanoseconds": 1e-9,
}
"""Units of time, in seconds."""
_GROUPED = re.compile(r"\d{1,3}([,' ]\d{3})+(\.\d+)?")


def number_of(text: str) -> float | None:
    """A finite number of 0 or more, with thousands apart or not; a counter may be hexadecimal."""
    text = text.strip()
    if _GROUPED.fullmatch(text):
        text = re.sub("[,' ]", "", text)
    try:
        number = float(int(text, 16)) if text.lower().startswith("0x") else float(text)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None
