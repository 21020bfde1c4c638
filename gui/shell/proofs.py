"""Proofs from the window: a process of its own executes the model that is compiled."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from core.api import proof
from core.base.frozen import replace
from gui.commands.app import Panels, Problems
from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.document import ModelRef
from gui.document.proof import Proof, Proving, digest_of
from gui.jobs import errand_worker
from gui.jobs.errands import Errands
from gui.jobs.exporter import pack_answer
from gui.jobs.messages import ErrandEnd, Failed, Prove, Proved
from gui.jobs.spawn import Entry
from gui.present.compiled import is_compiled
from gui.present.runs.proof import KEY, STOPPED, failed
from gui.state.store import Store
from gui.views.proof.view import ProofView

_ENDED = "the process that proves has ended"


class Proofs(QObject):
    """Makes one proof after the other; another model ends the one that is on its way."""

    def __init__(
        self,
        store: Store,
        problems: Problems,
        panels: Panels,
        view: ProofView,
        *,
        entry: Entry = errand_worker.main,
    ) -> None:
        super().__init__(view)
        self._store, self._problems = store, problems
        self._panels, self._view = panels, view
        view.file_wanted.connect(self.ask_file)
        view.folder_wanted.connect(self.ask_folder)
        view.given_up.connect(self.stop)
        self.errands = Errands(entry, _ENDED, self)
        self.errands.advanced.connect(self._on_advanced)
        self.errands.ended.connect(self._on_ended)
        self._asked: Answer | None = None
        """What is proved."""
        self._model: ModelRef | None = None
        """What proofs are of."""
        self._folder = ""
        """Where inputs were last."""
        self._originals = ""
        """The same of what compiled models were compiled from."""
        store.changed.connect(self._on_changed)

    def ask_file(self) -> None:
        """Let the user choose a file of inputs, and prove what is shown with them."""
        kinds = " ".join(f"*{suffix}" for suffix in proof.ARRAYS)
        title, filters = "Inputs of your own", f"Arrays of NumPy ({kinds});;All (*)"
        original = self._ask_original()
        if original is not None:
            path, _ = QFileDialog.getOpenFileName(self._view, title, self._folder, filters)
            self.prove(path, original)

    def ask_folder(self) -> None:
        """Let the user choose a folder of inputs, and prove what is shown with them."""
        title = "A folder with inputs of your own"
        original = self._ask_original()
        if original is not None:
            path = QFileDialog.getExistingDirectory(self._view, title, self._folder)
            self.prove(path, original)

    def _ask_original(self) -> str | None:
        """Let the user choose what a compiled model was compiled from; None where nothing is."""
        if not is_compiled(self._store.answer):
            return ""
        title, filters = "What this was compiled from", "TensorFlow Lite (*.tflite);;All (*)"
        path, _ = QFileDialog.getOpenFileName(self._view, title, self._originals, filters)
        self._originals = path or self._originals
        return path or None

    def prove(self, path: str, original: str = "") -> None:
        """Prove what is shown with the inputs of a file or a folder."""
        answer = self._store.answer
        if not path or answer is None or self.errands.is_busy:
            return
        self._asked, self._folder = answer, path
        self._problems.take_back(KEY)
        self._panels.show_panel(ProofView.NAME)
        self._store.proofs.make(Proving(data=path))
        self.errands.send(partial(_question, answer, path, original))

    def stop(self) -> None:
        """Give up the proof that is on its way."""
        self.errands.cancel()

    def shutdown(self) -> None:
        """Give up what is on its way, and end the process."""
        self.errands.shutdown()

    def _on_changed(self, changes: ChangeSet) -> None:
        """Nothing that is told of another model is told of this one."""
        model = self._store.document.model
        if changes.has(Part.DOCUMENT) and model != self._model:
            self._model, self._asked = model, None
            self.errands.cancel()
            self._store.proofs.forget()

    def _on_advanced(self, stage: str, done: int, total: int) -> None:
        making = self._store.proofs.making
        if making is not None:
            self._store.proofs.make(replace(making, stage=stage, done=done, total=total))

    def _on_ended(self, end: ErrandEnd) -> None:
        making, asked = self._store.proofs.making, self._asked
        if making is None or asked is None:
            return
        if not isinstance(end, Proved):
            failure = end.message if isinstance(end, Failed) else STOPPED
            self._store.proofs.end(None, failure)
            if isinstance(end, Failed):
                self._problems.add(failed(failure))
            return
        made = Proof(data=making.data, schedule_digest=digest_of(asked.scheduled), found=end.found)
        self._store.proofs.end(made)


def _question(answer: Answer, data: str, original: str, number: int) -> Prove:
    shown = pack_answer(answer)
    return Prove(number=number, document=answer.document, shown=shown, data=data, original=original)
