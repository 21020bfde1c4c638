"""What a run says beside its results: how much of it, in which form, and to which log.

Each run has one voice, which whatever it calls finds by `voice()`.
"""

from __future__ import annotations

import enum
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from core.base.files import told
from core.base.frozen import Frozen
from core.base.harmless import visible
from core.base.progress import SILENT, Progress
from core.base.version import VERSION
from core.report.progress_line import ProgressJson, ProgressLine, StageTimes

LOG_HEAD = "# Reefpoint log"


class Shown(enum.Enum):
    """How progress is shown."""

    TERMINAL = "terminal"
    JSON = "json"


class Voice(Frozen):
    """How loud a run is."""

    is_quiet: bool = False
    is_verbose: bool = False
    shown: Shown = Shown.TERMINAL
    log: TextIO | None = None

    def complain(self, line: str) -> None:
        """Say what goes wrong, which nobody can ask not to hear."""
        self._note(line)
        print(f"reefpoint: {visible(line)}", file=sys.stderr)

    def remark(self, line: str) -> None:
        """Say what else is no result."""
        self._note(line)
        if not self.is_quiet:
            print(f"reefpoint: {visible(line)}", file=sys.stderr)

    def _note(self, line: str) -> None:
        if self.log is not None:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            self.log.write(f"{now} {visible(line)}\n")
            self.log.flush()

    def _tell_stage(self, stage: str, seconds: float) -> None:
        text = f"{stage}: {seconds:.2f} s"
        (self.remark if self.is_verbose else self._note)(text)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Progress on standard error, which is left as it was."""
        line = self._line()
        stages = StageTimes(self._tell_stage, time.monotonic, line or SILENT)
        try:
            yield stages
        finally:
            if line is not None:
                line.clear()
            stages.end()

    def _line(self) -> ProgressLine | ProgressJson | None:
        if self.shown is Shown.JSON:
            return ProgressJson(_write, time.monotonic)
        if self.is_quiet or not sys.stderr.isatty():
            return None
        return ProgressLine(_write, time.monotonic)


def _write(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


_VOICE: ContextVar[Voice] = ContextVar("voice")


def voice() -> Voice:
    """That of the run that is going on."""
    return _VOICE.get(Voice())


@contextmanager
def spoken_by(spoken: Voice) -> Iterator[None]:
    """Let a run have this voice."""
    before = _VOICE.set(spoken)
    try:
        yield
    finally:
        _VOICE.reset(before)


@contextmanager
def logged(path: Path | None, argv: Sequence[str]) -> Iterator[TextIO | None]:
    """The log of a run, with what was asked for at its head and how long it took at its end."""
    if path is None:
        yield None
        return
    began = time.monotonic()
    with told(path):
        stream = path.open("w", encoding="utf-8", errors="backslashreplace")
    with stream:
        stream.write(f"{LOG_HEAD} of {VERSION}: {visible(' '.join(argv))}\n")
        try:
            yield stream
        finally:
            stream.write(f"{time.monotonic() - began:.2f} s\n")
