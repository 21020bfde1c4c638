"""How things are shown: units, theme, and the stretch of time that is in sight."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen


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


class Display(Frozen):
    """Choices that change no result."""

    time_unit: TimeUnit = TimeUnit.CYCLES
    byte_unit: ByteUnit = ByteUnit.KIB
    theme: ThemeChoice = ThemeChoice.SYSTEM
    text_percent: int = 100
    """How large texts are."""


class Span(Frozen):
    """Cycles from one to another."""

    start_cycle: float
    end_cycle: float

    @property
    def cycles(self) -> float:
        """How many they are."""
        return self.end_cycle - self.start_cycle
