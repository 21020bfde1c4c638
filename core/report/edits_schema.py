"""The file of edits for whoever writes one: its JSON schema and its page, of their table."""

from __future__ import annotations

from collections.abc import Iterator

from core.edits.kind import EditKind
from core.edits.kinds import KINDS
from core.edits.plain import Json, object_of, value_to_plain
from core.edits.rules import FIELDS
from core.ir.options import Search

_MARKS: Json = {"on": {"type": "boolean"}, "note": {"type": "string"}}


def schema() -> Json:
    """What editors check a file by; names and rules are looked up when it is read."""
    return {
        "title": "Edits of Reefpoint",
        "type": "object",
        "required": ["reefpoint", "version", "edits"],
        "properties": {
            "reefpoint": {"const": "edits"},
            "version": {"const": 1},
            "model": {"type": ["string", "null"]},
            "search": {"enum": [each.value for each in Search]},
            "edits": {
                "type": "array",
                "items": {"anyOf": [*_edits(), *_rules()]},
            },
        },
    }


def _edits() -> Iterator[Json]:
    for kind in KINDS:
        for way in kind.written:
            parts = {"subject": {"anyOf": list(way.subjects)}, **_decided(kind, way.value)}
            yield object_of({**parts, **_MARKS, "rule": {"type": "string"}}, *_MARKS, "rule")


def _rules() -> Iterator[Json]:
    query = {"type": "string", "pattern": r"\S"}
    every = [(kind, kind.takes.schema) for kind in KINDS if kind.rules is None]
    some = [
        (kind, {"const": value_to_plain(value)}) for kind in KINDS for value in kind.rules or ()
    ]
    for kind, value in (*every, *some):
        yield object_of({"where": query, **_decided(kind, value), **_MARKS}, *_MARKS)


def _decided(kind: EditKind, value: Json) -> Json:
    return {"what": {"const": kind.what.value}, "value": value}


def page() -> str:
    """The page about files of edits."""
    rows = "\n".join(
        f"| `{kind.what.value}` | {way.about} | {way.meaning} | `{way.example}` |"
        for kind in KINDS
        for way in kind.written
    )
    return (
        "# Files of edits\n\n"
        "`--edits F` of every command that schedules, **File > Decide as a file does** and"
        " `edits=` in scripts read them; `--write-edits F` writes all decisions of a schedule."
        " Editors check a file by `schemas/edits.schema.json`.\n\n"
        "This page is made by `core/report/edits_schema.py`.\n\n"
        '    {"reefpoint": "edits", "version": 1, "edits": [\n'
        '      {"subject": {"map": "#31"}, "what": "region", "value": "fast"},\n'
        '      {"where": "kind=depthwise", "what": "cascade", "value": "never"}]}\n\n'
        "An edit has a `subject`, `what` is decided and a `value`. It may have `on` (false: it is"
        " not heeded), a `note`, and the `rule` that has made it.\n\n"
        f"| what | about | value | such as |\n|---|---|---|---|\n{rows}\n\n"
        'A map is `{"map": NAME}`, an operator `{"operator": NAME}`, operators'
        ' `{"operators": [NAME, ...]}`, an edge `{"edge": [NAME, NAME]}` from what makes to what'
        ' reads, fast storage `{"region": "fast", "from": NAME, "to": NAME}`. Of several with'
        " one name, `ordinal` says which, from 0. A NAME is a whole name, `#31`, a title of the"
        " window, or an ending that no other has.\n\n"
        "A rule has a query under `where` in place of the subject, and is an edit for each operator"
        " or map that it finds; where maps are decided, an operator stands for what it makes. It"
        f" asks what the network says itself: {', '.join(f'`{name}`' for name in FIELDS)}, by `=`,"
        " `!=`, `<`, `>`, `~`, with `and`, `or`, `not` and brackets between; a word alone has to"
        ' occur in a name. Of cascades a rule can say `"never"`.\n'
    )
