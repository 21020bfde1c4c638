"""Folders and files of which nobody but their user has written a byte.

Where a system knows no owners, everything is its user's.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from core.base.errors import InputError

_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_STRANGERS_WRITE = 0o022


def made_private(folder: Path) -> None:
    """Make a folder that only its user may look into; one that is there stays as it is."""
    for part in (*reversed(folder.parents), folder):
        if not part.exists():
            part.mkdir(_FOLDER_MODE, exist_ok=True)
    demand_private(folder)


def demand_private(folder: Path) -> None:
    """Refuse a folder that others can have put something into."""
    _demand_own(folder, folder.stat(), stat.S_ISDIR)


def private_file(path: Path) -> None:
    """Let nobody else look into a file."""
    path.chmod(_FILE_MODE)


def read_private(path: Path, most_bytes: int) -> bytes:
    """What is in a file; refused where that is too much, or where others can have written it."""
    # A link may lead anywhere, and whoever opens a pipe may wait for ever.
    flags = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC")
    number = os.open(path, os.O_RDONLY | sum(getattr(os, flag, 0) for flag in flags))
    with os.fdopen(number, "rb") as stream:
        status = os.fstat(number)
        _demand_own(path, status, stat.S_ISREG)
        if status.st_size > most_bytes:
            raise InputError(f"has more than {most_bytes:,} bytes", str(path))
        return stream.read(status.st_size)


def _demand_own(path: Path, status: os.stat_result, is_kind: Callable[[int], bool]) -> None:
    if not is_kind(status.st_mode):
        raise InputError("is something else", str(path))
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid != os.geteuid():
        raise InputError("belongs to another user", str(path))
    if status.st_mode & _STRANGERS_WRITE:
        raise InputError("others can write there", str(path))
