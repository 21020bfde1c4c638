"""The folder of session files: one for each running app, those of apps that are gone, the last."""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from core.base.frozen import Frozen

SUFFIX = ".json"
BROKEN = ".broken"

_PREFIX = "session-"
_LAST = f"last{SUFFIX}"
_PATIENCE_S = 2.0
"""Longer than anyone needs the folder for."""
_PAUSE_S = 0.01


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """Held until it is let go, or the process is gone; numbers of processes come again, so it
    is no use to write one down.
    """

    def __init__(self, path: Path, handle: int) -> None:
        self._path = path
        self._handle = handle

    @classmethod
    def take(cls, path: Path) -> Self | None:
        """The lock of this name; None while somebody else, or we ourselves, hold it."""
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
        except (BlockingIOError, PermissionError):
            os.close(handle)
            return None
        except OSError:
            os.close(handle)
            raise
        return cls(path, handle)

    def let_go(self) -> None:
        """Hold it no more."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def remove(self) -> None:
        """Hold it no more, and leave no file; only where nobody can be about to take it."""
        if sys.platform == "win32":
            # An open file cannot be removed there.
            self.let_go()
            self._path.unlink(missing_ok=True)
        else:
            self._path.unlink(missing_ok=True)
            self.let_go()


class Slot(Frozen):
    """A session file, which is ours as long as we hold its lock."""

    file: Path
    lock: FileLock


class SessionFolder:
    """Hands out files, such that two apps never have the same; an OSError where it cannot."""

    def __init__(self, folder: Path) -> None:
        self.path = folder

    @property
    def last(self) -> Path:
        """The session that was left on purpose."""
        return self.path / _LAST

    def take(self) -> Slot:
        """A file of our own that does not exist yet."""
        with self._alone():
            for number in itertools.count(1):
                file = self.path / f"{_PREFIX}{number}{SUFFIX}"
                slot = None if file.exists() else self._claim(file)
                if slot is not None:
                    return slot
        raise AssertionError

    def abandoned(self) -> tuple[Slot, ...]:
        """Files of apps that are gone, the latest first; they are ours now."""
        with self._alone():
            files = self.path.glob(f"{_PREFIX}*{SUFFIX}")
            found = [slot for file in files if (slot := self._claim(file))]
        return tuple(sorted(found, key=lambda slot: slot.file.stat().st_mtime_ns, reverse=True))

    def leave(self, slot: Slot) -> None:
        """Make a session the last one; where there is no file, the last stays."""
        with self._alone():
            if slot.file.exists():
                slot.file.replace(self.last)
            slot.lock.remove()

    def leave_text(self, text: str) -> None:
        """Make a session the last one that has no file of its own."""
        with self._alone():
            write_text(self.last, text, is_durable=False)

    def leave_if_later(self, slot: Slot) -> None:
        """Make a session the last one, unless that was left after it."""
        last = self.last.stat().st_mtime_ns if self.last.exists() else 0
        if slot.file.exists() and slot.file.stat().st_mtime_ns < last:
            self.drop(slot)
        else:
            self.leave(slot)

    def drop(self, slot: Slot) -> None:
        """Remove a session."""
        with self._alone():
            slot.file.unlink(missing_ok=True)
            _part(slot.file).unlink(missing_ok=True)
            slot.lock.remove()

    def let_go(self, slot: Slot) -> None:
        """Leave a session as it is, for whoever comes next."""
        with self._alone():
            slot.lock.remove()

    def set_aside(self, slot: Slot) -> Path:
        """Keep a file that cannot be read out of the way; where it is now."""
        with self._alone():
            aside = put_aside(slot.file)
            slot.lock.remove()
        return aside

    def _claim(self, file: Path) -> Slot | None:
        lock = FileLock.take(file.with_suffix(".lock"))
        return None if lock is None else Slot(file=file, lock=lock)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep others from looking while files change hands."""
        self.path.mkdir(parents=True, exist_ok=True)
        give_up = time.monotonic() + _PATIENCE_S
        while (lock := FileLock.take(self.path / "guard.lock")) is None:
            if time.monotonic() > give_up:
                raise TimeoutError(None, "is held by another process", str(self.path))
            time.sleep(_PAUSE_S)
        try:
            yield
        finally:
            lock.let_go()


def put_aside(file: Path) -> Path:
    """Give a file another name that nobody has yet; the new path."""
    names = itertools.chain([BROKEN], (f".{number}{BROKEN}" for number in itertools.count(2)))
    aside = next(path for name in names if not (path := file.with_name(file.name + name)).exists())
    return file.replace(aside)


def _part(file: Path) -> Path:
    """Where a file is until it is whole; the next try has the same place."""
    return file.with_name(f".{file.name}.part")


def write_text(file: Path, text: str, *, is_durable: bool) -> None:
    """Write a text such that nobody ever sees half of it.

    What is renamed survives the death of the process at once; that it survives a loss of power
    takes time, for which only the last one waits.
    """
    part = _part(file)
    with part.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        if is_durable:
            os.fsync(stream.fileno())
    part.replace(file)
