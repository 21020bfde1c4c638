"""Opens models, remembers them, and reads them again when they change on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core import api
from core.base.digest import digest_bytes
from core.base.errors import CoreError
from gui.commands.file import EXAMPLES
from gui.document.document import ModelRef
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

    def open(self, path: str) -> bool:
        """Open a model; where it cannot be read, say so and leave everything as it is."""
        model = self._read(path)
        if model is None:
            return False
        self._banner.hide()
        self._store.open(replace(self._store.document, model=model))
        self._watch.watch(model.path)
        if Path(model.path).parent != EXAMPLES:
            self._remembered.change(self._remembered.preferences.with_recent(model.path))
        return True

    def reload(self) -> None:
        """Read the open model again."""
        known = self._store.document.model
        model = self._read(known.path) if known else None
        if model is not None:
            self._store.renew_model(model)

    def forget_recents(self) -> None:
        """Remember no model."""
        self._remembered.change(self._remembered.preferences.without_recents())

    def _read(self, path: str) -> ModelRef | None:
        # A relative path would be another file to a process that works elsewhere.
        whole = Path(path).absolute()
        try:
            data = api.read_bytes(whole)
        except CoreError as error:
            self._banner.tell(str(error))
            return None
        return ModelRef(path=str(whole), digest=digest_bytes(data))

    def _on_changed_on_disk(self) -> None:
        model = self._store.document.model
        # Gone for a moment is how many programs save; it is missed when it is asked for.
        if model is not None and Path(model.path).is_file():
            self.reload()
