"""Sizes in bytes as people write them."""

from __future__ import annotations

import re

from core.base.errors import OptionError

# The length is bounded so that a hostile text is refused before it is converted.
_SIZE = re.compile(r"(0x[0-9a-f]{1,16}|[0-9]{1,20}) ?([kmg]?)(?:i?b)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def parse_size(text: str) -> int:
    """Bytes that a text such as 65536, 64K, 0x10000 or 1M names; units are powers of 1024."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise OptionError(f"'{text}' is not a size; sizes look like 65536, 64K, 0x10000 or 1M")
    number, unit = match.groups()
    base = 16 if number[:2].lower() == "0x" else 10
    return int(number, base) * _UNITS[unit.lower()]
