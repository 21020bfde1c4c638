"""Whom an edit is about, and what it can be, as JSON can hold them, and back; what comes back is
looked at closely, and each part says what it takes as a schema."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, TypeVar

from core.base.errors import InputError, OptionError
from core.base.frozen import Frozen
from core.base.geometry import Block
from core.base.size import parse_size
from core.ir.edits import (
    EdgeNamed,
    Edit,
    MapNamed,
    OpNamed,
    OpsNamed,
    Rule,
    SpanNamed,
    Subject,
    Value,
    WeightsAsked,
)
from core.target.format import Format

Plain = Any
Json = dict[str, Any]

_MOST = 1 << 40

NAME: Json = {"type": "string"}
PLACE: Json = {"type": "integer", "minimum": 0}


def object_of(properties: Json, *optional: str) -> Json:
    """The schema of an object that has these members and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def one_of(*words: str | None) -> Json:
    """The schema of one of a few words."""
    return {"enum": list(words)}


OPERATOR = object_of({"operator": NAME, "ordinal": PLACE}, "ordinal")
OP: Json = {"anyOf": [NAME, OPERATOR]}


def members(plain: Plain, needed: set[str], possible: set[str], where: str) -> dict[str, Plain]:
    """The members of an object, which has all that are needed and none that is not known."""
    if not isinstance(plain, dict):
        raise InputError("is no object", where)
    for name in sorted(plain.keys() - needed - possible):
        raise InputError(str(OptionError.unknown("key", name, needed | possible)), where)
    for name in sorted(needed - plain.keys()):
        raise InputError(f"'{name}' is missing", where)
    return plain


def text(plain: Plain, where: str, what: str = "text") -> str:
    """A text, or whatever else it is called."""
    if not isinstance(plain, str):
        raise InputError(f"is no {what}", where)
    return plain


def number(plain: Plain, where: str) -> int:
    """A number of bytes, rows, or whatever else there may be none of."""
    if isinstance(plain, bool) or not isinstance(plain, int) or not 0 <= plain <= _MOST:
        raise InputError("is no whole number from 0 up", where)
    return plain


def op(plain: Plain, where: str) -> OpNamed:
    """An operator: its name alone, or an object."""
    if isinstance(plain, str):
        return OpNamed(plain)
    own = members(plain, {"operator"}, {"ordinal"}, where)
    return OpNamed(text(own["operator"], where, "name"), number(own.get("ordinal", 0), where))


def op_to_plain(name: OpNamed) -> Plain:
    """An operator as part of something else."""
    return name.name if not name.ordinal else {"operator": name.name, "ordinal": name.ordinal}


CALLED: Mapping[type, str] = {
    MapNamed: "a map",
    OpNamed: "an operator",
    OpsNamed: "operators",
    EdgeNamed: "an edge",
    SpanNamed: "a region",
}

_REGION = "fast"

MAP = object_of({"map": NAME, "ordinal": PLACE}, "ordinal")
EDGE = object_of({"edge": {"type": "array", "items": OP, "minItems": 2, "maxItems": 2}})
SPAN = object_of({"region": one_of(_REGION), "from": OP, "to": OP})


def operators(least: int) -> Json:
    """The schema of several operators, so many at least."""
    return object_of({"operators": {"type": "array", "items": OP, "minItems": least}})


def subject_to_plain(subject: Subject) -> Plain:
    """A subject as an object."""
    match subject:
        case MapNamed(name, ordinal):
            return {"map": name} | ({"ordinal": ordinal} if ordinal else {})
        case OpNamed(name, ordinal):
            return {"operator": name} | ({"ordinal": ordinal} if ordinal else {})
        case OpsNamed(ops):
            return {"operators": [op_to_plain(each) for each in ops]}
        case EdgeNamed(maker, reader):
            return {"edge": [op_to_plain(maker), op_to_plain(reader)]}
        case SpanNamed(first, last):
            return {"region": _REGION, "from": op_to_plain(first), "to": op_to_plain(last)}


def subject_from_plain(plain: Plain, where: str) -> Subject:
    """The subject that an object is; an InputError says where it is not one."""
    if not isinstance(plain, dict):
        raise InputError("is no object", where)
    match plain:
        case {"map": name}:
            members(plain, {"map"}, {"ordinal"}, where)
            return MapNamed(text(name, where, "name"), number(plain.get("ordinal", 0), where))
        case {"operator": _}:
            return op(plain, where)
        case {"operators": ops}:
            members(plain, {"operators"}, set(), where)
            return OpsNamed(_ops(ops, where))
        case {"edge": [maker, reader]}:
            members(plain, {"edge"}, set(), where)
            return EdgeNamed(op(maker, where), op(reader, where))
        case {"region": "fast", "from": first, "to": last}:
            members(plain, {"region", "from", "to"}, set(), where)
            return SpanNamed(op(first, where), op(last, where))
        case _:
            raise InputError(
                "is neither a map, an operator, operators, an edge, nor the fast region from an"
                " operator to another",
                where,
            )


def _ops(plain: Plain, where: str) -> tuple[OpNamed, ...]:
    if not isinstance(plain, list) or not plain:
        raise InputError("is no list of operators", where)
    return tuple(op(each, where) for each in plain)


_Member = TypeVar("_Member", bound=enum.Enum)
_ORDERS = {"bricks": Format.BRICKS, "rows": Format.LINEAR}
_FORMAT_WORDS = {order: word for word, order in _ORDERS.items()}
_MOST_BUFFERS = 2


class Takes(Frozen):
    """A type of value in files."""

    read: Callable[[Plain, str], Value]
    """An InputError says where it is none."""
    schema: Json
    is_number: bool = False
    """Whether digits in a text are one."""


def value_to_plain(value: Value) -> Plain:
    """A value as files have it."""
    match value:
        case Format():
            return _FORMAT_WORDS[value]
        case enum.Enum():
            return value.value
        case OpNamed():
            return op_to_plain(value)
        case Block():
            return "x".join(map(str, value))
        case WeightsAsked():
            parts = {
                "buffers": value.buffers,
                "depths": None if value.depths is None else list(value.depths),
                "prefetch": value.prefetch,
                "lead_steps": value.lead_steps,
            }
            return {name: part for name, part in parts.items() if part is not None}
        case _:
            return value


def member(kind: type[_Member], plain: Plain, where: str) -> _Member:
    """The member of an enumeration that has this value."""
    for each in kind:
        if each.value == plain:
            return each
    known = ", ".join(f"'{each.value}'" for each in kind)
    raise InputError(f"is none of {known}", where)


def words(kind: type[enum.Enum]) -> Takes:
    """One of the values of an enumeration."""
    return Takes(
        read=lambda plain, where: member(kind, plain, where),  # type: ignore[arg-type,return-value]
        schema=one_of(*(each.value for each in kind)),
    )


def _format(plain: Plain, where: str) -> Format:
    if not isinstance(plain, str) or plain not in _ORDERS:
        raise InputError("is neither 'bricks' nor 'rows'", where)
    return _ORDERS[plain]


def _bytes(plain: Plain, where: str) -> int:
    """A number of bytes, or a size as people write it: 64K, 0x100."""
    if not isinstance(plain, str):
        return number(plain, where)
    try:
        return number(parse_size(plain), where)
    except OptionError as error:
        raise InputError(str(error), where) from error


def _rows(plain: Plain, where: str) -> int:
    rows = number(plain, where)
    if not rows:
        raise InputError("is no number of rows", where)
    return rows


def _block(plain: Plain, where: str) -> Block:
    parts = plain.split("x") if isinstance(plain, str) else ()
    if len(parts) != len(Block._fields) or not all(
        part.isascii() and part.isdigit() and 0 < int(part) <= _MOST for part in parts
    ):
        raise InputError("is no block such as '16x2x32': height, width, depth", where)
    return Block(*map(int, parts))


def _weights(plain: Plain, where: str) -> WeightsAsked:
    known = members(plain, set(), {"buffers", "depths", "prefetch", "lead_steps"}, where)
    buffers, depths, prefetch = (known.get(name) for name in ("buffers", "depths", "prefetch"))
    lead_steps = known.get("lead_steps")
    if buffers is not None and number(buffers, f"{where}.buffers") > _MOST_BUFFERS:
        raise InputError("is more than two", f"{where}.buffers")
    if prefetch is not None and not isinstance(prefetch, bool):
        raise InputError("is neither true nor false", f"{where}.prefetch")
    if lead_steps is not None:
        number(lead_steps, f"{where}.lead_steps")
    if buffers is depths is prefetch is lead_steps is None:
        raise InputError("says nothing about the weights", where)
    return WeightsAsked(
        buffers=buffers,
        depths=None if depths is None else _depths(depths, f"{where}.depths"),
        prefetch=prefetch,
        lead_steps=lead_steps,
    )


def _depths(plain: Plain, where: str) -> tuple[int, ...]:
    depths = tuple(number(each, where) for each in plain) if isinstance(plain, list) else ()
    rising = all(one < other for one, other in pairwise(depths))
    if len(depths) < 2 or depths[0] != 0 or not rising:
        raise InputError("does not rise from 0 to the depth", where)
    return depths


def _or_none(schema: Json) -> Json:
    return {"anyOf": [schema, one_of(None)]}


OPERATORS = Takes(read=op, schema=OP)
FORMATS = Takes(read=_format, schema=one_of(*_ORDERS))
ROWS = Takes(read=_rows, schema={"type": "integer", "minimum": 1}, is_number=True)
SIZES = Takes(
    read=_bytes,
    schema={
        "anyOf": [
            PLACE,
            {
                "type": "string",
                "pattern": r"^\s*(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20}) ?[kKmMgG]?([iI]?[bB])?\s*$",
            },
        ]
    },
)
BLOCKS = Takes(
    read=_block,
    schema={"type": "string", "pattern": "^0*[1-9][0-9]*x0*[1-9][0-9]*x0*[1-9][0-9]*$"},
)
WEIGHT_WAYS = Takes(
    read=_weights,
    schema={
        "type": "object",
        "properties": {
            "buffers": _or_none({"type": "integer", "minimum": 0, "maximum": _MOST_BUFFERS}),
            "depths": _or_none({"type": "array", "items": PLACE, "minItems": 2}),
            "prefetch": _or_none({"type": "boolean"}),
            "lead_steps": _or_none(PLACE),
        },
        "additionalProperties": False,
        "minProperties": 1,
    },
)


def to_plain(edit: Edit | Rule) -> Plain:
    """An edit or a rule as an object; what is as usual is left out."""
    about = (
        {"where": edit.query}
        if isinstance(edit, Rule)
        else {"subject": subject_to_plain(edit.subject)}
    )
    plain = {**about, "what": edit.what.value, "value": value_to_plain(edit.value)}
    if not edit.is_on:
        plain["on"] = False
    if edit.note:
        plain["note"] = edit.note
    if isinstance(edit, Edit) and edit.rule:
        plain["rule"] = edit.rule
    return plain
