"""One edit as JSON can hold it, and back; what comes back is looked at closely."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, TypeVar

from core.base.errors import InputError, OptionError
from core.base.geometry import Block
from core.base.size import parse_size
from core.ir.edits import (
    SUBJECTS,
    EdgeNamed,
    Edit,
    Grouping,
    Living,
    MapNamed,
    OpNamed,
    OpsNamed,
    Processor,
    Rule,
    SpanNamed,
    Subject,
    Traversal,
    Value,
    WeightsAsked,
    What,
)
from core.target.format import Format

Plain = Any
Result = TypeVar("Result")

_FORMATS = {"bricks": Format.BRICKS, "rows": Format.LINEAR}
_FORMAT_WORDS = {order: word for word, order in _FORMATS.items()}
_MOST = 1 << 40
_REGION = "fast"
_FEWEST_APART = 2


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


def from_plain(plain: Plain, where: str) -> Edit:
    """The edit that an object is; an InputError says where it is not one."""
    members = _members(plain, {"subject", "what", "value"}, {"on", "note", "rule"}, where)
    what, value, is_on, note = _decision(members, where)
    subject = subject_from_plain(members["subject"], f"{where}.subject")
    kinds = SUBJECTS[what]
    if not isinstance(subject, kinds):
        known = " or ".join(_CALLED[kind] for kind in kinds)
        raise InputError(f"'{what.value}' is of {known}", f"{where}.subject")
    if what is What.CASCADE:
        _demand_group(subject, value, where)
    rule = _text(members.get("rule", ""), f"{where}.rule")
    return Edit(subject=subject, what=what, value=value, is_on=is_on, note=note, rule=rule)


def asked_from_plain(plain: Plain, where: str) -> Edit | Rule:
    """The edit that an object is, or the rule, which has a query in place of a subject."""
    if not isinstance(plain, dict) or "where" not in plain:
        return from_plain(plain, where)
    members = _members(plain, {"where", "what", "value"}, {"on", "note"}, where)
    what, value, is_on, note = _decision(members, where)
    query = _text(members["where"], f"{where}.where")
    if what is What.RESERVE:
        raise InputError("'reserve' is of a region, and no rule finds one", where)
    if what is What.CASCADE and value is not Grouping.NEVER:
        raise InputError("a rule can keep out of cascades ('never'), and nothing else", where)
    return Rule(query=query, what=what, value=value, is_on=is_on, note=note)


def _decision(members: Mapping[str, Plain], where: str) -> tuple[What, Value, bool, str]:
    """What is decided, and whether it is heeded."""
    what = _choice(What, members["what"], f"{where}.what")
    is_on = members.get("on", True)
    if not isinstance(is_on, bool):
        raise InputError("is neither true nor false", f"{where}.on")
    note = _text(members.get("note", ""), f"{where}.note")
    return what, _VALUES[what](members["value"], f"{where}.value"), is_on, note


def _text(plain: Plain, where: str) -> str:
    if not isinstance(plain, str):
        raise InputError("is no text", where)
    return plain


def _demand_group(subject: Subject, value: Value, where: str) -> None:
    is_edge = isinstance(subject, EdgeNamed)
    if value is not Grouping.APART and is_edge:
        raise InputError("'together' and 'never' are of operators, and not of an edge", where)
    if value is Grouping.APART and not is_edge and len(_ops_in(subject)) < _FEWEST_APART:
        raise InputError("'apart' is of an edge, or of several operators", where)


def _ops_in(subject: Subject) -> tuple[OpNamed, ...]:
    return subject.ops if isinstance(subject, OpsNamed) else ()


_CALLED: Mapping[type, str] = {
    MapNamed: "a map",
    OpNamed: "an operator",
    OpsNamed: "operators",
    EdgeNamed: "an edge",
    SpanNamed: "a region",
}


def subject_to_plain(subject: Subject) -> Plain:
    """A subject as an object."""
    match subject:
        case MapNamed(name, ordinal):
            return {"map": name} | ({"ordinal": ordinal} if ordinal else {})
        case OpNamed(name, ordinal):
            return {"operator": name} | ({"ordinal": ordinal} if ordinal else {})
        case OpsNamed(ops):
            return {"operators": [_op_to_plain(op) for op in ops]}
        case EdgeNamed(maker, reader):
            return {"edge": [_op_to_plain(maker), _op_to_plain(reader)]}
        case SpanNamed(first, last):
            return {"region": _REGION, "from": _op_to_plain(first), "to": _op_to_plain(last)}


def _op_to_plain(op: OpNamed) -> Plain:
    return op.name if not op.ordinal else {"operator": op.name, "ordinal": op.ordinal}


def value_to_plain(value: Value) -> Plain:
    """A value as files have it."""
    match value:
        case Living() | Grouping() | Traversal() | Processor():
            return value.value
        case OpNamed():
            return _op_to_plain(value)
        case Format():
            return _FORMAT_WORDS[value]
        case Block():
            return "x".join(map(str, value))
        case WeightsAsked():
            parts = {
                "buffers": value.buffers,
                "depths": None if value.depths is None else list(value.depths),
                "prefetch": value.prefetch,
            }
            return {name: part for name, part in parts.items() if part is not None}
        case _:
            return value


def typed_value(what: What, text: str) -> Value:
    """The value that a text is; an InputError says what it would have to be."""
    plain: Plain = text.strip()
    if what in (What.STRIPE, What.ROLLING) and plain.isascii() and plain.isdigit():
        plain = int(plain)
    return _VALUES[what](plain, "")


def subject_from_plain(plain: Plain, where: str) -> Subject:
    """The subject that an object is; an InputError says where it is not one."""
    if not isinstance(plain, dict):
        raise InputError("is no object", where)
    match plain:
        case {"map": name}:
            _members(plain, {"map"}, {"ordinal"}, where)
            return MapNamed(_name(name, where), _number(plain.get("ordinal", 0), where))
        case {"operator": _}:
            return _op(plain, where)
        case {"operators": ops}:
            _members(plain, {"operators"}, set(), where)
            return OpsNamed(_ops(ops, where))
        case {"edge": [maker, reader]}:
            _members(plain, {"edge"}, set(), where)
            return EdgeNamed(_op(maker, where), _op(reader, where))
        case {"region": "fast", "from": first, "to": last}:
            _members(plain, {"region", "from", "to"}, set(), where)
            return SpanNamed(_op(first, where), _op(last, where))
        case _:
            raise InputError(
                "is neither a map, an operator, operators, an edge, nor the fast region from an"
                " operator to another",
                where,
            )


def _ops(plain: Plain, where: str) -> tuple[OpNamed, ...]:
    if not isinstance(plain, list) or not plain:
        raise InputError("is no list of operators", where)
    return tuple(_op(each, where) for each in plain)


def _op(plain: Plain, where: str) -> OpNamed:
    if isinstance(plain, str):
        return OpNamed(plain)
    members = _members(plain, {"operator"}, {"ordinal"}, where)
    return OpNamed(_name(members["operator"], where), _number(members.get("ordinal", 0), where))


def _members(plain: Plain, needed: set[str], possible: set[str], where: str) -> dict[str, Plain]:
    if not isinstance(plain, dict):
        raise InputError("is no object", where)
    for name in needed - plain.keys():
        raise InputError(f"'{name}' is missing", where)
    for name in plain.keys() - needed - possible:
        raise InputError(f"'{name}' is not known", where)
    return plain


def _name(plain: Plain, where: str) -> str:
    if not isinstance(plain, str):
        raise InputError("is no name", where)
    return plain


def _number(plain: Plain, where: str) -> int:
    if isinstance(plain, bool) or not isinstance(plain, int) or not 0 <= plain <= _MOST:
        raise InputError("is no whole number from 0 up", where)
    return plain


def _bytes(plain: Plain, where: str) -> int:
    """A number of bytes, or a size as people write it: 64K, 0x100."""
    if not isinstance(plain, str):
        return _number(plain, where)
    try:
        return _number(parse_size(plain), where)
    except OptionError as error:
        raise InputError(str(error), where) from error


def _rows(plain: Plain, where: str) -> int:
    rows = _number(plain, where)
    if not rows:
        raise InputError("is no number of rows", where)
    return rows


def _choice(kind: type[Result], plain: Plain, where: str) -> Result:
    for member in kind:  # type: ignore[attr-defined]
        if member.value == plain:
            found: Result = member
            return found
    known = ", ".join(f"'{member.value}'" for member in kind)  # type: ignore[attr-defined]
    raise InputError(f"is none of {known}", where)


def _format(plain: Plain, where: str) -> Format:
    if not isinstance(plain, str) or plain not in _FORMATS:
        raise InputError("is neither 'bricks' nor 'rows'", where)
    return _FORMATS[plain]


def _block(plain: Plain, where: str) -> Block:
    parts = plain.split("x") if isinstance(plain, str) else ()
    if len(parts) != len(Block._fields) or not all(
        part.isascii() and part.isdigit() and 0 < int(part) <= _MOST for part in parts
    ):
        raise InputError("is no block such as '16x2x32': height, width, depth", where)
    return Block(*map(int, parts))


def _weights(plain: Plain, where: str) -> WeightsAsked:
    members = _members(plain, set(), {"buffers", "depths", "prefetch"}, where)
    buffers, depths, prefetch = (members.get(name) for name in ("buffers", "depths", "prefetch"))
    if buffers is not None and _number(buffers, f"{where}.buffers") > 2:
        raise InputError("is more than two", f"{where}.buffers")
    if prefetch is not None and not isinstance(prefetch, bool):
        raise InputError("is neither true nor false", f"{where}.prefetch")
    if buffers is depths is prefetch is None:
        raise InputError("says nothing about the weights", where)
    return WeightsAsked(
        buffers=buffers,
        depths=None if depths is None else _depths(depths, f"{where}.depths"),
        prefetch=prefetch,
    )


def _depths(plain: Plain, where: str) -> tuple[int, ...]:
    depths = tuple(_number(each, where) for each in plain) if isinstance(plain, list) else ()
    rising = all(one < other for one, other in pairwise(depths))
    if len(depths) < 2 or depths[0] != 0 or not rising:
        raise InputError("does not rise from 0 to the depth", where)
    return depths


_VALUES: Mapping[What, Callable[[Plain, str], Value]] = {
    What.REGION: lambda plain, where: _choice(Living, plain, where),
    What.FORMAT: _format,
    What.ADDRESS: _bytes,
    What.CASCADE: lambda plain, where: _choice(Grouping, plain, where),
    What.STRIPE: _rows,
    What.BLOCK: _block,
    What.TRAVERSAL: lambda plain, where: _choice(Traversal, plain, where),
    What.ROLLING: _rows,
    What.WEIGHTS: _weights,
    What.BEFORE: _op,
    What.AFTER: _op,
    What.RESERVE: _bytes,
    What.PROCESSOR: lambda plain, where: _choice(Processor, plain, where),
}
