"""How far a long computation is: a line on a terminal that is written over, or lines of JSON."""

from __future__ import annotations

from collections.abc import Callable

from core.base.harmless import to_json, visible
from core.base.progress import Progress
from core.report.json_forms.stamp import stamp

PATIENCE_S = 1.0
"""What takes less is over before anyone asks."""
PAUSE_S = 0.1

Write = Callable[[str], None]
Clock = Callable[[], float]


class ProgressLine:
    """Progress that writes its stage and percentage; the caller gives it a clock and a pen."""

    def __init__(self, write: Write, clock: Clock) -> None:
        self._write = write
        self._clock = clock
        self._due = clock() + PATIENCE_S
        self._width = 0

    def advance(self, stage: str, done: int, total: int) -> None:
        """Write where the computation is, unless something was written a moment ago."""
        now = self._clock()
        if now < self._due:
            return
        text = f"{visible(stage)} {100 * done // max(total, 1)} %"
        self._write("\r" + text.ljust(self._width))
        self._width = len(text)
        self._due = now + PAUSE_S

    def clear(self) -> None:
        """Leave the line empty, with the cursor where it was."""
        if self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0


class ProgressJson:
    """Progress as a line of JSON for each stage, and more of them while one lasts."""

    def __init__(self, write: Write, clock: Clock) -> None:
        self._write = write
        self._clock = clock
        self._due = clock()
        self._stage = ""

    def advance(self, stage: str, done: int, total: int) -> None:
        """Write a line where a stage begins, and later not more than some in a second."""
        now = self._clock()
        if stage == self._stage and now < self._due:
            return
        self._stage, self._due = stage, now + PAUSE_S
        line = {**stamp("progress"), "progress": stage, "done": done, "total": total}
        self._write(to_json(line) + "\n")

    def clear(self) -> None:
        """Nothing is to be taken back."""


class StageTimes:
    """Tells how long each stage took when the next one begins, and passes progress on."""

    def __init__(self, tell: Callable[[str, float], None], clock: Clock, onward: Progress) -> None:
        self._tell = tell
        self._clock = clock
        self._onward = onward
        self._stage = ""
        self._began = clock()

    def advance(self, stage: str, done: int, total: int) -> None:
        """Tell of the stage before, where this is another one."""
        if stage != self._stage:
            self.end()
            self._stage = stage
        self._onward.advance(stage, done, total)

    def end(self) -> None:
        """Tell of the last one."""
        now = self._clock()
        if self._stage:
            self._tell(self._stage, now - self._began)
        self._stage, self._began = "", now
