"""Names as they are written where there is little room: without what says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

_ROLE = ": "
_FUSED = ";"
"""Converters join the names of what they have fused; the first one is what was there before."""


def short_names(names: Sequence[str]) -> list[str]:
    """Names without what was fused into them, and without folders that all of them are in."""
    heads = [_head(name) for name in names]
    if len(set(heads)) < 2:
        return heads
    folders = [name.split("/")[:-1] for name in heads if "/" in name]
    # The first and the last in order have in common what all have.
    pairs = zip(min(folders, default=()), max(folders, default=()), strict=False)
    common = takewhile(lambda pair: pair[0] == pair[1], pairs)
    start = "".join(f"{folder}/" for folder, _ in common)
    return [name.removeprefix(start) for name in heads]


def without_role(name: str) -> str:
    """A name without what we add behind a colon, where a colour tells that."""
    head, _, _ = name.rpartition(_ROLE)
    return head or name


def _head(name: str) -> str:
    """The first of fused names; what we add behind a colon stays."""
    head, found, _ = name.partition(_FUSED)
    if not found or not head:
        return name
    _, colon, role = name.rpartition(_ROLE)
    return f"{head}: {role}" if colon else head
