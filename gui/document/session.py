"""The work as it was left; as a text, it outlives the process that wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import TypeVar

from core.base.errors import InputError
from core.base.files import read_bytes
from core.base.frozen import Frozen, NamedTuple, field, field_names
from core.ir.notes import Note
from core.ir.settings import Settings
from core.ir.shown import Shown
from gui.document.answer import Answer
from gui.document.display import Display, Span
from gui.document.document import Company, Document, ModelRef
from gui.document.history import Entry, History
from gui.document.look import Look
from gui.document.plain import Plain, from_plain, to_plain
from gui.document.proof import Proof
from gui.document.runs import Settled
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.document.session_versions import VERSION, upgraded

Item = TypeVar("Item", bound=Hashable)


class Session(Frozen):
    """What was open and asked for, all that can be undone, and how it was shown."""

    history: History = field(default_factory=History)
    selection: Selection = NOTHING_SELECTED
    span: Span | None = None
    measured: str = ""
    """The path of imported cycles; they are read again, for they may have been measured again."""
    swept: str = ""
    """The path of the sweep that is shown; it is read again, for there may be more of it."""
    display: Display = field(default_factory=Display)
    layout: str = ""
    """Where the panels were, as the window encodes it."""
    runs: tuple[Settled, ...] = ()
    """What was asked and answered so far."""
    looks: Mapping[str, Look] = field(default_factory=dict)
    """How the views were set, by their names."""
    geometry: str = ""
    """Where the window was."""
    kept: KeptRef | None = None
    """What was compared with, where something was."""
    proof: Proof | None = None
    """The last one, where there is one and all of its numbers are finite."""

    @property
    def model(self) -> ModelRef | None:
        """The model that was open."""
        return self.history.present.document.model


class KeptRef(NamedTuple):
    """A by what asks for it, or by its file: it is worked out again."""

    title: str
    document: Document | None = None
    path: str = ""


class _Kept(NamedTuple):
    title: str
    document: _Step | None = None
    path: str = ""


class _Step(NamedTuple):
    """An entry of the history; what several have in common is written once."""

    settings: int
    model: int | None = None
    label: str = ""
    merge_key: str = ""
    ignores_edits: bool = False
    notes: int | None = None
    around: int | None = None
    company: int | None = None


class _Run(NamedTuple):
    """A run; its document refers to the lists too."""

    document: _Step
    when: str
    cycles: float
    fast_bytes: int
    evicted_bytes: int | None = 0
    excess_bytes: int | None = 0
    name: str = ""
    is_starred: bool = False


class _Sheet(Frozen):
    """A session as it is written."""

    version: int = VERSION
    models: tuple[ModelRef, ...]
    settings: tuple[Settings, ...]
    past: tuple[_Step, ...]
    present: _Step
    future: tuple[_Step, ...]
    runs: tuple[_Run, ...] = ()
    notes: tuple[tuple[Note, ...], ...] = ()
    shown: tuple[Shown, ...] = ()
    companies: tuple[Company, ...] = ()
    selection: Selection = NOTHING_SELECTED
    span: Span | None = None
    measured: str = ""
    swept: str = ""
    display: Display = field(default_factory=Display)
    layout: str = ""
    looks: Mapping[str, Look] = field(default_factory=dict)
    geometry: str = ""
    kept: _Kept | None = None
    proof: Proof | None = None


def encode(session: Session) -> str:
    """A session as a text: the same session is the same text, one line for each step."""
    plain = to_plain(_sheet(session))
    members = (f"{json.dumps(name)}: {_lines(part)}" for name, part in plain.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def _lines(plain: Plain) -> str:
    if isinstance(plain, list) and plain:
        return "[\n " + ",\n ".join(map(_line, plain)) + "\n]"
    return _line(plain)


def _line(plain: Plain) -> str:
    return json.dumps(plain, sort_keys=True, allow_nan=False)


def decode(text: str) -> Session:
    """The session that a text is, whichever version wrote it; an InputError says what is wrong."""
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({error})") from error
    return _session(from_plain(_Sheet, upgraded(plain), "session"))


def session_of(data: bytes) -> Session:
    """The session that a file is."""
    try:
        return decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError("is not a text") from error


def read_session(file: Path) -> Session:
    """The session in a file; an InputError that names the file where there is none."""
    data = read_bytes(file)
    try:
        return session_of(data)
    except InputError as error:
        where = f"{file.name}: {error.where}" if error.where else file.name
        raise type(error)(error.message, where) from error


def asked_last(session: Session, where: str = "") -> Document:
    """What was asked last in a session, of the model that was open."""
    document = session.history.present.document
    if document.model is None:
        raise InputError("is a session in which no model was open", where)
    return document


def _sheet(session: Session) -> _Sheet:
    history = session.history
    models: dict[ModelRef, int] = {}
    settings: dict[Settings, int] = {}
    notes: dict[tuple[Note, ...], int] = {}
    shown: dict[Shown, int] = {}
    companies: dict[Company, int] = {}

    def step(entry: Entry) -> _Step:
        document = entry.document
        return _Step(
            settings=settings.setdefault(document.settings, len(settings)),
            model=None
            if document.model is None
            else models.setdefault(document.model, len(models)),
            label=entry.label,
            merge_key=entry.merge_key,
            ignores_edits=document.ignores_edits,
            notes=notes.setdefault(entry.notes, len(notes)) if entry.notes else None,
            around=None
            if document.around is None
            else shown.setdefault(document.around, len(shown)),
            company=companies.setdefault(document.company, len(companies))
            if document.company != Company()
            else None,
        )

    def line(run: Settled) -> _Run:
        told = {name: getattr(run, name) for name in _OF_RUNS}
        return _Run(document=step(Entry(run.document, run.label)), **told)

    def kept(ref: KeptRef) -> _Kept:
        asked = None if ref.document is None else step(Entry(ref.document))
        return _Kept(ref.title, asked, ref.path)

    past, present = tuple(map(step, history.past)), step(history.present)
    future = tuple(map(step, history.future))
    runs = tuple(map(line, session.runs))
    ref = None if session.kept is None else kept(session.kept)
    return _Sheet(
        runs=runs,
        kept=ref,
        models=tuple(models),
        settings=tuple(settings),
        notes=tuple(notes),
        shown=tuple(shown),
        companies=tuple(companies),
        past=past,
        present=present,
        future=future,
        **{name: getattr(session, name) for name in _AS_THEY_ARE},
    )


def _session(sheet: _Sheet) -> Session:
    def entry(where: str) -> Callable[[_Step], Entry]:
        return lambda step: Entry(
            Document(
                model=None if step.model is None else _at(sheet.models, step.model, where),
                settings=_at(sheet.settings, step.settings, where),
                ignores_edits=step.ignores_edits,
                around=None if step.around is None else _at(sheet.shown, step.around, where),
                company=Company()
                if step.company is None
                else _at(sheet.companies, step.company, where),
            ),
            step.label,
            step.merge_key,
            () if step.notes is None else _at(sheet.notes, step.notes, where),
        )

    def run(line: _Run) -> Settled:
        asked = entry("runs")(line.document)
        told = {name: getattr(line, name) for name in _OF_RUNS}
        return Settled(document=asked.document, label=asked.label, **told)

    history = History(
        past=tuple(map(entry("past"), sheet.past)),
        present=entry("present")(sheet.present),
        future=tuple(map(entry("future"), sheet.future)),
    )
    runs, kept = tuple(map(run, sheet.runs)), None
    if sheet.kept is not None:
        step = sheet.kept.document
        asked = None if step is None else entry("kept")(step).document
        kept = KeptRef(sheet.kept.title, asked, sheet.kept.path)
    return Session(
        history=history,
        runs=runs,
        kept=kept,
        **{name: getattr(sheet, name) for name in _AS_THEY_ARE},
    )


_AS_THEY_ARE = tuple(
    name for name in field_names(Session) if name not in ("history", "runs", "kept")
)
_OF_RUNS = tuple(name for name in field_names(Settled) if name not in ("document", "label"))


def _at(items: tuple[Item, ...], position: int, where: str) -> Item:
    if not 0 <= position < len(items):
        raise InputError(f"there is no number {position} in a list of {len(items)}", where)
    return items[position]


def still_there(selection: Selection, answer: Answer) -> bool:
    """Whether an answer has what was selected in another."""
    scheduled = answer.scheduled
    graph, islands = scheduled.run.graph, scheduled.schedule.islands
    cascade, buffer = selection.cascade, selection.buffer
    buffers = {
        plan.op: len(plan.weights.buffer_bytes) for plan in scheduled.schedule.ops if plan.weights
    }
    return (
        _is_among(selection.op, len(graph.ops))
        and _is_among(selection.fm, len(graph.feature_maps))
        and _is_among(selection.cpu_op, len(graph.cpu_ops))
        and (cascade is None or _is_among(cascade.island, len(islands)))
        and (cascade is None or _is_among(cascade.cascade, len(islands[cascade.island].cascades)))
        and (buffer is None or _is_among(buffer.buffer, buffers.get(buffer.op, 0)))
    )


def _is_among(position: int | None, count: int) -> bool:
    return position is None or 0 <= position < count
