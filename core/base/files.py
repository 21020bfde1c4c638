"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from core.base.errors import OptionError

_NAME_CHARACTERS = 60
"""Of a file's name in that of its temporary one, which has to stay within what a disk allows."""


def demand_place(path: Path) -> None:
    """Refuse a file that could not be written anyway, before any work is done for it."""
    with _told(path):
        if path.is_dir():
            raise IsADirectoryError(None, "Is a directory")
        if not path.parent.is_dir():
            raise FileNotFoundError(None, "No such file or directory")
        if not os.access(path if _is_device(path) else path.parent, os.W_OK):
            raise PermissionError(None, "Permission denied")


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write all files such that nobody ever sees half of one, or none of them.

    Each is written under another name, read back, and takes its own name when all are there.
    """
    waiting: list[tuple[Path, Path]] = []
    try:
        for path, content in contents.items():
            with _told(path):
                if _is_device(path):
                    path.write_bytes(content)
                    continue
                # A link stays a link: what it points to is replaced.
                final = path.resolve()
                waiting.append((path, _unused(final)))
                _write_checked(waiting[-1][1], content)
        for path, temporary in waiting:
            with _told(path):
                temporary.replace(path.resolve())
    finally:
        for _, temporary in waiting:
            temporary.unlink(missing_ok=True)


def _write_checked(temporary: Path, content: bytes) -> None:
    with temporary.open("xb") as stream:
        stream.write(content)
        stream.flush()
        # Some disks say only now that they are full.
        os.fsync(stream.fileno())
    if temporary.read_bytes() != content:
        raise OSError(None, "what was written reads back as something else")


def _unused(final: Path) -> Path:
    """A name beside a file's own that no file has."""
    number = 0
    while True:
        name = f".{final.name[:_NAME_CHARACTERS]}.{os.getpid()}.{number}"
        if not os.path.lexists(final.with_name(name)):
            return final.with_name(name)
        number += 1


def _is_device(path: Path) -> bool:
    """Whether something is there that cannot be replaced, such as a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or 'cannot be written'}") from error
