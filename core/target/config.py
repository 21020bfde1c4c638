"""Configuration files: what systems and memory modes there are, and what they say.

The format is the ecosystem's own: sections `System_Config.NAME` and `Memory_Mode.NAME`, in which
`inherit` names another section that holds where the section itself is silent.
"""

from __future__ import annotations

import configparser
import difflib
import enum
import math
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.base.size import parse_size
from core.target.target import Area, Memory, MemoryMode, Port, SystemConfig

Choice = TypeVar("Choice", bound=enum.Enum)
PRESETS = Path(__file__).parents[2] / "resources" / "configs" / "ethos-u.ini"

SYSTEM = "System_Config."
MODE = "Memory_Mode."

COMMAND_CYCLES = "Reefpoint_command_cycles"
"""A key of our own in a system, which the ecosystem's tools pass over."""

_INHERIT = "inherit"
_LONGEST_CHAIN = 64
"""Of sections of which each inherits from the next; those that people write are of three."""
_MOST_TEXTS = 16
"""Texts of which the sections are remembered; the presets are asked for by every target."""
_DEFAULTS = configparser.DEFAULTSECT
"""Keys of this section hold in every other that has not its own, even before inherited ones."""


class Setting(Frozen):
    """A value as it was written, and where; the key is in small letters, as its case is free."""

    key: str
    text: str
    file: str
    section: str


class Settings(Frozen):
    """Everything that holds for one section, whether written in it or inherited."""

    section: str
    files: tuple[str, ...]
    """The files that have the section."""
    by_key: Mapping[str, Setting]

    def has(self, key: str) -> bool:
        """Whether the key is given."""
        return key.lower() in self.by_key

    def error(self, key: str, message: str) -> OptionError:
        """An error at the place where the key is written, or would be."""
        found = self.by_key.get(key.lower())
        file = found.file if found else ", ".join(self.files)
        section = found.section if found else self.section
        return OptionError(f"{file}: [{section}] {key}: {message}")

    def text(self, key: str) -> str:
        """The value as written; an error where it is missing, which shows a key that is near."""
        found = self.by_key.get(key.lower())
        if found is not None:
            return found.text
        near = difflib.get_close_matches(key.lower(), self.by_key, n=1, cutoff=0.93)
        hint = f"; there is '{self.by_key[near[0]].key}'" if near else ""
        raise self.error(key, f"is missing{hint}")

    def positive(self, key: str) -> float:
        """The value as a finite number above zero."""
        text = self.text(key)
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if math.isfinite(number) and number > 0:
            return number
        raise self.error(key, f"'{text}' is not a number above 0")

    def count(self, key: str, *, least: int = 0, default: int | None = None) -> int:
        """The value as an integer of at least `least`; the default, if any, where it is missing."""
        if default is not None and not self.has(key):
            return default
        text = self.text(key)
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number >= least:
            return number
        raise self.error(key, f"'{text}' is not an integer of {least} or more")

    def size(self, key: str) -> int:
        """The value as a size in bytes."""
        text = self.text(key)
        try:
            return parse_size(text)
        except OptionError as error:
            raise self.error(key, str(error)) from None

    def choice(self, key: str, kinds: type[Choice]) -> Choice:
        """The member of an enumeration whose value the text is."""
        text = self.text(key)
        for kind in kinds:
            if kind.value == text:
                return kind
        unknown = OptionError.unknown("name", text, (str(kind.value) for kind in kinds))
        raise self.error(key, str(unknown))


class Section(Frozen):
    """A section as it was written, possibly in several files."""

    name: str
    files: tuple[str, ...]
    settings: tuple[Setting, ...]


class Catalogue(Frozen):
    """All sections of some files, in the order of their names."""

    sections: tuple[Section, ...]

    @property
    def system_configs(self) -> tuple[str, ...]:
        """Names of systems."""
        return self._names(SYSTEM)

    @property
    def memory_modes(self) -> tuple[str, ...]:
        """Names of memory modes."""
        return self._names(MODE)

    def system_config(self, name: str, ports: Collection[Port] = tuple(Port)) -> SystemConfig:
        """The system with this name; figures may be missing of ports other than these."""
        if name not in self.system_configs:
            raise OptionError.unknown("system config", name, self.system_configs)
        settings = self.settings(SYSTEM + name)
        return SystemConfig(
            name=name,
            core_clock_hz=settings.positive("core_clock"),
            axi0=_memory(settings, "axi0_port", is_used=Port.AXI0 in ports),
            axi1=_memory(settings, "axi1_port", is_used=Port.AXI1 in ports),
            command_cycles=_command_cycles(settings),
        )

    def memory_mode(self, name: str) -> MemoryMode:
        """The memory mode with this name."""
        if name not in self.memory_modes:
            raise OptionError.unknown("memory mode", name, self.memory_modes)
        settings = self.settings(MODE + name)
        key = "arena_cache_size"
        return MemoryMode(
            name=name,
            constants=settings.choice("const_mem_area", Port),
            arena=settings.choice("arena_mem_area", Port),
            cache=settings.choice("cache_mem_area", Port),
            arena_cache_size=settings.size(key) if settings.has(key) else None,
        )

    def settings(self, section: str) -> Settings:
        """What holds for a section: its own keys over those that it inherits."""
        by_name = {found.name: found for found in self.sections}
        own, *inherited = _chain(by_name, section)
        by_key: dict[str, Setting] = {}
        for source in (*reversed(inherited), by_name.get(_DEFAULTS), own):
            if source is not None:
                by_key |= {setting.key: setting for setting in source.settings}
        return Settings(section=section, files=own.files, by_key=MappingProxyType(by_key))

    def _names(self, kind: str) -> tuple[str, ...]:
        names = (section.name for section in self.sections)
        return tuple(name.removeprefix(kind) for name in names if name.startswith(kind))


def load(paths: Iterable[Path] = ()) -> Catalogue:
    """The presets, and over them what these files say, the last of them first."""
    sections: dict[str, Section] = {}
    for path in (PRESETS, *paths):
        file = path.name if path == PRESETS else str(path)
        for fresh in parse(_read(path), file).sections:
            sections[fresh.name] = _over(sections.get(fresh.name), fresh)
    return Catalogue(sections=tuple(sections[name] for name in sorted(sections)))


@lru_cache(maxsize=_MOST_TEXTS)
def parse(text: str, file: str) -> Catalogue:
    """The sections of one text; `file` is what errors call it."""
    # No section can be called "", so that the section of defaults is kept as written.
    parser = configparser.RawConfigParser(default_section="")
    try:
        parser.read_string(text, file)
    except configparser.Error as error:
        raise OptionError(f"{file}: {_in_one_line(error)}") from None
    return Catalogue(
        sections=tuple(
            Section(
                name=name,
                files=(file,),
                settings=tuple(
                    # A value may go over several lines; what is said of it may not.
                    Setting(key=key, text=" ".join(value.split()), file=file, section=name)
                    for key, value in sorted(parser.items(name))
                ),
            )
            for name in sorted(parser.sections())
        )
    )


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except UnicodeDecodeError:
        raise OptionError(f"{path}: is not text in UTF-8") from None
    except ValueError as error:
        # No file can have such a name.
        raise OptionError(f"{path}: {error}") from None


def _in_one_line(error: configparser.Error) -> str:
    match error:
        case configparser.DuplicateSectionError():
            return f"line {error.lineno}: there are two sections [{error.section}]"
        case configparser.DuplicateOptionError():
            return f"line {error.lineno}: [{error.section}] {error.option}: is given twice"
        case configparser.MissingSectionHeaderError():
            return f"line {error.lineno}: a [section] has to come first"
        case configparser.ParsingError(errors=[(line, _), *_]):
            return f"line {line}: is neither a [section] nor key=value"
        case _:
            return " ".join(error.message.split())


def _over(below: Section | None, above: Section) -> Section:
    """Both sections in one; where they have the same key, the one above holds."""
    if below is None:
        return above
    by_key = {setting.key: setting for setting in (*below.settings, *above.settings)}
    return Section(
        name=above.name,
        files=(*below.files, *above.files),
        settings=tuple(by_key[key] for key in sorted(by_key)),
    )


def _chain(by_name: Mapping[str, Section], first: str) -> tuple[Section, ...]:
    """A section, the section that it inherits from, and so on."""
    chain = [by_name[first]]
    while (link := _inherit(chain[-1])) is not None:
        place = f"{link.file}: [{link.section}] {link.key}"
        if len(chain) == _LONGEST_CHAIN:
            raise OptionError(
                f"{place}: [{first}] inherits from more than {_LONGEST_CHAIN} sections"
            )
        names = [section.name for section in chain]
        if link.text in names:
            raise OptionError(f"{place}: goes in a circle, {' -> '.join((*names, link.text))}")
        if link.text not in by_name:
            raise OptionError(f"{place}: {OptionError.unknown('section', link.text, by_name)}")
        chain.append(by_name[link.text])
    return tuple(chain)


def _inherit(section: Section) -> Setting | None:
    return next((item for item in section.settings if item.key == _INHERIT), None)


def _command_cycles(settings: Settings) -> int | None:
    return settings.count(COMMAND_CYCLES) if settings.has(COMMAND_CYCLES) else None


_UNDER_WAY = ("max_reads", "max_writes")


def _memory(settings: Settings, port_key: str, *, is_used: bool) -> Memory:
    """The memory at a port; nobody asks an unused one how fast it is, so it need not say."""
    area = settings.choice(port_key, Area)
    prefix = f"{area.value}_"
    under_way = {limit: settings.count(prefix + limit, default=0) for limit in _UNDER_WAY}
    if not is_used:
        return Memory(area=area)
    return Memory(
        area=area,
        clock_scale=settings.positive(prefix + "clock_scale"),
        burst_length=settings.count(prefix + "burst_length", least=1),
        read_latency=settings.count(prefix + "read_latency"),
        write_latency=settings.count(prefix + "write_latency"),
        # The ecosystem takes 0 for 1 here.
        ports_used=max(1, settings.count(prefix + "ports_used", default=1)),
        **under_way,
    )
