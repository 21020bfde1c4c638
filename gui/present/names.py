"""Names where there is little room, and where there is enough."""

from __future__ import annotations

import re
import textwrap

from core.base.harmless import visible

_WORD = re.compile(r"[^\W\d_]+")
_BREAK = re.compile(r"(?<=[;/])")
"""A whole name may end a line behind a part."""
_LINE_LETTERS = 72


def abbreviated(name: str, letters: int) -> str:
    """A name whose words have so many letters at most: numbers, which tell names apart, stay."""
    return _WORD.sub(lambda word: word.group()[:letters], name)


def whole_name(name: str) -> str:
    """The name as the file has it, in lines that a tip has room for."""
    lines: list[str] = []
    for part in _BREAK.split(visible(name)):
        if lines and len(lines[-1]) + len(part) <= _LINE_LETTERS:
            lines[-1] += part
        else:
            lines += textwrap.wrap(part, _LINE_LETTERS, drop_whitespace=False)
    return "\n".join(lines)
