"""A JSON schema from the keys of a form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.base.frozen import Changing, field
from core.report.json_forms.key import ANY, ELEMENT, Key

Json = dict[str, Any]

_SIMPLE = {
    "text": "string",
    "int": "integer",
    "number": "number",
    "bool": "boolean",
    "open": "object",
}
_TOKEN = re.compile(r"\[\]|[^.\[\]]+")


class _Node(Changing):
    """What is at a path, and below it."""

    key: Key | None = None
    parts: dict[str, _Node] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return self.key.kind.strip("~?") if self.key is not None else "object"

    @property
    def may_be_missing(self) -> bool:
        return self.key is not None and self.key.kind.startswith("~")

    @property
    def may_be_null(self) -> bool:
        return self.key is not None and self.key.kind.endswith("?")


def schema_of(keys: Iterable[Key], title: str, special: Mapping[str, Json]) -> Json:
    """What checks a form; `special` are the values of keys that rows cannot tell."""
    root = _Node()
    for key in keys:
        node = root
        for token in _TOKEN.findall(key.path):
            node = node.parts.setdefault(token, _Node())
        node.key = key
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **_schema(root, special),
    }


def _schema(node: _Node, special: Mapping[str, Json]) -> Json:
    found = _bare(node, special)
    if node.key is not None and node.key.meaning:
        found |= {"description": node.key.meaning}
    if not node.may_be_null:
        return found
    if isinstance(found.get("type"), str):
        return found | {"type": [found["type"], "null"]}
    return {"anyOf": [found, {"type": "null"}]}


def _bare(node: _Node, special: Mapping[str, Json]) -> Json:
    if node.key is not None and node.key.path in special:
        return dict(special[node.key.path])
    if ELEMENT in node.parts:
        return {"type": "array", "items": _schema(node.parts[ELEMENT], special)}
    kind = node.kind
    if node.parts or kind in {"object", "open"}:
        return _object(node, special)
    return _of_kind(kind)


def _of_kind(kind: str) -> Json:
    if kind.startswith("["):
        return {"type": "array", "items": _of_kind(kind[1:-1])}
    if kind.endswith("?"):
        return {"type": [_SIMPLE[kind[:-1]], "null"]}
    return {"type": _SIMPLE[kind]} if kind in _SIMPLE else {}


def _object(node: _Node, special: Mapping[str, Json]) -> Json:
    named = {name: part for name, part in node.parts.items() if name != ANY}
    rest: Json | bool = node.kind == "open"
    if ANY in node.parts:
        rest = _schema(node.parts[ANY], special)
    return {
        "type": "object",
        "properties": {name: _schema(part, special) for name, part in named.items()},
        "required": [name for name, part in named.items() if not part.may_be_missing],
        "additionalProperties": rest,
    }
