"""Opens the app as its command does, and prints when its parts are seen; `bench_app` runs it.

Each line has seconds since the start of the process, and processor time of the window until then.
"""

from __future__ import annotations

import os
import time
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

import main
from gui.shell import opening
from gui.shell.opening import Opening
from gui.shell.request import Request

STARTED = "BENCH_STARTED"
"""In the environment: when the process was started."""
_LOOK_MS = 2


def tell(what: str) -> None:
    """Say that something has been seen."""
    seconds = time.time() - float(os.environ[STARTED])
    print(what, seconds, time.process_time(), flush=True)


class Watch:
    """Looks for the window and its first answer, and closes the app then."""

    def __init__(self, first: Opening) -> None:
        self._timer = QTimer(first.qt)
        self._timer.timeout.connect(self._look)
        self._timer.start(_LOOK_MS)

    def _look(self) -> None:
        for window in QApplication.topLevelWidgets():
            if isinstance(window, QMainWindow) and window.objectName() == "window":
                status: Any = window.statusBar()
                store = status._store
                if store.is_current and store.turns.are_taken:
                    self._timer.stop()
                    tell("answer")
                    window.close()


def run(model: str) -> int:
    """Open a model until its first answer is shown."""
    show, watches = opening.show, []

    def watched(request: Request) -> Opening:
        first = show(request)
        tell("paint")
        watches.append(Watch(first))
        return first

    opening.show = watched
    return main.main([model])
