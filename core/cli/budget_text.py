"""A file of budgets with other limits, and all else in it, comments too, as somebody wrote it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.base.errors import InputError

_PART = re.compile(
    r"#[^\n]*"
    r"|\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}.*?'{3}"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
    r"|(?P<head>\[\[\s*model\s*\]\])",
    re.DOTALL,
)
"""Comments and texts of several lines, which stay; texts; where the table of a model begins."""


def rewritten(path: Path, data: bytes, changes: Sequence[Mapping[str, str]]) -> bytes:
    """The file with other limits, which are told for each of its models by what they were.

    What comes out is read again, and is refused where it says anything else than that.
    """
    text = data.decode()
    demanded = tomllib.loads(text)
    for model, changed in zip(demanded["model"], changes, strict=True):
        if "limits" in model:
            model["limits"] = [changed.get(limit, limit) for limit in model["limits"]]
    found = _with_others(text, changes)
    if _read(found) != demanded:
        raise InputError(
            "cannot be updated: its limits are not each a text of its own below [[model]]",
            str(path),
        )
    return found.encode()


def _with_others(text: str, changes: Sequence[Mapping[str, str]]) -> str:
    """The text in which limits are replaced wherever they seem to stand."""
    number = -1

    def other(part: re.Match[str]) -> str:
        nonlocal number
        number += part["head"] is not None
        if part["text"] is None or not 0 <= number < len(changes):
            return part[0]
        known = str(_read(f"text = {part[0]}").get("text"))
        return f'"{changes[number][known]}"' if known in changes[number] else part[0]

    return _PART.sub(other, text)


def _read(text: str) -> dict[str, Any]:
    """What TOML says; nothing where it is none, as a part that was cut out may be."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
