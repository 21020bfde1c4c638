"""Messages as bytes: what both ends have already is sent by its name; no Qt.

A run holds the network's constants, megabytes of them; without it an answer takes 150 KB.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from typing import Any, Protocol

from core.api import networks, targets
from core.target.accelerator import Accelerator

_PROTOCOL = 5


class Runs(Protocol):
    """Runs by their keys."""

    def __getitem__(self, key: str, /) -> networks.Run: ...


class _Packer(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, keys: Mapping[int, str]) -> None:
        super().__init__(stream, _PROTOCOL)
        self._keys = keys

    def persistent_id(self, obj: Any) -> tuple[str, str] | None:
        if isinstance(obj, networks.Run):
            key = self._keys.get(id(obj))
            return None if key is None else ("run", key)
        if isinstance(obj, Accelerator) and targets.ACCELERATORS.get(obj.name) == obj:
            return ("accelerator", obj.name)
        return None


class _Unpacker(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, runs: Runs) -> None:
        super().__init__(stream)
        self._runs = runs

    def persistent_load(self, pid: tuple[str, str]) -> Any:
        kind, name = pid
        return self._runs[name] if kind == "run" else targets.ACCELERATORS[name]


def pack(message: object, known: Mapping[str, networks.Run] | None = None) -> bytes:
    """A message as bytes; the known runs in it by their keys."""
    stream = io.BytesIO()
    _Packer(stream, {id(run): key for key, run in (known or {}).items()}).dump(message)
    return stream.getvalue()


def unpack(data: bytes, known: Runs | None = None) -> Any:
    """The message that bytes are; a KeyError if it refers to a run that is not known."""
    return _Unpacker(io.BytesIO(data), known or {}).load()
