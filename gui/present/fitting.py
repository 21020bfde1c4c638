"""A line of text for too little room: names lose their middle, figures are whole or not there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from core.ir.titles import GAP, shortened

Measure = Callable[[str], float]
"""How wide a text is."""

_UNITS = "KiB|MiB|GiB|B|kB|MB|bytes?|cycles?|rows?|ms|µs|s|M|k|GHz|MHz|%"
_FIGURE = re.compile(rf"(?<![\w.])([+-]?\d[\d,.]*(?<![,.])(?: ?(?:{_UNITS}))?(?!\w))")
"""A number that is no part of a name, with its unit."""


def fitted(text: str, room: float, measure: Measure) -> str:
    """The text where it fits, and else as much of its words as fits beside its figures.

    Where not even the figures fit, the last of them are left out; none is ever cut.
    """
    if measure(text) <= room:
        return text
    parts = _FIGURE.split(text)
    longest = max(len(words) for words in parts[::2])
    found, low, high = "", 1, longest
    while low <= high:
        letters = (low + high) // 2
        shown = _joined(parts, letters)
        if measure(shown) <= room:
            found, low = shown, letters + 1
        else:
            high = letters - 1
    return found or _beginning(parts, room, measure)


def _joined(parts: Sequence[str], letters: int) -> str:
    """The parts, of which each stretch of words has so many letters at most."""
    return "".join(part if at % 2 else _stretch(part, letters) for at, part in enumerate(parts))


def _stretch(words: str, letters: int) -> str:
    """Words in so many letters; blanks and points around them stay."""
    inner = words.strip(" ,;:")
    return words.replace(inner, shortened(inner, letters)) if inner else words


def _beginning(parts: Sequence[str], room: float, measure: Measure) -> str:
    """As many of the first figures as fit, with hardly a word between them."""
    for count in range(len(parts) - 1, 0, -1):
        shown = f"{_joined(parts[:count], 1).rstrip(f' {GAP}')} {GAP}"
        if measure(shown) <= room:
            return shown
    return GAP if measure(GAP) <= room else ""
