"""Messages as bytes: what both ends have already is sent by its name; no Qt.

A run holds the network's constants, megabytes of them; without it an answer takes 150 KB.
"""

from __future__ import annotations

import copyreg
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
    """Asks of two classes alone what is sent by its name: a question has thousands of values."""

    def __init__(self, stream: io.BytesIO, keys: Mapping[int, str]) -> None:
        super().__init__(stream, _PROTOCOL)
        self._keys = keys
        ways: dict[type, Any] = {networks.Run: self._run, Accelerator: _named}
        self.dispatch_table = {**copyreg.dispatch_table, **ways}

    def _run(self, run: networks.Run) -> Any:
        key = self._keys.get(id(run))
        return run.__reduce_ex__(_PROTOCOL) if key is None else (_run_of, (key,))


class _Unpacker(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, runs: Runs) -> None:
        super().__init__(stream)
        self._runs = runs

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        return self._runs.__getitem__ if found is _run_of else found


def _run_of(key: str) -> networks.Run:
    """Stands for the runs of whoever unpacks."""
    raise KeyError(key)


def _named(accelerator: Accelerator) -> Any:
    if targets.ACCELERATORS.get(accelerator.name) == accelerator:
        return _accelerator_of, (accelerator.name,)
    return accelerator.__reduce_ex__(_PROTOCOL)


def _accelerator_of(name: str) -> Accelerator:
    return targets.ACCELERATORS[name]


def pack(message: object, known: Mapping[str, networks.Run] | None = None) -> bytes:
    """A message as bytes; the known runs in it by their keys."""
    stream = io.BytesIO()
    _Packer(stream, {id(run): key for key, run in (known or {}).items()}).dump(message)
    return stream.getvalue()


def unpack(data: bytes, known: Runs | None = None) -> Any:
    """The message that bytes are; a KeyError if it refers to a run that is not known."""
    return _Unpacker(io.BytesIO(data), known or {}).load()
