"""A file of budgets: models, what each is scheduled for, and the limits that its figures have."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

from core.api.comparisons import Comparison, Demand, demand_of
from core.base.errors import InputError
from core.base.files import read_bytes
from core.base.frozen import Frozen
from core.cli.arguments import on_board, settings_of, target_arguments
from core.ir.settings import Settings

FITS, HOLDS, NO_NEW_CPU = "fits", "holds", "no new operator on the CPU"
_WORDS = {word.lower(): word for word in (FITS, HOLDS, NO_NEW_CPU)}
_MORE = re.compile(r"(\w+)\s*([+-]\s*\d.*)")
_KEYS = {"path", "options", "limits"}


class Limit(Frozen):
    """What has to be so: a relation, or one of the words."""

    text: str
    demand: Demand | None = None

    @property
    def needs_base(self) -> bool:
        """Whether there has to be something to hold it against."""
        return self.text == NO_NEW_CPU if self.demand is None else self.demand.is_change

    def as_found(self, comparison: Comparison) -> Limit:
        """The limit of a figure itself, with the figure that there is; any other as it is."""
        if self.demand is None or self.demand.is_change:
            return self
        return limit_of(self.demand.as_found(comparison).text)


class Budget(Frozen):
    """A model with its limits."""

    name: str
    path: Path
    settings: Settings
    limits: tuple[Limit, ...]


def read_budgets(path: Path) -> tuple[Budget, ...]:
    """The budgets of a file; an InputError says what is wrong with it, and where."""
    try:
        plain = tomllib.loads(read_bytes(path).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"is no file of budgets: {error}", str(path)) from error
    shared, models = plain.pop("options", ""), plain.pop("model", None)
    if plain or not isinstance(models, list) or not models or not isinstance(shared, str):
        odd = f"; '{next(iter(plain))}' is not known" if plain else ""
        raise InputError(f"has to have [[model]] tables, and may have options{odd}", str(path))
    return tuple(_budget(path, at, each, shared) for at, each in enumerate(models, 1))


def _budget(file: Path, number: int, plain: Any, shared: str) -> Budget:
    where = f"{file}: model {number}"
    if not isinstance(plain, dict) or set(plain) - _KEYS or not isinstance(plain.get("path"), str):
        raise InputError("has to have a path, and limits; it may have options", where)
    own, limits = plain.get("options", ""), plain.get("limits", [FITS])
    if not isinstance(own, str) or not _are_texts(limits):
        raise InputError("options have to be a text, and limits a list of texts", where)
    return Budget(
        name=plain["path"],
        path=file.parent / plain["path"],
        settings=settings_of(on_board(target_arguments(), _words(f"{shared} {own}", where))),
        limits=tuple(map(limit_of, limits)),
    )


def _words(text: str, where: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(f"options: {error}", where) from error


def _are_texts(found: object) -> bool:
    return isinstance(found, list) and bool(found) and all(isinstance(each, str) for each in found)


def limit_of(text: str) -> Limit:
    """A limit such as `cycles <= 3.2M`, `flash +0 %`, `fits`, `holds`, or about the CPU."""
    if word := _WORDS.get(" ".join(text.lower().split())):
        return Limit(text=word)
    more = _MORE.fullmatch(text.strip())
    asked = f"{more[1]}<={more[2].replace(' ', '')}" if more else text
    return Limit(text=text, demand=demand_of(asked))
