"""Notes: their file, and what of a network they are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.base.errors import InputError
from core.base.frozen import NamedTuple
from core.base.harmless import to_json
from core.base.ids import FmId, NpuOpId
from core.base.plain_json import read_json
from core.edits.names import Names
from core.edits.plain import subject_from_plain, subject_to_plain
from core.ir.edits import EdgeNamed, MapNamed, OpNamed, OpsNamed, SpanNamed, Subject
from core.ir.notes import Note

Plain = Any

VERSION = 1
_KIND = "notes"
_MEMBERS = frozenset({"subject", "text", "is_orphan"})


class Anchor(NamedTuple):
    """What of a network a note is about."""

    ops: tuple[NpuOpId, ...] = ()
    """Of a stretch of time its first and last."""
    fm: FmId | None = None

    @property
    def is_orphan(self) -> bool:
        """Whether the network has nothing of that name, or not all of it."""
        return not self.ops and self.fm is None


def anchor_of(subject: Subject, names: Names) -> Anchor:
    """What a subject is in a network with these names."""
    if isinstance(subject, MapNamed):
        return Anchor(fm=names.map_ids.get(subject))
    found = tuple(names.op_ids.get(op) for op in _ops_named(subject))
    known = tuple(op for op in found if op is not None)
    return Anchor(ops=known) if len(known) == len(found) else Anchor()


def _ops_named(subject: OpNamed | OpsNamed | EdgeNamed | SpanNamed) -> tuple[OpNamed, ...]:
    match subject:
        case OpNamed():
            return (subject,)
        case OpsNamed(ops):
            return ops
        case EdgeNamed(maker, reader):
            return maker, reader
        case SpanNamed(first, last):
            return first, last


def to_plain(note: Note) -> Plain:
    """A note as an object."""
    return {"subject": subject_to_plain(note.subject), "text": note.text}


def from_plain(plain: Plain, where: str) -> Note:
    """The note that an object is; an InputError says where it is not one."""
    if not isinstance(plain, dict):
        raise InputError("is no object", where)
    for name in ("subject", "text"):
        if name not in plain:
            raise InputError(f"'{name}' is missing", where)
    for name in sorted(plain.keys() - _MEMBERS):
        raise InputError(f"'{name}' is not known", where)
    text = plain["text"]
    if not isinstance(text, str) or not text.strip():
        raise InputError("is no text", f"{where}.text")
    # A note is one line wherever it is shown.
    line = " ".join(text.split())
    return Note(subject=subject_from_plain(plain["subject"], f"{where}.subject"), text=line)


def encode(notes: Iterable[Note]) -> str:
    """A file of notes, one line for each."""
    lines = [to_json(to_plain(note), keeps_letters=True) for note in notes]
    body = "\n  " + ",\n  ".join(lines) + "\n" if lines else ""
    head = to_json({"reefpoint": _KIND, "version": VERSION})
    return f'{head[:-1]}, "notes": [{body}]}}\n'


def decode(data: bytes) -> tuple[Note, ...]:
    """The notes of a file of them, or those that the JSON of a schedule carries."""
    plain = read_json(data)
    if not isinstance(plain, dict) or not (plain.get("reefpoint") == _KIND or "core" in plain):
        raise InputError(
            'has no notes: it is neither a file of them ("reefpoint": "notes") nor'
            " the JSON of a schedule"
        )
    if "core" not in plain and plain.get("version") != VERSION:
        raise InputError(f"has version {plain.get('version')}, and {VERSION} is known", "version")
    return _notes(plain.get("notes", []))


def _notes(plain: Plain) -> tuple[Note, ...]:
    if not isinstance(plain, list):
        raise InputError("is no list", "notes")
    return tuple(from_plain(each, f"notes[{at}]") for at, each in enumerate(plain))


def orphans(notes: Sequence[Note], names: Names) -> tuple[Note, ...]:
    """Notes about what a network does not have."""
    return tuple(note for note in notes if anchor_of(note.subject, names).is_orphan)
