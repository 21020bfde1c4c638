"""Keeps the work while it is done: whatever settles is on the disk a moment later."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from gui.document.changes import ChangeSet, Part
from gui.document.history import History
from gui.document.problem import Deed, Problem
from gui.document.session import Session, encode
from gui.shell.banner import Banner
from gui.shell.session_folder import Slot, write_text
from gui.shell.session_work import Work
from gui.state.store import Store

PAUSE_S = 0.05
"""While a knob is turned, at most twenty are written in a second."""
_PATIENCE_S = 2.0
LAYOUT_PAUSE_MS = 200
"""Panels move in many small steps."""

_KEY = "session is not kept"
_PARTS = (
    *(Part.DOCUMENT, Part.ANSWER, Part.SELECTION, Part.SPAN, Part.DISPLAY),
    *(Part.SWEEP, Part.PROOF),
)


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


class Keeper(QObject):
    """Follows the store, and the window, until it is closed."""

    def __init__(
        self, store: Store, work: Work, banner: Banner, slot: Slot, untouched: History | None
    ) -> None:
        super().__init__(work)
        self._store = store
        self._work = work
        self._banner = banner
        self.slot = slot
        self._untouched = untouched
        """What was opened without anybody having asked for it; it is not worth keeping."""
        self._kept: Session | None = None
        """What was handed over last."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LAYOUT_PAUSE_MS)
        self._timer.timeout.connect(self._look)
        self.writer = SessionWriter(slot.file, self)
        self.writer.failed.connect(lambda why: tell_unkept(banner, why))
        self.writer.kept.connect(lambda _: banner.take_back(_KEY))
        store.changed.connect(self._on_changed)
        work.window_changed.connect(self._look_soon)
        self._look()

    @property
    def has_work(self) -> bool:
        """Whether there is anything that is worth keeping."""
        return self._kept is not None

    def keep(self) -> None:
        """Hand over what is there now, where that is something new."""
        session = self._work.session
        is_worth_it = session.model is not None and session.history is not self._untouched
        if is_worth_it and session != self._kept:
            self._kept = session
            self.writer.put(session)

    def close(self) -> None:
        """Keep what is there, and follow no more."""
        self._timer.stop()
        self._store.changed.disconnect(self._on_changed)
        self._work.window_changed.disconnect(self._look_soon)
        self._work.look_at_window()
        if self._kept is not None:
            self.writer.put(self._work.session)
        self.writer.close()

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(*_PARTS):
            self.keep()
            # Views are set anew then, by the user or by themselves.
            self._look_soon()

    def _look_soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _look(self) -> None:
        self._work.look_at_window()
        self.keep()


def tell_unkept(banner: Banner, why: str) -> None:
    """Say that work may be lost, and how not to lose it."""
    banner.add(
        Problem(
            key=_KEY,
            message=f"The session cannot be kept: {why}.",
            advice="Should Reefpoint be ended, what is done now is lost. Save it elsewhere.",
            deeds=(Deed("file.save_session"),),
        )
    )
