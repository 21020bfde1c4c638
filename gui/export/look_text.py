"""How views are set, as a text that outlives the process; no Qt."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from gui.export.orders import Look
from gui.items.ranges import Range


def encoded(looks: Mapping[str, Look], version: int) -> str:
    """How views are set, by their names; parts are found again where views are made alike."""
    views = {
        name: [(part, place, _plain(value)) for part, place, value in look.settings]
        for name, look in looks.items()
    }
    return json.dumps({"version": version, "views": views}, separators=(",", ":"))


def decoded(text: str, version: int) -> Mapping[str, Look]:
    """The same again; nothing of what another version or nobody has written."""
    try:
        plain = json.loads(text)
        if plain["version"] != version:
            return {}
        return {
            str(name): Look(
                tuple((part, int(place), _READ[part](value)) for part, place, value in settings)
            )
            for name, settings in plain["views"].items()
        }
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else value


def _of(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"{value!r} is no {kind.__name__}")
        return value

    return read


def _range(value: Any) -> Range:
    start, end = map(float, value)
    if not (math.isfinite(start) and math.isfinite(end) and start < end):
        raise ValueError(f"{value!r} is no range")
    return Range(start, end)


def _ranges(value: Any) -> tuple[Range, Range]:
    along_x, along_y = value
    return _range(along_x), _range(along_y)


_READ: Mapping[str, Callable[[Any], Any]] = {
    "tab": _of(int),
    "combo": _of(int),
    "button": _of(bool),
    "line": _of(str),
    "header": lambda value: base64.b64decode(value, validate=True),
    "slider": _of(int),
    "plot": _ranges,
    "scroll": _of(int),
}
"""By kind of part: what was written, or an error where that is something else."""
