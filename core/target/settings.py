"""One section of a configuration file, with typed access and errors that name the place."""

from __future__ import annotations

import difflib
import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.base.errors import OptionError
from core.base.size import parse_size

Choice = TypeVar("Choice", bound=enum.Enum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value as it was written, and where; the key is in small letters, as its case is free."""

    key: str
    text: str
    file: str
    section: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
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
