"""How a long computation shows on a terminal: one line that is written over and over."""

from __future__ import annotations

from collections.abc import Callable

from core.base.harmless import visible

PATIENCE_S = 1.0
"""What takes less is over before anyone asks."""
TERMINAL_PAUSE_S = 0.1
PLAIN_PAUSE_S = 5.0
"""Between lines that stay, as in the log of a build."""


class ProgressLine:
    """Progress that writes its stage and percentage; the caller gives it a clock and a pen."""

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float], *, is_terminal: bool
    ) -> None:
        self._write = write
        self._clock = clock
        self._is_terminal = is_terminal
        self._due = clock() + PATIENCE_S
        self._width = 0

    def advance(self, stage: str, done: int, total: int) -> None:
        """Write where the computation is, unless something was written a moment ago."""
        now = self._clock()
        if now < self._due:
            return
        text = f"{visible(stage)} {100 * done // max(total, 1)} %"
        if self._is_terminal:
            self._write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._write(f"reefpoint: {text}\n")
        self._due = now + (TERMINAL_PAUSE_S if self._is_terminal else PLAIN_PAUSE_S)

    def clear(self) -> None:
        """Leave the line empty, with the cursor where it was."""
        if self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0
