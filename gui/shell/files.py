"""Opens models, remembers them, and reads them again when they change on disk."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.api import edits, sweeps
from core.base.digest import digest_bytes
from core.base.errors import CoreError
from core.base.files import read_bytes
from core.base.forms import MODEL_SUFFIXES, Form
from core.ir.settings import Settings
from gui.document.answer import Failure, FailureKind
from gui.document.changes import ChangeSet, Part
from gui.document.decisions import Deed
from gui.document.document import Document, ModelRef
from gui.document.examples import EXAMPLES, as_usual
from gui.document.history import History
from gui.document.kept import Kept
from gui.document.measurement import Measurement
from gui.document.session import asked_last, read_session
from gui.document.swept import SweptCells
from gui.present.edits.rows import not_taken
from gui.present.problems import changed_note, not_opened, not_two, unreadable
from gui.present.runs.measured import KEY as MEASURED_KEY
from gui.present.runs.measured import imported, refused
from gui.shell.adoptions import Adoptions
from gui.shell.banner import Banner
from gui.shell.companions import Companions
from gui.shell.remembered import Remembered
from gui.state.store import Store

QUIET_MS = 250
"""Whoever writes a file has this long to write more before it is looked at."""
_TWO = 2
_MODELS = " ".join(f"*{each}" for each in MODEL_SUFFIXES)


class FileWatch(QObject):
    """Watches one file, and its folder, in which a new file may take its name."""

    changed = Signal()
    """The file may be another; whether its content is, the listener finds out."""

    def __init__(self, parent: QObject | None = None, *, quiet_ms: int = QUIET_MS) -> None:
        super().__init__(parent)
        self._path = ""
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_event)
        self._watcher.directoryChanged.connect(self._on_event)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(quiet_ms)
        self._timer.timeout.connect(self._on_quiet)

    @property
    def path(self) -> str:
        """The file that is watched."""
        return self._path

    def watch(self, path: str) -> None:
        """Watch this file, and no other any more."""
        known = [*self._watcher.files(), *self._watcher.directories()]
        if known:
            self._watcher.removePaths(known)
        self._timer.stop()
        self._path = path
        self._add()

    def _add(self) -> None:
        """A file that was replaced drops out of the watcher, so it is added again."""
        wanted = [self._path, str(Path(self._path).parent)]
        known = {*self._watcher.files(), *self._watcher.directories()}
        missing = [path for path in wanted if path not in known and Path(path).exists()]
        if missing:
            self._watcher.addPaths(missing)

    def _on_event(self, path: str) -> None:
        del path
        self._timer.start()

    def _on_quiet(self) -> None:
        self._add()
        self.changed.emit()


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
        self._trial = ""
        """The path of a model that was opened, and of which it is not known whether it is good."""
        self.beside = Companions(self, store, banner, window)
        """Other models in the same device."""
        self.adoptions = Adoptions(store, banner, self)
        """What is said of decisions that a file has."""
        self.usual: Settings | None = None
        """What is asked where the first example is shown otherwise, and others are not to be."""
        store.changed.connect(self._on_changed)

    def ask(self) -> None:
        """Let the user choose a model."""
        model = self._store.document.model
        folder = str(Path(model.path).parent) if model else ""
        path, _ = QFileDialog.getOpenFileName(
            self._window,
            "Open a model",
            folder,
            f"Models, compiled too ({_MODELS});;All (*)",
        )
        if path:
            self.open(path)

    def find(self) -> None:
        """Let the user show where the open model is now; what is asked of it stays."""
        known = self._store.document.model
        if known is None:
            return
        path, _ = QFileDialog.getOpenFileName(
            self._window, f"Where is {known.name}?", "", f"{known.name} ({_MODELS});;All (*)"
        )
        model = self.read(path) if path else None
        if model is not None:
            self.resume(self._store.history.moved(known.path, model))
            if model.digest != known.digest:
                self._banner.add(changed_note(model.name))

    def resume(self, history: History) -> None:
        """Turn to work as it was left."""
        self._trial = ""
        model = history.present.document.model
        if model is not None:
            self._watch.watch(model.path)
        self._store.resume(history)

    def open(self, path: str) -> bool:
        """Open a model; where it cannot be read, say so and leave everything as it is."""
        model = self.read(path)
        if model is None:
            return False
        self._trial = model.path
        self._watch.watch(model.path)
        self._store.open(as_usual(self._store.document, self.usual).of_model(model))
        return True

    def _on_changed(self, changes: ChangeSet) -> None:
        """Remember a model once it has an answer, and leave one that can have none."""
        store = self._store
        model, failure = store.document.model, store.job.failure
        if model is None:
            return
        if changes.has(Part.ANSWER) and store.is_current:
            self._trial = ""
            if Path(model.path).parent != EXAMPLES:
                self._remembered.change(self._remembered.preferences.with_recent(model.path))
        elif changes.has(Part.DOCUMENT) and self._watch.path != model.path:
            # Undo has led to a model that was open before; it may be another by now.
            self._trial = ""
            self._watch.watch(model.path)
            self.reload()
        elif changes.has(Part.JOB) and failure is not None and self._trial == model.path:
            self._leave(model, failure)

    def _leave(self, model: ModelRef, failure: Failure) -> None:
        """Keep what was open before where a file turns out to be no model."""
        before = self._store.history.before_model()
        # Why the one before failed is told until something succeeds.
        is_refused = failure.kind is FailureKind.REFUSED and failure.document.model == model
        if is_refused and before is not self._store.history:
            self._trial = ""
            kept = before.present.document.model
            self._store.resume(before)
            self._banner.add(not_opened(model.path, failure.message, kept.name if kept else ""))

    def reload(self) -> None:
        """Read the open model again, and those beside it."""
        for known in self._store.document.files:
            model = self.read(known.path)
            if model is not None:
                self._store.renew_model(model)

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
            data = read_bytes(whole)
            self._store.set_measurement(Measurement(path=str(whole), data=data))
        except CoreError as error:
            self._banner.add(refused(name, str(error)))
            return False
        if self._store.answer is not None:
            self._banner.add(imported(name, self._store.answer))
        return True

    def ask_kept(self) -> None:
        """Let the user choose a file that is compared with what is shown."""
        known = (
            "Models, compiled too, schedules, sessions (*.tflite *.pte *.json *.reefpoint);;All (*)"
        )
        path, _ = QFileDialog.getOpenFileName(self._window, "Compare with a file", "", known)
        if path:
            self.keep_file(path)

    def keep_file(self, path: str) -> bool:
        """Compare with a schedule as JSON, a compiled model, another model as B is asked, or with
        what was asked last in a session; whether it could be read."""
        model = self.read(path)
        if model is None:
            return False
        if Path(model.path).suffix.lower() == Form.SESSION.suffix:
            try:
                session = read_session(Path(model.path))
                kept = Kept(title=model.name, document=asked_last(session, model.name))
            except CoreError as error:
                self._banner.add(unreadable(model.path, str(error)))
                return False
        elif Path(model.path).suffix.lower() in MODEL_SUFFIXES:
            document = Document(model=model, settings=self._store.document.settings)
            kept = Kept(title=model.name, document=document)
        else:
            kept = Kept(title=model.name, path=model.path)
        self._store.compared.keep(kept)
        return True

    def ask_two(self) -> bool:
        """Let the user choose two models at once, or one after the other; whether both are there:
        the first is A, the second is opened."""
        known = f"Models, compiled too ({_MODELS});;All (*)"
        title, folder = "Compare two files", ""
        paths: list[str] = []
        while len(paths) < _TWO:
            more, _ = QFileDialog.getOpenFileNames(self._window, title, folder, known)
            if not more:
                return False
            paths += more
            title, folder = f"Compare {Path(paths[0]).name} with", str(Path(paths[0]).parent)
        if len(paths) > _TWO:
            self._banner.add(not_two(len(paths)))
            return False
        before, after = paths
        return self.open(after) and self.keep_file(before)

    def ask_sweep(self) -> None:
        """Let the user choose a sweep, which is then shown over the limit."""
        known = "Sweeps (*.sqlite *.db);;All (*)"
        path, _ = QFileDialog.getOpenFileName(self._window, "Open a sweep", "", known)
        if path:
            self.open_sweep(path)

    def open_sweep(self, path: str) -> bool:
        """Show a sweep's cells; whether it could be read."""
        whole = Path(path).absolute()
        try:
            with sweeps.SweepFile.read(whole) as file:
                cells = tuple(file.cells())
        except CoreError as error:
            self._banner.add(refused(whole.name, str(error)))
            return False
        self._store.swept.show(SweptCells(title=whole.name, cells=cells, path=str(whole)))
        return True

    def forget_measured(self) -> None:
        """Show estimates alone."""
        self._store.set_measurement(None)
        self._banner.take_back(MEASURED_KEY)

    def ask_decisions(self) -> None:
        """Let the user choose a file whose decisions are to be taken."""
        known = "Edits, schedules, compiled models (*.json *.tflite *.pte);;All (*)"
        path, _ = QFileDialog.getOpenFileName(self._window, "Decide as a file does", "", known)
        if path:
            self.decide_as(path)

    def decide_as(self, path: str) -> bool:
        """Take the decisions of edits, of a schedule, or of a compiled model; else say why not."""
        whole, answer = Path(path).absolute(), self._store.answer
        if answer is None:
            return False
        try:
            found, told = edits.taken(read_bytes(whole), answer.scheduled)
        except CoreError as error:
            self._banner.add(not_taken(whole.name, str(error)))
            return False
        before = answer.scheduled if self._store.is_current else None
        self._store.decide(Deed(label=f"Decide as {whole.name} does", new=found))
        self.adoptions.expect(whole.name, told, before)
        return True

    def read(self, path: str) -> ModelRef | None:
        """A file as it is now; None, with a word to the user, where it cannot be read."""
        # A relative path would be another file to a process that works elsewhere.
        whole = Path(path).absolute()
        try:
            data = read_bytes(whole)
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
