"""The file of edits for whoever writes one: its JSON schema and its page, of one table."""

from __future__ import annotations

from typing import Any, NamedTuple

from core.edits.rules import FIELDS
from core.ir.edits import Grouping, Living, Processor, Traversal, What
from core.ir.options import Search

Json = dict[str, Any]

_NAME: Json = {"type": "string"}
_PLACE: Json = {"type": "integer", "minimum": 0}
_ROWS: Json = {"type": "integer", "minimum": 1}
_SIZE: Json = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {
            "type": "string",
            "pattern": r"^\s*(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20}) ?[kKmMgG]?([iI]?[bB])?\s*$",
        },
    ]
}


def _object(properties: Json, *optional: str) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _words(*words: str | None) -> Json:
    return {"enum": list(words)}


_OP: Json = {"anyOf": [_NAME, _object({"operator": _NAME, "ordinal": _PLACE}, "ordinal")]}
_OPERATOR = _object({"operator": _NAME, "ordinal": _PLACE}, "ordinal")
_MAP = _object({"map": _NAME, "ordinal": _PLACE}, "ordinal")
_EDGE = _object({"edge": {"type": "array", "items": _OP, "minItems": 2, "maxItems": 2}})


def _operators(least: int) -> Json:
    return _object({"operators": {"type": "array", "items": _OP, "minItems": least}})


_REGION = _object({"region": _words("fast"), "from": _OP, "to": _OP})


class Row(NamedTuple):
    """A decision as files have it."""

    what: What
    subjects: tuple[Json, ...]
    about: str
    """Whom it is about, in words."""
    value: Json
    meaning: str
    example: str
    has_rules: bool = True
    """Whether a rule can ask for it."""


ROWS = (
    Row(
        What.REGION,
        (_MAP,),
        "a map",
        _words(*(each.value for each in Living)),
        "in which memory it lies, where maps have two",
        '"fast"',
    ),
    Row(
        What.FORMAT,
        (_MAP,),
        "a map",
        _words("bricks", "rows"),
        "in bricks of 16 channels, or row by row",
        '"rows"',
    ),
    Row(What.ADDRESS, (_MAP,), "a map", _SIZE, "where in its memory it begins", '"0x1000"'),
    Row(What.ROLLING, (_MAP,), "a map", _ROWS, "rows that its rolling buffer holds", "6"),
    Row(
        What.CASCADE,
        (_OPERATOR, _operators(1)),
        "an operator, or operators as they run",
        _words(Grouping.TOGETHER.value, Grouping.NEVER.value),
        "in one cascade, or in none",
        '"together"',
        has_rules=False,
    ),
    Row(
        What.CASCADE,
        (_EDGE, _operators(2)),
        "an edge, or several operators",
        _words(Grouping.APART.value),
        "not in one cascade with each other",
        '"apart"',
        has_rules=False,
    ),
    Row(
        What.STRIPE,
        (_OPERATOR, _operators(1)),
        "an operator, or operators",
        _ROWS,
        "rows that it makes at once",
        "4",
    ),
    Row(
        What.BLOCK,
        (_OPERATOR,),
        "an operator",
        {"type": "string", "pattern": "^0*[1-9][0-9]*x0*[1-9][0-9]*x0*[1-9][0-9]*$"},
        "rows, columns and channels that the MAC array makes at once",
        '"16x2x32"',
    ),
    Row(
        What.TRAVERSAL,
        (_OPERATOR,),
        "an operator",
        _words(*(each.value for each in Traversal)),
        "the order in which a convolution takes its weights",
        '"depth first"',
    ),
    Row(
        What.WEIGHTS,
        (_OPERATOR,),
        "an operator",
        {
            "type": "object",
            "properties": {
                "buffers": {
                    "anyOf": [{"type": "integer", "minimum": 0, "maximum": 2}, _words(None)]
                },
                "depths": {
                    "anyOf": [{"type": "array", "items": _PLACE, "minItems": 2}, _words(None)]
                },
                "prefetch": {"anyOf": [{"type": "boolean"}, _words(None)]},
            },
            "additionalProperties": False,
            "minProperties": 1,
        },
        "buffers in fast storage (0 to 2), where slices begin and end, and whether the first is"
        " fetched early; what is left out is open",
        '{"buffers": 2, "depths": [0, 32, 64], "prefetch": true}',
    ),
    Row(What.BEFORE, (_OPERATOR,), "an operator", _OP, "runs before this one", '"c"'),
    Row(What.AFTER, (_OPERATOR,), "an operator", _OP, "runs after this one", '"c"'),
    Row(
        What.RESERVE,
        (_REGION,),
        "fast storage, from an operator to another",
        _SIZE,
        "bytes that are left alone while they run",
        '"8K"',
        has_rules=False,
    ),
    Row(
        What.PROCESSOR,
        (_OPERATOR,),
        "an operator",
        _words(*(each.value for each in Processor)),
        "what runs it: the operator of the file, whatever it becomes on the NPU",
        '"cpu"',
    ),
)
"""Every decision, by whom it is about."""
_KEEP_OUT = {"const": Grouping.NEVER.value}
"""All that rules can say of cascades."""
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
                "items": {"anyOf": [*map(_edit, ROWS), *map(_rule, _ruled())]},
            },
        },
    }


def _edit(row: Row) -> Json:
    parts = {"subject": {"anyOf": list(row.subjects)}, **_decided(row.what, row.value)}
    return _object({**parts, **_MARKS, "rule": {"type": "string"}}, *_MARKS, "rule")


def _rule(decided: tuple[What, Json]) -> Json:
    query = {"type": "string", "pattern": r"\S"}
    return _object({"where": query, **_decided(*decided), **_MARKS}, *_MARKS)


def _decided(what: What, value: Json) -> Json:
    return {"what": {"const": what.value}, "value": value}


def _ruled() -> list[tuple[What, Json]]:
    own = [(row.what, row.value) for row in ROWS if row.has_rules]
    return [*own, (What.CASCADE, _KEEP_OUT)]


def page() -> str:
    """The page about files of edits."""
    rows = "\n".join(
        f"| `{row.what.value}` | {row.about} | {row.meaning} | `{row.example}` |" for row in ROWS
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
