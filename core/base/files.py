"""Files that are read, and those that are written whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from core.base.alive import is_gone
from core.base.errors import InputError, OptionError
from core.base.frozen import NamedTuple

_NAME_CHARACTERS = 60
"""Of a file's name in that of its temporary one, which has to stay within what a disk allows."""


def demand_place(path: Path) -> None:
    """Refuse a file that could not be written anyway, before any work is done for it."""
    with told(path):
        # A link stays a link: what it points to is written.
        final = Path(os.path.realpath(path))
        with suppress(FileNotFoundError):
            path.stat()
        if final.is_dir():
            raise IsADirectoryError(None, "Is a directory")
        if not final.parent.is_dir():
            raise FileNotFoundError(None, "No such file or directory")
        touched = [final] if final.exists() else []
        touched += [] if _is_device(final) else [final.parent]
        if not all(os.access(part, os.W_OK) for part in touched):
            raise PermissionError(None, "Permission denied")


def demand_folder(folder: Path) -> None:
    """Refuse a folder that is not there and could not be made, or that takes no files."""
    known = next(part for part in (folder, *folder.parents) if os.path.lexists(part))
    with told(folder):
        if not known.is_dir():
            raise NotADirectoryError(None, "Not a directory")
        if not os.access(known, os.W_OK):
            raise PermissionError(None, "Permission denied")


@contextmanager
def made_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Make folders where they are not there, and take them back where what follows fails."""
    made: list[Path] = []
    try:
        for folder in folders:
            for part in (*reversed(folder.parents), folder):
                with told(part):
                    if not part.is_dir():
                        part.mkdir()
                        made.append(part)
        yield
    except BaseException:
        for part in reversed(made):
            with suppress(OSError):
                part.rmdir()
        raise


def as_utf8(text: str) -> bytes:
    """A text as files have it; what in the name of a file is no text is told as numbers."""
    return text.encode("utf-8", "backslashreplace")


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write all files such that nobody ever sees half of one, or none of them.

    Each is written under another name, read back, and takes its own name when all are there. What
    somebody began to write and was ended at is taken away.
    """
    waiting: list[_Waiting] = []
    try:
        for path, content in contents.items():
            with told(path):
                if _is_device(path):
                    path.write_bytes(content)
                    continue
                # A link stays a link: what it points to is replaced.
                final = path.resolve()
                _take_away_left(final)
                waiting.append(_Waiting(path, final, _unused(final)))
                _write_checked(waiting[-1].temporary, content)
        _take_their_names(waiting)
    finally:
        for each in waiting:
            each.temporary.unlink(missing_ok=True)


class _Waiting(NamedTuple):
    """A file that is there under another name yet."""

    path: Path
    final: Path
    temporary: Path


def _take_their_names(waiting: Sequence[_Waiting]) -> None:
    """Let all files be what they are to be; where one cannot, all are what they were."""
    before: list[tuple[Path, Path | None]] = []
    try:
        for each in waiting:
            with told(each.path):
                if each is not waiting[-1]:
                    before.append((each.final, _kept_aside(each.final)))
                each.temporary.replace(each.final)
    except BaseException:
        # An interrupt may come when the last has its name already.
        if waiting[-1].temporary.exists():
            for final, aside in reversed(before):
                _put_back(final, aside)
        raise
    finally:
        for _, aside in before:
            if aside is not None:
                aside.unlink(missing_ok=True)


def _kept_aside(final: Path) -> Path | None:
    """Another name under which a file keeps what is in it; nothing where there is none."""
    if not final.exists():
        return None
    aside = _unused(final)
    try:
        os.link(final, aside)
    except OSError:
        # Some disks know one name of a file alone.
        shutil.copy2(final, aside)
    return aside


def _put_back(final: Path, aside: Path | None) -> None:
    """Let a file be what it was."""
    if aside is None:
        final.unlink(missing_ok=True)
    else:
        os.replace(aside, final)  # noqa: PTH105 - what may have failed is the other way to do it


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
        name = f"{_temporary_name(final)}.{os.getpid()}.{number}"
        if not os.path.lexists(final.with_name(name)):
            return final.with_name(name)
        number += 1


def _take_away_left(final: Path) -> None:
    """Take away what processes have left that were ended in the midst of writing a file."""
    name = re.compile(rf"{re.escape(_temporary_name(final))}\.(\d+)\.\d+")
    with suppress(OSError), os.scandir(final.parent) as entries:
        left = [
            entry.path
            for entry in entries
            if (found := name.fullmatch(entry.name))
            and entry.is_file(follow_symlinks=False)
            and is_gone(int(found[1]))
        ]
        for path in left:
            Path(path).unlink(missing_ok=True)


def _temporary_name(final: Path) -> str:
    """How names of files begin that are to become another."""
    return f".{final.name[:_NAME_CHARACTERS]}"


def _is_device(path: Path) -> bool:
    """Whether something is there that cannot be replaced, such as a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Let what the system says of a file be one line that names it."""
    try:
        yield
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or 'cannot be written'}") from error


def read_bytes(path: Path) -> bytes:
    """A file's content; an InputError that says what is wrong where it cannot be had."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(error.strerror or "cannot be read", str(path)) from error
