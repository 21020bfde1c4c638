"""Files of notes: the user chooses one, and has its notes beside those that are there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from core.api import notes
from core.base.errors import CoreError
from core.base.files import read_bytes
from gui.commands.app import Problems
from gui.present.notes.rows import not_read
from gui.state.store import Store

_KNOWN = "Notes, schedules with notes (*.json);;All (*)"


class NoteFiles:
    """Reads notes from files of them, and from the JSON of schedules."""

    def __init__(self, store: Store, problems: Problems, window: QWidget) -> None:
        self._store, self._problems, self._window = store, problems, window

    def ask(self) -> None:
        """Let the user choose a file."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Notes from a file", "", _KNOWN)
        if path:
            self.read(path)

    def read(self, path: str) -> bool:
        """Have the notes of a file too; else say why not."""
        whole, known = Path(path).absolute(), self._store.notes.entries
        try:
            found = notes.decode(read_bytes(whole))
        except CoreError as error:
            self._problems.add(not_read(whole.name, str(error)))
            return False
        new = tuple(note for note in found if note not in known)
        self._store.notes.set((*known, *new), f"Notes of {whole.name}")
        return True
