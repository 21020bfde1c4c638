"""Limits as people write many of them."""

from __future__ import annotations

from core.base.errors import OptionError
from core.base.size import parse_size

OWN = "default"
"""The limit that a memory mode has itself."""
_MOST = 100_000


def parse_limits(text: str) -> tuple[int | None, ...]:
    """Sizes and ranges START:END:STEP with commas between; None is the memory mode's own."""
    found = [limit for part in text.split(",") for limit in _part(part.strip())]
    return tuple(dict.fromkeys(found))


def _part(text: str) -> tuple[int | None, ...]:
    if text == OWN:
        return (None,)
    sizes = [parse_size(size) for size in text.split(":")]
    if len(sizes) == 1:
        return tuple(sizes)
    if len(sizes) != 3:
        raise OptionError(f"'{text}' is no range; ranges look like 64K:1M:32K")
    start, end, step = sizes
    if step < 1 or end < start:
        raise OptionError(f"'{text}' has no sizes in it")
    if (end - start) // step >= _MOST:
        raise OptionError(f"'{text}' has more than {_MOST:,} sizes in it")
    return tuple(range(start, end + 1, step))
