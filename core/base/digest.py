"""Content digests of values: the same in every process, so that results can be cached by them."""

from __future__ import annotations

import enum
import hashlib
from array import array
from collections.abc import Callable, Mapping
from typing import Any

from core.base.errors import InternalError
from core.base.frozen import Frozen, compared

DIGEST_BYTES = 16


def digest_bytes(data: bytes | bytearray | memoryview) -> str:
    """Digest of raw bytes."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).hexdigest()


def digest(value: object) -> str:
    """Digest of a frozen value: its type names, its fields, and what they hold."""
    state = hashlib.blake2b(digest_size=DIGEST_BYTES)
    _walk(value, state.update)
    return state.hexdigest()


def _walk(value: Any, put: Callable[[bytes], None]) -> None:
    if value is None or isinstance(value, (bool, int, float, str)):
        put(f"{type(value).__name__}:{value!r};".encode())
    elif isinstance(value, bytes):
        put(b"bytes:%d:" % len(value))
        put(value)
    elif isinstance(value, enum.Enum):
        put(f"{type(value).__name__}.{value.name};".encode())
    elif isinstance(value, tuple):
        put(f"{type(value).__name__}({len(value)}".encode())
        kinds = set(map(type, value))
        # The channels of a network have many scales and zero points.
        if kinds == {float}:
            put(b"floats:" + array("d", value).tobytes())
        elif kinds == {int}:
            put(f"ints:{','.join(map(repr, value))};".encode())
        else:
            for item in value:
                _walk(item, put)
    else:
        _walk_named_parts(value, put)


def _walk_named_parts(value: Any, put: Callable[[bytes], None]) -> None:
    if isinstance(value, Mapping):
        put(f"map({len(value)}".encode())
        for key in sorted(value):
            _walk(key, put)
            _walk(value[key], put)
    elif isinstance(value, Frozen):
        put(f"{type(value).__name__}{{".encode())
        for name, part in compared(value):
            put(f"{name}=".encode())
            _walk(part, put)
    else:
        raise InternalError(f"a {type(value).__name__} has no digest")
