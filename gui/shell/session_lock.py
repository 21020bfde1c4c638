"""A file that one process holds; the system takes it back however that process ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Self

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
