"""How things are shown: units, theme, and the stretch of time that is in sight."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class TimeUnit(enum.Enum):
    """In what time is counted."""

    CYCLES = "cycles"
    MICROSECONDS = "µs"


class ByteUnit(enum.Enum):
    """In what memory is counted."""

    BYTES = "bytes"
    KIB = "KiB"
    KB = "kB"
    HEX = "hex"
    """Bytes, in hexadecimal digits."""


TEXT_PERCENTS = (85, 100, 115, 130, 150, 175, 200)
"""Sizes of texts that can be chosen."""


class ThemeChoice(enum.Enum):
    """Which of our palettes is used."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "contrast"


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """Choices that change no result."""

    time_unit: TimeUnit = TimeUnit.CYCLES
    byte_unit: ByteUnit = ByteUnit.KIB
    theme: ThemeChoice = ThemeChoice.SYSTEM
    text_percent: int = 100
    """How large texts are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Cycles from one to another."""

    start_cycle: float
    end_cycle: float

    @property
    def cycles(self) -> float:
        """How many they are."""
        return self.end_cycle - self.start_cycle
