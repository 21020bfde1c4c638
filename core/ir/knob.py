"""What one row of the table of knobs can be."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import PurePath
from typing import Any

from core.base.checked import Bounds
from core.base.errors import OptionError
from core.base.frozen import Frozen, NamedTuple, replace
from core.base.size import parse_size
from core.ir.options import Choice, Engine, Search
from core.ir.settings import Settings
from core.target.config import Catalogue

_OPTIONS = "options."


class Stage(enum.Enum):
    """The first part of the work that a knob changes; what comes before is kept."""

    LOWERING = "lowering"
    PREPARATION = "preparation"
    SCHEDULE = "schedule"
    ALLOCATION = "allocation"


class Value(NamedTuple):
    """One of the values that can be chosen, and what it is called."""

    text: str
    value: Any
    meaning: str = ""


class OneOf(Frozen, kw_only=False):
    """A member of an enumeration."""

    kinds: type[Choice]


class Switch(Frozen):
    """Yes or no."""

    on: str
    off: str
    deed: str
    """What it lets the compiler do."""


class Size(Frozen):
    """Bytes, or None."""

    absent: str
    """What None means."""
    shown: str = "{}"


class Number(Frozen):
    """How many of something."""

    bounds: Bounds = Bounds()
    offers: tuple[int, ...] = ()
    """Numbers that make sense, for those who choose from a list."""


class Name(Frozen, kw_only=False):
    """A name that the presets or files of configs know; None where the default is left open."""

    known: Callable[[Catalogue], Iterable[str]]


class Files(Frozen, kw_only=False):
    """Paths of files, in the order in which they are read."""


class Listed(Frozen):
    """Words, with commas between them."""


class Knob(Frozen, dict=True):
    """One row of the table."""

    path: str
    """Of the field in `Settings`, with dots."""
    option: str
    """On the command line."""
    also: str = ""
    """Another name of the option."""
    metavar: str = "NAME"
    help: str = ""
    title: str
    """What it is called everywhere, as it stands within a sentence."""
    takes: OneOf | Switch | Size | Number | Name | Files | Listed
    redoes: Stage
    engine: Engine | None = None
    """The engine that has it, where the other one has not."""
    search: Search | None = None
    """The search that has it, where others have not."""
    instead: tuple[tuple[Choice, str], ...] = ()
    """Values that the Pareto engine has not, each with what a front does in its place."""
    former: tuple[tuple[str, Choice], ...] = ()
    """Names of values that are no more, each with the value that came after it."""

    @cached_property
    def name(self) -> str:
        """What names it within the program."""
        return self.path.removeprefix(_OPTIONS)

    @property
    def is_option(self) -> bool:
        """Whether it belongs to the options, and not to the target."""
        return self.path.startswith(_OPTIONS)

    @cached_property
    def default(self) -> Any:
        """What holds where nothing is asked."""
        return self.value(Settings())

    def value(self, settings: Settings) -> Any:
        """What settings ask for."""
        value: Any = settings
        for part in self.path.split("."):
            value = getattr(value, part)
        return value

    def turned(self, settings: Settings, value: Any) -> Settings:
        """The settings with another value of this knob."""
        changed: Settings = _with(settings, self.path, value)
        return changed

    def is_turned(self, settings: Settings) -> bool:
        """Whether settings ask for something else than by default."""
        return bool(self.value(settings) != self.default)

    def suits(self, settings: Settings) -> bool:
        """Whether the engine and search that settings ask for have it, and the value that it is
        turned to."""
        options = settings.options
        has_it = self.engine in (None, options.engine) and self.search in (None, options.search)
        return has_it and not self.needless(settings)

    def needless(self, settings: Settings) -> str:
        """What the engine does in the place of what settings ask for, where it has not that."""
        is_front = settings.options.engine is Engine.PARETO
        return dict(self.instead).get(self.value(settings), "") if is_front else ""

    def choices(self, catalogue: Catalogue) -> tuple[Value, ...]:
        """What can be chosen, the default before the other where there are two."""
        match self.takes:
            case OneOf(kinds):
                return tuple(Value(self.text(kind), kind, kind.meaning) for kind in kinds)
            case Switch():
                return tuple(Value(self.text(on), on) for on in (self.default, not self.default))
            case Number(offers=offers):
                return tuple(Value(self.text(number), number) for number in offers)
            case Name(known):
                names = tuple(Value(name, name) for name in known(catalogue))
                return names if self.default else (Value(self.text(None), None), *names)
            case _:
                return ()

    def text(self, value: Any, size_text: Callable[[int], str] = "{:,} bytes".format) -> str:
        """A value in words."""
        match self.takes:
            case OneOf():
                return str(value.value)
            case Switch(on=on, off=off):
                return on if value else off
            case Size(absent=absent, shown=shown):
                return absent if value is None else shown.format(size_text(value))
            case Number():
                return str(value)
            case Name():
                return value or "default"
            case Files() | Listed():
                is_path = isinstance(self.takes, Files)
                return ", ".join(PurePath(e).name if is_path else e for e in value) or "none"

    def read(self, text: str) -> Any:
        """The value that a text on the command line names; an OptionError where it names none."""
        match self.takes:
            case OneOf(kinds):
                for kind in kinds:
                    if str(kind.value).lower() == text.lower():
                        return kind
                for name, after in self.former:
                    if name == text.lower():
                        successor = f"{self.option} {after.value}"
                        raise OptionError(f"{self.option} {name} is no more; {successor} is better")
                known = (str(kind.value) for kind in kinds)
                raise OptionError.unknown(self.title.lower(), text, known)
            case Size():
                return parse_size(text)
            case Number(bounds=bounds):
                if not (text.isascii() and text.isdigit() and bounds.holds(int(text))):
                    raise OptionError(f"{self.option} {text}: has to be {bounds}")
                return int(text)
            case Listed():
                return tuple(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))
            case _:
                return text

    def words(self, settings: Settings) -> tuple[str, ...]:
        """What on a command line asks for the same; files go their own way."""
        value = self.value(settings)
        match self.takes:
            case Switch():
                return (self.switch,) if self.is_turned(settings) else ()
            case Number():
                return (self.option, str(value)) if self.is_turned(settings) else ()
            case OneOf():
                return self.option, str(value.value)
            case Files():
                return ()
            case Listed():
                return (self.option, ",".join(value)) if value else ()
            case _:
                return () if value is None else (self.option, str(value))

    @property
    def switch(self) -> str:
        """The option that turns it, which of a switch that is on by default says no."""
        return f"--no-{self.option[2:]}" if self.default is True else self.option


def _with(whole: Any, path: str, value: Any) -> Any:
    """A value with another one at a path in it."""
    head, _, rest = path.partition(".")
    return replace(whole, **{head: _with(getattr(whole, head), rest, value) if rest else value})
