"""The real app as a process that uses itself at random, and says what it has done.

Each line is a word, a time, and a digest of the work: `settled` when the store has changed, `kept`
when that is on the disk, `offered` when a start offers something, `restored` when it shows that.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from core.base.digest import digest_bytes
from core.base.frozen import replace
from core.base.ids import NpuOpId
from gui.document.changes import ChangeSet, Part
from gui.document.display import Span
from gui.document.examples import EXAMPLES
from gui.document.selection import Selection
from gui.document.session import Session, encode
from gui.shell.request import Request
from gui.shell.running import RunningApp
from gui.shell.storage import SystemStorage

SETTLING = (Part.DOCUMENT, Part.ANSWER, Part.SELECTION, Part.SPAN, Part.DISPLAY)
COMMANDS = (
    *("schedule.limit_down", "schedule.limit_up", "schedule.strategy", "edit.undo", "edit.redo"),
    *("view.microseconds", "view.bytes", "view.theme.dark", "edit.clear_selection"),
    *("schedule.limit_down", "edit.undo", "file.example.denoise_int16", "view.panel.cascades"),
)


def say(word: str, session: Session) -> None:
    """Say it without where panels are and how views are set: that settles when they like."""
    text = encode(replace(session, layout="", looks={}, geometry=""))
    line = f"{word} {time.monotonic():.4f} {digest_bytes(text.encode())}\n"
    sys.stdout.write(line)
    sys.stdout.flush()


class User:
    """Does something now and then; restores what is offered first."""

    def __init__(self, app: RunningApp, dice: random.Random) -> None:
        self._app = app
        self._dice = dice
        self._work = app._sessions._work
        self._is_restoring = False
        app.store.changed.connect(self._on_changed)
        begin = app._sessions.begin

        def begun(**asked: object) -> None:
            begin(**asked)
            self._on_begun()

        app._sessions.begin = begun

    def _on_begun(self) -> None:
        sessions = self._app._sessions
        sessions.keeper.writer.kept.connect(lambda session: say("kept", session))
        if sessions.offers:
            say("offered", sessions._offered[0][1])
            self._is_restoring = True
            self._app.actions.run("file.restore_session")
        self._soon(self._act)

    def _on_changed(self, changes: ChangeSet) -> None:
        if self._is_restoring:
            if self._app.store.is_current:
                # The shell has its turn first.
                QTimer.singleShot(0, self._on_restored)
        elif self._app._sessions.keeper is not None and changes.has(*SETTLING):
            say("settled", self._work.session)

    def _on_restored(self) -> None:
        if self._is_restoring:
            self._is_restoring = False
            say("restored", self._work.session)

    def _soon(self, act: Callable[[], None]) -> None:
        QTimer.singleShot(self._dice.choice((1, 10, 40, 120)), act)

    def _act(self) -> None:
        store, answer = self._app.store, self._app.store.answer
        if self._is_restoring:
            pass
        elif answer is not None and self._dice.random() < 0.3:
            ops = answer.scheduled.run.graph.ops
            store.select(Selection(op=NpuOpId(self._dice.randrange(len(ops)))))
            end = self._dice.randrange(1, 10_000)
            store.mark_span(Span(start_cycle=0.5, end_cycle=float(end)))
        else:
            self._app.actions.run(self._dice.choice(COMMANDS))
        self._soon(self._act)


def main(seed: int) -> None:
    """Be used until the process is ended."""
    qt = QApplication(["reefpoint"])
    storage = SystemStorage()
    request = Request(model=str(EXAMPLES / "kws_dscnn.tflite") if seed == 0 else "")
    app = RunningApp(qt, request, storage, sessions=storage.folder / "sessions")
    user = User(app, random.Random(seed))
    app.start()
    qt.exec()
    del user


if __name__ == "__main__":
    main(int(sys.argv[1]))
