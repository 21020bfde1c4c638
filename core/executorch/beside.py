"""Weights that blobs have by a name alone: in the program itself, or in files beside it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path

from core.base.errors import InputError, about
from core.base.files import read_bytes
from core.executorch.container import Container, open_data, open_program, unbundled

Beside = Callable[[str], bytes | None]
"""What an entry holds, by its key; None where no file has it."""


def nothing_beside(_: str) -> None:
    """Where there is no other file."""
    return


def beside(path: Path) -> Beside:
    """What files of data (.ptd) in a program's folder hold; they are read when one is asked."""

    def found(key: str) -> bytes | None:
        broken: InputError | None = None
        for each in sorted(path.parent.glob("*.ptd")):
            try:
                with about(each):
                    entry = entry_of((read_bytes(each),), key)
            except InputError as error:
                broken = error
                continue
            if entry is not None:
                return entry
        if broken is not None:
            raise broken
        return None

    return found


def own_first(program: bytes, others: Beside) -> Beside:
    """What a program has by a name itself, or else other files."""
    container = open_program(unbundled(program))

    @functools.cache
    def found(key: str) -> bytes | None:
        own = _entry(container, key)
        return others(key) if own is None else own

    return found


def entry_of(files: Iterable[bytes], key: str) -> bytes | None:
    """What the first of some files of data that has an entry holds there."""
    entries = (_entry(open_data(data), key) for data in files)
    return next((entry for entry in entries if entry is not None), None)


def _entry(container: Container, key: str) -> bytes | None:
    for view in container.root.tables("named_data"):
        if view.string("key") == key:
            return container.bytes_of(view.scalar("segment_index"), "named data")
    return None
