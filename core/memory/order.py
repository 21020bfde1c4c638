"""Which of several ranges with the same lowest address goes first: the orders of preference."""

from __future__ import annotations

import numpy as np

from core.memory.sections import Ints, Sections

PREFERENCES = ("width area total", "total area width", "total width area")
"""MiniMalloc's three; none of them is best for all problems, so that they take turns."""


def ranks(sections: Sections, preference: str, indices: Ints, totals: Ints) -> Ints:
    """Rank of each of these ranges, the first to place having 0; other ranges have 0 too."""
    found = np.zeros(sections.count, dtype=np.int64)
    names = reversed(preference.split())
    keys = [indices, *(-_measure(sections, name, indices, totals) for name in names)]
    found[indices[np.lexsort(keys)]] = np.arange(len(indices))
    return found


def _measure(sections: Sections, name: str, indices: Ints, totals: Ints) -> Ints:
    widths = sections.widths[indices]
    if name == "width":
        return widths
    if name == "area":
        return widths * sections.sizes[indices]
    spans = ((sections.first[index], sections.end[index]) for index in indices.tolist())
    return np.array([totals[first:end].max() for first, end in spans], dtype=np.int64)
