"""Undo and redo: documents that were, and documents that will be again."""

from __future__ import annotations

from core.base.frozen import Frozen, NamedTuple, field
from core.ir.notes import Note
from gui.document.document import Document, ModelRef

MOST_ENTRIES = 500


class Entry(NamedTuple):
    """A document, and the edit that led to it."""

    document: Document
    label: str = ""
    """What the user did, for 'Undo ...'."""
    merge_key: str = ""
    """Edits of one key that follow each other, as while dragging, are one step."""
    notes: tuple[Note, ...] = ()
    """What the user has to say; the compiler is not asked anew for it."""


class History(Frozen):
    """The present document between older and newer ones."""

    past: tuple[Entry, ...] = ()
    present: Entry = field(default_factory=lambda: Entry(Document()))
    future: tuple[Entry, ...] = ()

    def edited(self, document: Document, label: str, merge_key: str = "") -> History:
        """The history after an edit; nothing changes where the document is the same."""
        if document == self.present.document:
            return self
        is_same_model = _path_of(document) == _path(self.present)
        notes = self.present.notes if is_same_model else ()
        entry = Entry(document, label, merge_key, notes)
        if merge_key and merge_key == self.present.merge_key and not self.future:
            return History(past=self.past, present=entry)
        return self._then(entry)

    def noted(self, notes: tuple[Note, ...], label: str) -> History:
        """The history after notes were added, changed or removed."""
        if notes == self.present.notes:
            return self
        return self._then(Entry(self.present.document, label, notes=notes))

    def _then(self, entry: Entry) -> History:
        past = (*self.past, self.present)[-MOST_ENTRIES:]
        return History(past=past, present=entry)

    def settled(self) -> History:
        """The same, but the next edit is a step of its own, as after a drag has ended."""
        if not self.present.merge_key:
            return self
        return History(
            past=self.past, present=self.present._replace(merge_key=""), future=self.future
        )

    def undone(self) -> History:
        """One step back, where there is one."""
        if not self.past:
            return self
        return History(
            past=self.past[:-1], present=self.past[-1], future=(self.present, *self.future)
        )

    def redone(self) -> History:
        """One step forward, where there is one."""
        if not self.future:
            return self
        return History(
            past=(*self.past, self.present), present=self.future[0], future=self.future[1:]
        )

    def with_model(self, model: ModelRef) -> History:
        """The same after a file has changed on disk: what it was before can be had no more."""

        return self.moved(model.path, model)

    def moved(self, path: str, model: ModelRef) -> History:
        """The same work on a file that is now elsewhere, or another."""

        def renewed(entry: Entry) -> Entry:
            return entry._replace(document=entry.document.with_file(path, model))

        return History(
            past=tuple(map(renewed, self.past)),
            present=renewed(self.present),
            future=tuple(map(renewed, self.future)),
        )

    def withdrawn(self) -> History:
        """As if what was asked last had never been."""
        return History(past=self.past[:-1], present=self.past[-1]) if self.past else self

    def before_model(self) -> History:
        """The work as it was before the present model was opened, where there was another."""
        path = _path(self.present)
        at = next(
            (at for at in reversed(range(len(self.past))) if _path(self.past[at]) != path), -1
        )
        return self if at < 0 else History(past=self.past[:at], present=self.past[at])

    @property
    def undo_label(self) -> str:
        """What undoing would take back; empty where there is nothing."""
        return self.present.label if self.past else ""

    @property
    def redo_label(self) -> str:
        """What redoing would bring back; empty where there is nothing."""
        return self.future[0].label if self.future else ""


def _path(entry: Entry) -> str:
    return _path_of(entry.document)


def _path_of(document: Document) -> str:
    return "" if document.model is None else document.model.path
