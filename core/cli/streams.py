"""Standard output and error of a process, whose readers may leave before its work is done."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from core.cli import exits
from core.cli.output import complain

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_GONE = {errno.EPIPE, errno.EINVAL} if os.name == "nt" else {errno.EPIPE}
"""What writing to a pipe without a reader is."""


class _Patient(io.FileIO):
    """What nobody hears is not missed; another fault is told when the work is done."""

    fault = ""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write what can be written, and take the rest as if it had been."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in _GONE:
                self.fault = error.strerror or "cannot be written"
            return memoryview(data).nbytes


def heard(work: Callable[[], int]) -> int:
    """The exit code of some work, whether or not somebody reads what it says."""
    _fill_gaps()
    out, err = _Patient(1, "w", closefd=False), _Patient(2, "w", closefd=False)
    sys.stdout, sys.stderr = _stream(sys.stdout, out), _stream(sys.stderr, err)
    try:
        code = work()
    except SystemExit as end:
        # Help was printed.
        code = int(end.code or exits.OK)
    sys.stdout.flush()
    if out.fault:
        complain(f"standard output: {out.fault}")
        return code or exits.REFUSED
    return code


def _fill_gaps() -> None:
    """Have nothing in the places of streams that are closed: files would take them."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)  # noqa: FBT003 - its only way
    os.close(number)


def _stream(old: TextIO | None, raw: _Patient) -> io.TextIOWrapper:
    """A stream into a descriptor, which writes what its encoding lacks as numbers."""
    if isinstance(old, io.TextIOWrapper) and old.isatty():
        old.reconfigure(errors="backslashreplace")
        return old
    encoding = getattr(old, "encoding", None)
    is_error = raw.fileno() == 2
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=is_error
    )
