"""What letting go of something would come to, tried while it is held."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from gui.document.changes import ChangeSet, Part
from gui.document.decisions import Deed
from gui.present.decide.form import price_text
from gui.present.memory.ahead import moved_text
from gui.state.store import Store, after
from gui.widgets.held_overlay import HeldOverlay

_REST_MS = 40
"""A pointer that goes on sooner has not come to where it would let go."""
_TRYING = "trying..."


class Foresight(QObject):
    """Tells it below the hint, and has the memory map draw it, as soon as the pointer rests.

    It is the very schedule that letting go asks for: what is told here is what is shown then.
    """

    def __init__(self, store: Store, overlay: HeldOverlay) -> None:
        super().__init__(overlay)
        self._store, self.overlay = store, overlay
        self._deed: Deed | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REST_MS)
        self._timer.timeout.connect(self._try)
        store.changed.connect(self._changed)

    def hold(self, deed: Deed | None) -> None:
        """Something else would come of letting go; nothing, or it is let go."""
        if deed == self._deed:
            return
        self._deed = deed
        self.overlay.tell("")
        self._store.trials.hold(None)
        if deed is None:
            self._timer.stop()
        else:
            self._timer.start()

    def _try(self) -> None:
        if self._deed is not None:
            self._store.trials.hold(after(self._store, self._deed))
            self._tell()

    def _changed(self, changes: ChangeSet) -> None:
        if self._deed is not None and changes.has(Part.TRIALS):
            self._tell()

    def _tell(self) -> None:
        trials, answer = self._store.trials, self._store.answer
        trial = trials.of(trials.held)
        if trial is not None and answer is not None:
            price = price_text(trial, answer)
            can_be_had = trial.can_be_had(answer.document.edits)
            self.overlay.tell(f"{price}; {moved_text(trial.moved)}" if can_be_had else price)
        elif trials.missing:
            self.overlay.tell(_TRYING)
