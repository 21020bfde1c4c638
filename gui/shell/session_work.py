"""The work in the window as a session, and a session as the work in the window."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QObject, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from core.base.digest import digest_bytes
from core.base.errors import CoreError
from core.base.files import read_bytes
from core.base.frozen import replace
from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.document import ModelRef
from gui.document.history import History
from gui.document.kept import Kept
from gui.document.look import Look
from gui.document.measurement import Measurement
from gui.document.session import KeptRef, Session, still_there
from gui.present.problems import changed_note, whereabouts
from gui.shell.banner import Banner
from gui.shell.files import Files
from gui.shell.panels import Panels
from gui.state.store import Store
from gui.widgets.patient_view import PatientView

_MOVES = (
    *(QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide),
    # Space is shared out anew, which no panel that is seen need notice.
    QEvent.Type.LayoutRequest,
)


class Work(QObject):
    """What is open, what was done to it, and how it is shown."""

    window_changed = Signal()
    """Something was moved: it is time to look at the window again, though not at once."""

    def __init__(
        self,
        store: Store,
        files: Files,
        banner: Banner,
        panels: Panels,
        views: Mapping[str, QWidget],
        window: QMainWindow,
    ) -> None:
        super().__init__(window)
        self._store = store
        self._files = files
        self._banner = banner
        self._panels = panels
        self._views = {n: view for n, view in views.items() if isinstance(view, PatientView)}
        self._window = window
        self._layout = self._geometry = ""
        self._looks: Mapping[str, Look] = {}
        self._pending: Session | None = None
        """Work that was gone on with, until there is an answer in which to select something."""
        self._resumed: History | None = None
        """Of that work."""
        self._is_selecting = False
        store.changed.connect(self._on_changed)
        for part in (window, panels, *panels.findChildren(QDockWidget)):
            part.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice that the window or a panel was moved; splitters have no signal of their own."""
        del watched
        if event.type() in _MOVES:
            self.window_changed.emit()
        return False

    def look_at_window(self) -> None:
        """See where everything is, and how views are set."""
        self._layout = self._panels.encoded_layout()
        self._looks = {name: view.look() for name, view in self._views.items()}
        self._geometry = encoded_geometry(self._window)

    @property
    def session(self) -> Session:
        """The work as it is, with the window as it was looked at last."""
        store, pending = self._store, self._pending
        return Session(
            history=store.history,
            selection=pending.selection if pending else store.selection,
            span=pending.span if pending else store.selected_span,
            measured=pending.measured if pending else _path_of(store.measurement),
            swept=store.swept.path,
            display=store.display,
            runs=store.runs.runs.entries,
            layout=self._layout,
            looks=pending.looks if pending else self._looks,
            geometry=self._geometry,
            kept=_ref_of(store.compared.kept),
            proof=latest if (latest := store.proofs.latest) and latest.is_finite else None,
        )

    def go_on(self, session: Session, near: Path | None = None) -> None:
        """Have this work in the window instead; the model may have come with it, into a folder."""
        known, history = session.model, session.history
        model = None if known is None else _found(known, near)
        for each in history.present.document.files:
            if (file := _found(each, near)) is not None:
                history = history.moved(each.path, file)
        is_same = known is None or model is None or model.digest == known.digest
        if session.measured:
            session = replace(session, measured=_place(session.measured, near))
        self._pending, self._resumed = (session if is_same else None), history
        self._store.set_display(session.display)
        self._store.runs.resume(session.runs)
        self._files.resume(history)
        self._store.compared.keep(_kept_of(session.kept, known, model))
        self._store.proofs.resume(session.proof if is_same else None)
        if session.swept:
            self._files.open_sweep(_place(session.swept, near))
        if known is not None and not is_same:
            self._banner.add(changed_note(known.name))
        self._panels.use_layout(session.layout)
        self._window.restoreGeometry(QByteArray.fromBase64(session.geometry.encode()))

    def _on_changed(self, changes: ChangeSet) -> None:
        pending, store = self._pending, self._store
        is_of_interest = changes.has(Part.DOCUMENT, Part.ANSWER, Part.SELECTION)
        if pending is None or self._is_selecting or not is_of_interest:
            return
        if store.history is not self._resumed or not store.selection.is_empty:
            # The user goes on already.
            self._pending = None
        elif store.answer is not None and store.is_current:
            self._select(pending, store.answer)

    def _select(self, pending: Session, answer: Answer) -> None:
        """Select what was selected; until all of it is, the work is what it was."""
        self._is_selecting = True
        if pending.measured:
            self._files.measure(pending.measured)
        if still_there(pending.selection, answer):
            self._store.select(pending.selection)
        self._store.mark_span(pending.span)
        for name in self._views.keys() & pending.looks.keys():
            self._views[name].show_look(pending.looks[name])
        self._looks = pending.looks
        self._is_selecting, self._pending = False, None


def encoded_geometry(window: QMainWindow) -> str:
    """Where a window is, as a text."""
    return bytes(window.saveGeometry().toBase64().data()).decode("ascii")


def _path_of(measurement: Measurement | None) -> str:
    return "" if measurement is None else measurement.path


def _place(path: str, near: Path | None) -> str:
    """Where a file is that may have come with a session, into a folder."""
    beside = near / Path(path).name if near else None
    return str(beside) if beside and beside.is_file() and not Path(path).is_file() else path


def _found(model: ModelRef, near: Path | None) -> ModelRef | None:
    """The model as it is now, where it was or in another folder; None where it is gone."""
    places = [Path(model.path), *([near / model.name] if near else [])]
    found = [ref for place in places if (ref := _read(place))]
    same = [ref for ref in found if ref.digest == model.digest]
    return next(iter(same or found), None)


def _read(path: Path) -> ModelRef | None:
    try:
        data = read_bytes(path)
    except CoreError:
        return None
    return ModelRef(path=str(path), digest=digest_bytes(data))


def obstacle_of(session: Session) -> str:
    """That the model of a session is not where it was; empty where it is."""
    model = session.model
    if model is None or Path(model.path).is_file():
        return ""
    return whereabouts(model.path)


def _ref_of(kept: Kept | None) -> KeptRef | None:
    """What is compared with, as a session has it: never the schedule itself."""
    return None if kept is None else KeptRef(kept.title, kept.document, kept.path)


def _kept_of(ref: KeptRef | None, known: ModelRef | None, model: ModelRef | None) -> Kept | None:
    """The same in the window, with the model where it is now."""
    if ref is None:
        return None
    document = ref.document
    if document is not None and known is not None and model:
        document = document.with_file(known.path, model)
    return Kept(title=ref.title, document=document, path=ref.path)
