"""Tables of events of ExecuTorch's inspector: the time of what runs on the accelerator."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from core.base.errors import InputError
from core.report.measured.count import Count
from core.report.measured.numbers import SECONDS, number_of

_BORDERS = re.compile(r"[│|,\t]")
_NAME, _BLOCK = "event_name", "event_block_name"
_COLUMN = re.compile(r"(avg|p50|median|raw) \((\w+)\)")
_PREFERRED = ("avg", "p50", "median")
_LEVELS = (
    re.compile(r"EthosU\w*::execute\(\)NPU", re.IGNORECASE),
    re.compile(r"DELEGATE_CALL"),
    re.compile(r"Method::execute"),
)
"""From what the accelerator alone takes to all that an inference does: the first that is there."""


def event_times(text: str) -> Count | None:
    """The time of an inference; None where there is no such table."""
    rows = [[cell.strip() for cell in _BORDERS.split(line)] for line in text.splitlines()]
    header = next((at for at, row in enumerate(rows) if _NAME in row), None)
    if header is None:
        return None
    place, unit = _column(rows[header])
    named = [
        (row[rows[header].index(_NAME)], row)
        for row in rows[header + 1 :]
        if _fits(row, rows[header])
    ]
    for level in _LEVELS:
        found = [(row, row[place]) for name, row in named if level.search(name)]
        if found:
            return _sum(found, rows[header], unit)
    raise InputError("is a table of events, of which none is of an accelerator or a method")


def _fits(row: Sequence[str], header: Sequence[str]) -> bool:
    return len(row) == len(header)


def _column(header: Sequence[str]) -> tuple[int, str]:
    columns = {
        match[1]: (at, match[2])
        for at, cell in enumerate(header)
        if (match := _COLUMN.fullmatch(cell))
    }
    for name in _PREFERRED:
        if name in columns:
            return columns[name]
    raise InputError(f"is a table of events without a column {' or '.join(_PREFERRED)}")


def _sum(found: Sequence[tuple[Sequence[str], str]], header: Sequence[str], unit: str) -> Count:
    """Of all that run one after the other in a block; blocks are inferences."""
    block = header.index(_BLOCK) if _BLOCK in header else None
    sums: dict[str, float] = defaultdict(float)
    for row, text in found:
        number = number_of(text)
        if number is None:
            raise InputError(f"'{text}' is no time", f"event '{row[header.index(_NAME)]}'")
        sums[row[block] if block is not None else ""] += number
    total = max(sums.values())
    if total <= 0:
        raise InputError("has an inference that takes no time")
    if unit == "cycles":
        return Count(cycles=total)
    if unit not in SECONDS:
        raise InputError(f"has times in '{unit}', which is no unit that is known")
    return Count(seconds=total * SECONDS[unit])
