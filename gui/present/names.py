"""Names in fewer letters."""

from __future__ import annotations

_MOST_CHARACTERS = 48


def short_name(name: str) -> str:
    """A name that converters have glued together of many, or a long path, in fewer letters."""
    first, *others = name.split(";")
    if len(first) > _MOST_CHARACTERS:
        half = _MOST_CHARACTERS // 2
        first = f"{first[:half]}…{first[-half:]}"
    return f"{first};…" if others else first
