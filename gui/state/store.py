"""The store: what all views show, and one signal for whatever changes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.api import edits
from core.base.frozen import replace
from core.base.memo import of_the_very
from core.ir.scheduled import Scheduled
from core.ir.shown import Shown
from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.decisions import AS_A_WHOLE, Deed, done
from gui.document.display import Display, Span
from gui.document.document import Document, ModelRef
from gui.document.history import Entry, History
from gui.document.job import JobState
from gui.document.measurement import Measurement, with_measured
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.edits.subjects import order_of
from gui.state.better import Better
from gui.state.compared import Compared
from gui.state.growth import Growth
from gui.state.matched import Matched
from gui.state.note_list import NoteList
from gui.state.played import Played
from gui.state.proofs import Proofs
from gui.state.run_list import RunList
from gui.state.swept import Swept
from gui.state.trials import Trials
from gui.state.turns import Turns
from gui.theme.tones import LIGHT, Theme


class Store(QObject):
    """Holds values; a view reads them, and asks for changes by calling a method."""

    changed = Signal(ChangeSet)
    asked = Signal()
    """Another document is there, which nobody shows yet: the compiler can begin meanwhile."""

    def __init__(
        self,
        document: Document | None = None,
        display: Display | None = None,
        *,
        keeps_shown: bool = True,
    ) -> None:
        super().__init__()
        self.turns = Turns()
        """For those who need not show at once what has changed."""
        self.history = History()
        if document is not None:
            self.history = self.history.edited(document, "open")
            self.history = History(present=self.history.present)
        self.display = display or Display()
        self.answer: Answer | None = None
        """The newest answer; it may be to an older question while the worker runs."""
        self.compared = Compared(lambda: self._announce(Part.COMPARISON))
        """What the answer is held against."""
        self.notes = NoteList(lambda: self.history, self._set_history)
        """What the user has to say of the network."""
        self.runs = RunList(lambda: self._announce(Part.RUNS))
        """What was asked and answered so far."""
        self.measurement: Measurement | None = None
        """What the user has imported; it goes with every answer about the same model."""
        self.swept = Swept(lambda: self._announce(Part.SWEEP))
        """What a sweep has found, where one is open."""
        self.proofs = Proofs(lambda: self._announce(Part.PROOF))
        """What executing what is compiled has shown."""
        self.job = JobState()
        self.growth = Growth(lambda: self._announce(Part.GROWTH))
        """Of the best search's front."""
        self.better = Better(lambda: self._announce(Part.BETTER), self.set_answer)
        """Found meanwhile, and not shown yet."""
        self.trials = Trials(lambda: self._announce(Part.TRIALS))
        self.matched = Matched(lambda: self._announce(Part.MATCHED))
        """What is filtered; all else fades."""
        self.keeps_shown = keeps_shown
        """Whether edits change what is on screen and nothing else; else all is searched anew."""
        self.theme: Theme = LIGHT
        """The palette that follows from the display's choice; the shell sets it."""
        self.selection = NOTHING_SELECTED
        self.selected_span: Span | None = None
        """A stretch of time that the user has marked."""
        self.played = Played(lambda: self._announce(Part.PLAYED))

    @property
    def document(self) -> Document:
        """What is asked for now."""
        return self.history.present.document

    @property
    def is_current(self) -> bool:
        """Whether the answer is to what is asked for now."""
        return self.answer is not None and self.answer.document == self.document

    def open(self, document: Document) -> None:
        """Turn to a model: nothing of the one before is shown, but undo leads back to it."""
        model = document.model
        if self.document.model is None or model is None:
            self.resume(History(present=Entry(document)))
        else:
            self._set_history(self.history.edited(document, f"Open {model.name}"))

    def resume(self, history: History) -> None:
        """Turn to work with all that can be undone in it; nothing of what is shown stays."""
        self.history = history
        self.answer, self.selection, self.selected_span = None, NOTHING_SELECTED, None
        self.measurement = None
        self.better.forget()
        self._announce(Part.DOCUMENT, Part.NOTES, Part.ANSWER, Part.SELECTION, Part.SPAN)

    def renew_model(self, model: ModelRef) -> None:
        """An open file has changed on disk."""
        if (renewed := self.history.with_model(model)) != self.history:
            self._set_history(renewed)

    def edit(
        self, document: Document, label: str, *, merge_key: str = "", initiator: str = ""
    ) -> None:
        """Ask for something else; this can be undone."""
        self._set_history(self.history.edited(document, label, merge_key), initiator)

    def decide(self, deed: Deed, initiator: str = "") -> None:
        """Make and take away edits; what is decided anew is heeded."""
        document = after(self, deed)
        if document is not None:
            self.edit(document, deed.label, merge_key=deed.merge_key, initiator=initiator)

    def settle(self) -> None:
        """A drag has ended: the next edit is a step of its own."""
        self.history = self.history.settled()

    def undo(self) -> None:
        """Take the last edit back."""
        self._set_history(self.history.undone())

    def redo(self) -> None:
        """Bring back what was taken back last."""
        self._set_history(self.history.redone())

    def _set_history(self, history: History, initiator: str = "") -> None:
        if history is self.history:
            return
        old, new = self.history.present, history.present
        before, after = old.document.model, new.document.model
        if before is not None and after is not None and before.path != after.path:
            self.resume(history)
            return
        self.history = history
        if old.document != new.document:
            self.better.forget()
            self.asked.emit()
        parts = [Part.DOCUMENT]
        if old.notes != new.notes:
            # What is asked for may be as it was, but what can be undone is not.
            parts.append(Part.NOTES)
        self._announce(*parts, initiator=initiator)

    def set_answer(self, answer: Answer) -> None:
        """Show a new answer; what was selected stays where the graph is still the same."""
        before = self.answer
        self.answer = answer = with_measured(answer, self.measurement)
        self.played.show(None)
        if before is not None and _is_only_priced(before, answer):
            self._announce(Part.PRICES)
            return
        self.better.forget()
        parts = [Part.ANSWER]
        if before is None or before.scheduled.run.graph != answer.scheduled.run.graph:
            self.selection, self.selected_span = NOTHING_SELECTED, None
            parts += [Part.SELECTION, Part.SPAN]
        self._announce(*parts)

    def set_measurement(self, measurement: Measurement | None) -> None:
        """Show measured cycles beside the estimates, or none; an InputError leaves all as it is."""
        if self.answer is not None:
            answer = with_measured(self.answer, measurement)
            self.measurement = measurement
            self.set_answer(answer)

    def set_job(self, job: JobState) -> None:
        """Say what the worker is doing."""
        if job != self.job:
            self.job = job
            self._announce(Part.JOB)

    def select(self, selection: Selection, initiator: str = "") -> None:
        """Pick something, wherever it was clicked."""
        if selection != self.selection:
            self.selection = selection
            self._announce(Part.SELECTION, initiator=initiator)

    def mark_span(self, span: Span | None, initiator: str = "") -> None:
        """Mark a stretch of time, or none."""
        if span != self.selected_span:
            self.selected_span = span
            self._announce(Part.SPAN, initiator=initiator)

    def set_display(self, display: Display) -> None:
        """Show the same in other units or colours."""
        if display != self.display:
            self.display = display
            self._announce(Part.DISPLAY)

    def set_theme(self, theme: Theme) -> None:
        """Show the same in the colours that were worked out for the display."""
        if theme is not self.theme:
            self.theme = theme
            self._announce(Part.DISPLAY)

    def _announce(self, *parts: Part, initiator: str = "") -> None:
        self.changed.emit(ChangeSet(frozenset(parts), initiator))


def after(store: Store, deed: Deed) -> Document | None:
    """The document that a deed would make; None where there is nothing to decide about."""
    if store.answer is None:
        return None
    decided = done(store.document.edits, deed, order_of(store.answer))
    ignores = store.document.ignores_edits and not deed.new
    around = _ground(store) if deed.new else store.document.around
    document = replace(store.document, ignores_edits=ignores, around=around)
    return document.with_edits(decided)


def _ground(store: Store) -> Shown | None:
    """What is on screen, where edits are to leave all else of it as it is."""
    document, answer = store.document, store.answer
    if document.around is not None or answer is None or not store.keeps_shown:
        return document.around
    is_whole = any(edit.note in AS_A_WHOLE for edit in document.edits)
    is_read_back = answer.scheduled.compiled_by is not None
    if is_whole or is_read_back or not answer.document.asks_as(document):
        return None
    return _shown_of(answer.scheduled)


@of_the_very(2)
def _shown_of(scheduled: Scheduled) -> Shown:
    """What is on screen: each choice that somebody looks at is around it."""
    return edits.shown_of(scheduled)


def _is_only_priced(before: Answer, after: Answer) -> bool:
    """Whether an answer tells its range or what edits cost, and is else the one before."""
    is_same = before.analysis is after.analysis and before.measured is after.measured
    one, other = before.scheduled, after.scheduled
    is_told = one.edits is other.edits and one.around is other.around
    return is_same and not (is_told and before.spread is after.spread)
