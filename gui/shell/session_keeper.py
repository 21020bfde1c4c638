"""Keeps the work while it is done: whatever settles is on the disk a moment later."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from gui.document.changes import ChangeSet, Part
from gui.document.history import History
from gui.document.problem import Deed, Problem
from gui.document.session import Session
from gui.shell.banner import Banner
from gui.shell.session_folder import Slot
from gui.shell.session_work import Work
from gui.shell.session_writer import SessionWriter
from gui.state.store import Store

LAYOUT_PAUSE_MS = 200
"""Panels move in many small steps."""

_KEY = "session is not kept"
_PARTS = (Part.DOCUMENT, Part.ANSWER, Part.SELECTION, Part.SPAN, Part.DISPLAY)


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
