"""A key of a form of JSON: where it is, what kind of value it has, and what that means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.base.frozen import NamedTuple

ANY = "*"
"""Stands for keys that are names or numbers."""
ELEMENT = "[]"
"""Stands for each element of a list."""


class Key(NamedTuple):
    """A key by its path. Kinds are `text`, `int`, `number`, `bool`, `any`; a list of them is
    `[int]`; `object` and `list` are those whose keys and elements have rows of their own, `open`
    is an object that has others too. What may be null ends with `?`, what may be missing begins
    with `~`.
    """

    path: str
    kind: str
    meaning: str


def section(path: str, rows: Mapping[str, str]) -> Iterator[Key]:
    """The keys of an object, each told as `kind: meaning`."""
    for name, told in rows.items():
        kind, _, meaning = told.partition(": ")
        yield Key(f"{path}.{name}" if path else name, kind, meaning)


def told_as(kind: str, rows: Mapping[str, str]) -> dict[str, str]:
    """Rows whose values are all of one kind, and that say so nowhere themselves."""
    return {name: f"{kind}: {meaning}" for name, meaning in rows.items()}
