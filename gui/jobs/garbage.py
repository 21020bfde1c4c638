"""Collects cyclic garbage in the GUI thread alone, and all of it only when nobody waits.

Python collects in whichever thread happens to allocate. In the thread that unpacks answers that
would end Qt objects outside of the thread that they belong to, and wherever it happens, looking
through everything that the app has loaded stops the GUI for 50 ms and more.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 500


class GarbageCollector(QObject):
    """Takes over from Python's automatic collection until it is stopped."""

    def __init__(
        self, is_quiet: Callable[[], bool], parent: QObject, *, interval_ms: int = INTERVAL_MS
    ) -> None:
        super().__init__(parent)
        self._is_quiet = is_quiet
        self._was_enabled = False
        self._timer = QTimer(self)
        self._timer.setInterval(interval_ms)
        self._timer.timeout.connect(self._tidy)

    def start(self) -> None:
        """Set aside what is loaded by now: it stays, and need not be looked through again."""
        self._was_enabled = gc.isenabled()
        gc.disable()
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """Leave it to Python again."""
        if self._timer.isActive():
            self._timer.stop()
            gc.unfreeze()
            if self._was_enabled:
                gc.enable()

    def _tidy(self) -> None:
        """Collect the generations that Python would have collected by now."""
        due = [count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if due[2] and self._is_quiet():
            gc.collect()
        elif due[1]:
            gc.collect(1)
        elif due[0]:
            gc.collect(0)
