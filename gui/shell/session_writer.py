"""Writes sessions from a thread of its own, the newest only, soon after they are handed over."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gui.document.session import Session, encode
from gui.shell.session_folder import write_text

PAUSE_S = 0.05
"""While a knob is turned, at most twenty are written in a second."""
_PATIENCE_S = 2.0


class SessionWriter(QObject):
    """A session that is handed over is on the disk a moment later, whatever the window does."""

    kept = Signal(object)
    """A session that is on the disk now."""
    failed = Signal(str)
    """Why one could not be written; the next one is tried all the same."""

    def __init__(self, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file
        self._turn = threading.Condition()
        self._next: Session | None = None
        self._is_writing = False
        self._is_hurried = False
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="session writer", daemon=True)
        self._thread.start()

    def put(self, session: Session) -> None:
        """Hand a session over; takes no time."""
        with self._turn:
            self._next = session
            self._turn.notify_all()

    def flush(self) -> None:
        """Wait until what was handed over is written, or cannot be."""
        with self._turn:
            self._is_hurried = True
            self._turn.notify_all()
            self._turn.wait_for(lambda: not (self._next or self._is_writing), _PATIENCE_S)
            self._is_hurried = False

    def close(self) -> None:
        """Write what was handed over last, and end the thread."""
        with self._turn:
            self._is_closing = True
            self._turn.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while session := self._take():
            self._write(session)
            with self._turn:
                self._is_writing = False
                self._turn.notify_all()

    def _take(self) -> Session | None:
        """What is to be written next; None when there will be nothing more."""
        with self._turn:
            self._turn.wait_for(lambda: self._next or self._is_closing)
            self._turn.wait_for(lambda: self._is_hurried or self._is_closing, PAUSE_S)
            session, self._next = self._next, None
            self._is_writing = session is not None
            return session

    def _write(self, session: Session) -> None:
        try:
            write_text(self._file, encode(session), is_durable=self._is_closing)
        except OSError as error:
            self.failed.emit(f"{self._file.parent}: {error.strerror or error}")
        else:
            self.kept.emit(session)
