"""`reefpoint.toml` beside a model or above it: what holds for a project where nobody says else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Any

from core.api.targets import is_project
from core.base.errors import InputError, OptionError
from core.base.files import read_bytes
from core.base.frozen import Frozen
from core.ir import knobs
from core.ir.knob import Files, Knob, Listed, Switch

NAME = "reefpoint.toml"
BOARD = "board"
_SEARCHED = frozenset({"engine", "search", "effort"})
_TARGET = frozenset({"accelerator_config", "system_config", "memory_mode"})
_SRAM = frozenset({"arena_cache_size"})
_DISPLACED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_SEARCHED, _SEARCHED),
    **dict.fromkeys(_TARGET, _TARGET | {BOARD}),
    BOARD: _TARGET | _SRAM,
    "sram": _SRAM,
    "sram_of": _SRAM,
}
"""Who says one of these means to say the others, too."""


class Defaults(Frozen):
    """What a file says, by the names that parsed arguments have."""

    path: Path
    values: Mapping[str, Any]

    def beside(self, given: Set[str]) -> Mapping[str, Any]:
        """What is left of it beside what a command line says."""
        taken = set(given).union(*(_DISPLACED.get(name, ()) for name in given))
        return {name: value for name, value in self.values.items() if name not in taken}


def defaults_for(models: Iterable[Path]) -> Defaults | None:
    """The file that is nearest to the first of some models; None where there is none."""
    for model in models:
        for folder in model.absolute().parents:
            if (folder / NAME).is_file():
                return _read(folder / NAME)
        return None
    return None


def words(values: Mapping[str, Any]) -> list[str]:
    """What on a command line says the same."""
    board = ["--board", values[BOARD]] if BOARD in values else []
    own = (word for knob in knobs.KNOBS if _dest(knob) in values for word in _words(knob, values))
    return [*board, *own]


def _words(knob: Knob, values: Mapping[str, Any]) -> list[str]:
    value = values[_dest(knob)]
    if isinstance(value, bool):
        return [knob.option if value else f"--no-{knob.option[2:]}"]
    texts = value if isinstance(value, list) else [value]
    return [word for text in texts for word in (knob.option, str(text))]


def _read(path: Path) -> Defaults:
    import tomllib  # most models have no such file

    try:
        plain = tomllib.loads(read_bytes(path).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"is no file of defaults: {error}", str(path)) from error
    by_name = {knob.option[2:]: knob for knob in knobs.KNOBS}
    values: dict[str, Any] = {}
    board = plain.pop(BOARD, None)
    if isinstance(board, str):
        values[BOARD] = str(path.parent / board) if is_project(board) else board
    elif board is not None:
        raise InputError(f"{BOARD} has to be a text", str(path))
    for name, value in plain.items():
        if name not in by_name:
            unknown = OptionError.unknown("option", name, (BOARD, *by_name))
            raise InputError(str(unknown), str(path))
        values[_dest(by_name[name])] = _value(path, by_name[name], value)
    return Defaults(path=path, values=values)


def _value(path: Path, knob: Knob, value: object) -> Any:
    name = knob.option[2:]
    match knob.takes:
        case Switch():
            if isinstance(value, bool):
                return value
            raise InputError(f"{name} has to be true or false", str(path))
        case Files():
            texts: list[Any] = value if isinstance(value, list) else [value]
            if all(isinstance(text, str) for text in texts):
                return [path.parent / text for text in texts]
            raise InputError(f"{name} has to be the name of a file, or a list of them", str(path))
        case Listed():
            words: list[Any] = value if isinstance(value, list) else [value]
            if all(isinstance(word, str) for word in words):
                return words
            raise InputError(f"{name} has to be a text, or a list of them", str(path))
        case _:
            if isinstance(value, str | int) and not isinstance(value, bool):
                return str(value)
            raise InputError(f"{name} has to be a text or a whole number", str(path))


def _dest(knob: Knob) -> str:
    return knob.option[2:].replace("-", "_")
