"""The file of edits: one line for each, so that people and version control can read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.errors import InputError, OptionError
from core.base.frozen import Frozen
from core.base.harmless import to_json
from core.base.plain_json import read_json
from core.edits.kind import EditKind
from core.edits.kinds import kind_of
from core.edits.plain import CALLED, Plain, member, members, subject_from_plain, text, to_plain
from core.edits.rules import query_of
from core.ir.edits import Edit, Rule, Value, What
from core.ir.options import Options, Search

VERSION = 1
_KIND = "edits"
_MOST_EDITS = 100_000
"""All decisions of a network of thousands of operators are fewer."""


class EditsFile(Frozen):
    """What a file of edits says."""

    edits: tuple[Edit | Rule, ...]
    model: str | None = None
    """Digest of the model that they were made for, where that is said."""
    search: Search | None = None
    """What found the schedule that they are all decisions of: levels may lower networks otherwise,
    so that names and operators differ."""


def lowered_otherwise(file: EditsFile, options: Options) -> str:
    """What is told of edits that were found in a network lowered otherwise; empty of others."""
    if file.search is None or Options(search=file.search).freedoms == options.freedoms:
        return ""
    return (
        f"was found by --search {file.search.value}, for which networks are lowered otherwise than"
        f" for {options.search.value}: what has its names is obeyed"
    )


def encode(file: EditsFile) -> str:
    """The file as a text; the same edits are the same text."""
    head = {"reefpoint": _KIND, "version": VERSION, "model": file.model}
    if file.search is not None:
        head["search"] = file.search.value
    lines = [to_json(to_plain(edit), keeps_letters=True) for edit in file.edits]
    body = "\n  " + ",\n  ".join(lines) + "\n" if lines else ""
    return f'{to_json(head)[:-1]}, "edits": [{body}]}}\n'


def is_edits(data: bytes) -> bool:
    """Whether a file says of itself that it is one of edits, whatever else is wrong with it."""
    try:
        plain = read_json(data)
    except InputError:
        return False
    return isinstance(plain, dict) and plain.get("reefpoint") == _KIND


def decode(data: bytes) -> EditsFile:
    """What a file says; an InputError tells where it is none of edits."""
    plain = read_json(data)
    if not isinstance(plain, dict) or plain.get("reefpoint") != _KIND:
        raise InputError('is no file of edits: "reefpoint" is not "edits"')
    if plain.get("version") != VERSION:
        raise InputError(f"has version {plain.get('version')}, and {VERSION} is known", "version")
    model, edits = plain.get("model"), plain.get("edits")
    if model is not None and not isinstance(model, str):
        raise InputError("is no digest", "model")
    if not isinstance(edits, list):
        raise InputError("is no list", "edits")
    if len(edits) > _MOST_EDITS:
        raise InputError(f"are {len(edits):,}, and {_MOST_EDITS:,} at most are read", "edits")
    return EditsFile(edits=_edits(edits), model=model, search=_search(plain.get("search")))


def _search(name: object) -> Search | None:
    """A level of the search; levels of other versions are none that could be compared."""
    return next((each for each in Search if each.value == name), None)


def _edits(plain: Sequence[object]) -> tuple[Edit | Rule, ...]:
    return tuple(_edit(each, f"edits[{at}]") for at, each in enumerate(plain))


def _edit(plain: object, where: str) -> Edit | Rule:
    found = asked_from_plain(plain, where)
    if isinstance(found, Rule):
        try:
            query_of(found.query)
        except OptionError as error:
            raise InputError(str(error), f"{where}.where") from error
    return found


def from_plain(plain: Plain, where: str) -> Edit:
    """The edit that an object is; an InputError says where it is not one."""
    own = members(plain, {"subject", "what", "value"}, {"on", "note", "rule"}, where)
    kind, value, is_on, note = _decision(own, where)
    subject = subject_from_plain(own["subject"], f"{where}.subject")
    subjects = kind.what.subjects
    if not isinstance(subject, subjects):
        known = " or ".join(CALLED[each] for each in subjects)
        raise InputError(f"'{kind.what.value}' is of {known}", f"{where}.subject")
    if wrong := kind.wrong(subject, value):
        raise InputError(wrong, where)
    rule = text(own.get("rule", ""), f"{where}.rule")
    return Edit(subject=subject, what=kind.what, value=value, is_on=is_on, note=note, rule=rule)


def asked_from_plain(plain: Plain, where: str) -> Edit | Rule:
    """The edit that an object is, or the rule, which has a query in place of a subject."""
    if not isinstance(plain, dict) or "where" not in plain:
        return from_plain(plain, where)
    own = members(plain, {"where", "what", "value"}, {"on", "note"}, where)
    kind, value, is_on, note = _decision(own, where)
    query = text(own["where"], f"{where}.where")
    if kind.rules is not None and value not in kind.rules:
        raise InputError(kind.no_rule, where)
    return Rule(query=query, what=kind.what, value=value, is_on=is_on, note=note)


def _decision(own: Mapping[str, Plain], where: str) -> tuple[EditKind, Value, bool, str]:
    """What is decided, and whether it is heeded."""
    kind = kind_of(member(What, own["what"], f"{where}.what"))
    is_on = own.get("on", True)
    if not isinstance(is_on, bool):
        raise InputError("is neither true nor false", f"{where}.on")
    note = text(own.get("note", ""), f"{where}.note")
    return kind, kind.takes.read(own["value"], f"{where}.value"), is_on, note


def typed_value(what: What, typed: str) -> Value:
    """The value that a text is; an InputError says what it would have to be."""
    plain: Plain = typed.strip()
    takes = kind_of(what).takes
    if takes.is_number and plain.isascii() and plain.isdigit():
        plain = int(plain)
    return takes.read(plain, "")
