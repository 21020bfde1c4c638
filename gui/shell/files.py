"""Opens models, remembers them, and reads them again when they change on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.api import networks
from core.base.digest import digest_bytes
from core.base.errors import CoreError
from gui.commands.file import EXAMPLES
from gui.document.document import ModelRef
from gui.document.history import History
from gui.document.measurement import Measurement
from gui.document.session import moved
from gui.present.measured import KEY as MEASURED_KEY
from gui.present.measured import imported, refused
from gui.present.problems import changed_note, unreadable
from gui.shell.banner import Banner
from gui.shell.remembered import Remembered
from gui.shell.watch import FileWatch
from gui.state.store import Store

SUFFIX = ".tflite"


class Files(QObject):
    """Where models come from."""

    def __init__(
        self, store: Store, remembered: Remembered, banner: Banner, window: QWidget
    ) -> None:
        super().__init__(window)
        self._store = store
        self._remembered = remembered
        self._banner = banner
        self._window = window
        self._watch = FileWatch(self)
        self._watch.changed.connect(self._on_changed_on_disk)

    def ask(self) -> None:
        """Let the user choose a model."""
        model = self._store.document.model
        folder = str(Path(model.path).parent) if model else ""
        path, _ = QFileDialog.getOpenFileName(
            self._window, "Open a model", folder, f"TensorFlow Lite models (*{SUFFIX});;All (*)"
        )
        if path:
            self.open(path)

    def find(self) -> None:
        """Let the user show where the open model is now; what is asked of it stays."""
        known = self._store.document.model
        if known is None:
            return
        path, _ = QFileDialog.getOpenFileName(
            self._window, f"Where is {known.name}?", "", f"{known.name} (*{SUFFIX});;All (*)"
        )
        model = self._read(path) if path else None
        if model is not None:
            self.resume(moved(self._store.history, known, model))
            if model.digest != known.digest:
                self._banner.add(changed_note(model.name))

    def resume(self, history: History) -> None:
        """Turn to work as it was left."""
        self._store.resume(history)
        model = history.present.document.model
        if model is not None:
            self._follow(model)

    def open(self, path: str) -> bool:
        """Open a model; where it cannot be read, say so and leave everything as it is."""
        model = self._read(path)
        if model is None:
            return False
        self._store.open(replace(self._store.document, model=model))
        self._follow(model)
        return True

    def _follow(self, model: ModelRef) -> None:
        """Notice when a model changes, and remember it."""
        self._watch.watch(model.path)
        if Path(model.path).parent != EXAMPLES:
            self._remembered.change(self._remembered.preferences.with_recent(model.path))

    def reload(self) -> None:
        """Read the open model again."""
        known = self._store.document.model
        model = self._read(known.path) if known else None
        if model is not None:
            self._store.renew_model(model)

    def forget_recents(self) -> None:
        """Remember no model."""
        self._remembered.change(self._remembered.preferences.without_recents())

    def ask_measured(self) -> None:
        """Let the user choose a file of measured cycles."""
        path, _ = QFileDialog.getOpenFileName(
            self._window, "Import measured cycles", "", "Measured cycles (*.json *.csv);;All (*)"
        )
        if path:
            self.measure(path)

    def measure(self, path: str) -> bool:
        """Show measured cycles beside the estimates; where that cannot be, say why."""
        whole = Path(path).absolute()
        name = whole.name
        try:
            data = networks.read_bytes(whole)
            self._store.set_measurement(Measurement(path=str(whole), data=data))
        except CoreError as error:
            self._banner.add(refused(name, str(error)))
            return False
        if self._store.answer is not None:
            self._banner.add(imported(name, self._store.answer))
        return True

    def forget_measured(self) -> None:
        """Show estimates alone."""
        self._store.set_measurement(None)
        self._banner.take_back(MEASURED_KEY)

    def _read(self, path: str) -> ModelRef | None:
        # A relative path would be another file to a process that works elsewhere.
        whole = Path(path).absolute()
        try:
            data = networks.read_bytes(whole)
        except CoreError as error:
            self._banner.add(unreadable(str(whole), str(error)))
            return None
        self._banner.take_back(unreadable(str(whole)).key)
        return ModelRef(path=str(whole), digest=digest_bytes(data))

    def _on_changed_on_disk(self) -> None:
        model = self._store.document.model
        # Gone for a moment is how many programs save; it is missed when it is asked for.
        if model is not None and Path(model.path).is_file():
            self.reload()
