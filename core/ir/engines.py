"""The engines by the names that users give them, and older words for some of these.

A search is told how many freedoms it has (`Search`) and who it is (`Engine`); users name one of
three engines. What their words mean, and what else they are called, is said here alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from core.base.errors import OptionError
from core.base.frozen import replace
from core.ir.knob import Knob, OneOf
from core.ir.knobs import knob_named
from core.ir.options import Choice, Engine, Options, Search


class Named(Choice):
    """An engine, as users name it."""

    FRONT = "front", "ours: a front of schedules that grows with the effort and answers every limit"
    CASCADING = "cascading", "the ecosystem's cascading scheduler, without a freedom"
    PARETO = "pareto", "the ecosystem's older scheduler, which keeps fronts, without a freedom"


ENGINE = replace(
    knob_named("engine"),
    help="who searches: front is ours; cascading and pareto are the ecosystem's two schedulers,"
    " which decide as these do, by its own estimate",
    takes=OneOf(Named),
)
"""The row of `--engine` as it is on the command line."""

_SEARCH, _EFFORT = knob_named("search"), knob_named("effort")
_MOST = Options().effort

OLDER = {
    Search.COMPATIBLE: "--engine cascading",
    Search.DIRECT: "--engine front --effort 0",
    Search.BEST: f"--engine front --effort {_MOST}",
}
"""What the older words are names for; beside `--engine pareto` they say how free that one is."""


def home_of(knob: Knob) -> str:
    """What asks for the engine that alone has a knob; nothing where all have it."""
    if knob.search is not None:
        return OLDER[knob.search]
    return {None: "", Engine.CASCADING: "--engine front", Engine.PARETO: "--engine pareto"}[
        knob.engine
    ]


def meant(
    engine: str | None, search: str | None, effort: str | None, *, usual: Search
) -> Mapping[str, Any]:
    """The values of knobs that these words ask for; None is left out, and who names nobody gets a
    usual search."""
    named = None if engine is None else ENGINE.read(engine)
    kind = Engine.PARETO if named is Named.PARETO else Engine.CASCADING
    number = None if effort is None else _EFFORT.read(effort)
    return {
        "search": _search(named, search, number, usual),
        "engine": kind,
        "effort": _MOST if number is None else number,
    }


def grid(
    engines: Sequence[str | None], searches: Sequence[str | None], efforts: Sequence[str | None]
) -> Mapping[str, tuple[Any, ...]]:
    """The same for several words each, where these ask for all combinations of some values."""
    cells = [meant(*words, usual=Search.DIRECT) for words in product(engines, searches, efforts)]
    axes = {name: tuple(dict.fromkeys(cell[name] for cell in cells)) for name in cells[0]}
    if math.prod(map(len, axes.values())) != len({tuple(cell.values()) for cell in cells}):
        raise OptionError("these engines make no grid; sweep one after the other into one file")
    return axes


def _search(named: Named | None, search: str | None, effort: int | None, usual: Search) -> Search:
    if search is not None:
        asked: Search = _SEARCH.read(search)
        if named is Named.FRONT and asked is Search.COMPATIBLE:
            raise OptionError(f"--search {asked.value} is a name for {OLDER[asked]}, not for front")
        return asked
    if named in (Named.CASCADING, Named.PARETO):
        return Search.COMPATIBLE
    if effort is None:
        return usual
    return Search.BEST if effort else Search.DIRECT


def engine_text(options: Options) -> str:
    """Who searched, in a few words."""
    if options.engine is Engine.PARETO:
        return "Pareto engine" + " with all freedoms" * (options.search is not Search.COMPATIBLE)
    if options.search is Search.COMPATIBLE:
        return "cascading engine" + " as the first one" * options.is_as_first
    return f"front, effort {options.effort if options.is_best else 0}"


def older_text(options: Options) -> str:
    """What asks for the same, in words of today and in older ones."""
    older, effort = f"--search {options.search.value}", f" --effort {options.effort}"
    if options.engine is Engine.PARETO:
        is_own = options.search is Search.COMPATIBLE
        return "--engine pareto" if is_own else f"{older} --engine pareto"
    if options.is_best:
        return f"--engine front{effort}; in older words {older}{effort}"
    return f"{OLDER[options.search]}; in older words {older}"
