"""Weights that stand in files beside a program, by the names that blobs have for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from core.base.errors import InputError, about
from core.base.files import read_bytes
from core.executorch.container import open_data

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


def entry_of(files: Iterable[bytes], key: str) -> bytes | None:
    """What the first of some files of data that has an entry holds there."""
    for data in files:
        container = open_data(data)
        for view in container.root.tables("named_data"):
            if view.string("key") == key:
                return container.bytes_of(view.scalar("segment_index"), "named data")
    return None
