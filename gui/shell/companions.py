"""Other models in the device of the one that is open: they come, go, and may not go with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.base.forms import MODEL_SUFFIXES
from core.base.frozen import replace
from core.ir.together import Calls
from gui.document.answer import FailureKind
from gui.document.changes import ChangeSet, Part
from gui.document.document import Company, Document, ModelRef
from gui.present.problems import not_beside
from gui.shell.banner import Banner
from gui.state.store import Store


class Reader(Protocol):
    """Who reads files for the user."""

    def read(self, path: str) -> ModelRef | None:
        """A file as it is now; None where it cannot be read."""


class Companions(QObject):
    """Asks for other models beside the one that is open."""

    def __init__(self, reader: Reader, store: Store, banner: Banner, window: QWidget) -> None:
        super().__init__(window)
        self._reader, self._store, self._banner, self._window = reader, store, banner, window
        self._joined: Document | None = None
        """What was asked last, and may have no answer."""
        store.changed.connect(self._on_changed)

    def ask(self) -> None:
        """Let the user choose other models that are in the device too."""
        known = " ".join(f"*{each}" for each in MODEL_SUFFIXES)
        title = "Models in the same device"
        filters = f"Models, compiled too ({known});;All (*)"
        paths, _ = QFileDialog.getOpenFileNames(self._window, title, "", filters)
        if paths:
            self.add(paths)

    def add(self, paths: Sequence[str], calls: Calls | None = None) -> bool:
        """Have more models in the same device; whether all of them could be read."""
        read, company = [self._reader.read(path) for path in paths], self._store.document.company
        models = [model for model in read if model is not None]
        if len(models) < len(read):
            return False
        more = Company(models=(*company.models, *models), calls=calls or company.calls)
        self._put(more, f"Add {' and '.join(model.name for model in models)}")
        return True

    def remove(self) -> None:
        """Have the model alone in the device."""
        self._put(Company(calls=self._store.document.company.calls), "Remove the models beside")

    def call(self, calls: Calls) -> None:
        """Let the firmware call the models of the device otherwise."""
        company = replace(self._store.document.company, calls=calls)
        self._put(company, f"Call models {calls.value}")

    def _put(self, company: Company, label: str) -> None:
        self._joined = self._store.document.with_company(company)
        self._store.edit(self._joined, label)

    def _on_changed(self, changes: ChangeSet) -> None:
        """Leave all as it was where a model cannot be beside the one that is open."""
        store = self._store
        failure = store.job.failure
        if not changes.has(Part.JOB) or failure is None or self._joined is None:
            return
        if failure.document == self._joined == store.document:
            self._joined = None
            if failure.kind is FailureKind.REFUSED:
                store.resume(store.history.withdrawn())
                self._banner.add(not_beside(failure.message))
