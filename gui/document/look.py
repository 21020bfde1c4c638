"""How the user has set a view: plain values by name, which outlive the view and the process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.base.frozen import NamedTuple
from gui.document.plain import Plain

Look = Mapping[str, Plain]
"""What is zoomed to, chosen, filtered, sorted."""


class LookPart(NamedTuple):
    """One value of a look: how it is read, and used again."""

    read: Callable[[], Plain]
    use: Callable[[Any], object]


def look_of(parts: Mapping[str, LookPart]) -> Look:
    """How these parts are set."""
    return {name: part.read() for name, part in parts.items()}


def use_look(parts: Mapping[str, LookPart], look: Look) -> None:
    """Set parts alike, in their order; values of a strange kind or name are passed over."""
    for name, part in parts.items():
        before, wanted = part.read(), look.get(name)
        if type(wanted) is type(before) and wanted != before:
            part.use(wanted)
