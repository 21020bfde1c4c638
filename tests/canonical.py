"""Canonical text of any frozen value: for goldens, for diffs."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any

from core.base.digest import digest_bytes
from core.base.errors import InternalError
from core.base.frozen import Frozen, compared

_INLINE_WIDTH = 88


def canonical_text(value: object) -> str:
    """Text that is equal exactly when two values are equal, with one line for each part."""
    return "\n".join(_lines("", value, "")) + "\n"


def _lines(label: str, value: Any, indent: str) -> Iterator[str]:
    head = f"{indent}{label}: " if label else indent
    inline = _inline(value)
    # A scalar has no parts, so that it stays in its line however long it is.
    is_short = inline is not None and len(head) + len(inline) <= _INLINE_WIDTH + len(indent)
    if inline is not None and (is_short or _scalar(value) is not None):
        yield head + inline
        return
    parts = list(_parts(value))
    yield f"{head}{type(value).__name__}" + (f"[{len(parts)}]" if isinstance(value, tuple) else "")
    for name, part in parts:
        yield from _lines(name, part, indent + "  ")


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Frozen):
        yield from compared(value)
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield str(key), value[key]
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield str(index), item
    else:
        raise InternalError(f"a {type(value).__name__} has no parts")


def _inline(value: Any) -> str | None:
    """The value in one line, or None when it has parts that want lines of their own."""
    scalar = _scalar(value)
    if scalar is not None:
        return scalar
    if isinstance(value, tuple):
        items = [_scalar(item) for item in value]
        if all(item is not None for item in items):
            return "(" + ", ".join(item for item in items if item is not None) + ")"
        return None
    if isinstance(value, Frozen):
        shown = [(name, _inline(part)) for name, part in _parts(value)]
        if all(text is not None for _, text in shown):
            inner = ", ".join(f"{name}={text}" for name, text in shown)
            return f"{type(value).__name__}({inner})"
        return None
    if isinstance(value, Mapping):
        return None
    raise InternalError(f"a {type(value).__name__} has no canonical text")


def _scalar(value: Any) -> str | None:
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, bytes):
        shown = value.hex() if len(value) <= 32 else "#" + digest_bytes(value)
        return f"bytes({len(value)}):{shown}"
    if isinstance(value, enum.Enum):
        return value.name
    return None
