"""How numbers are written: cycles, microseconds, bytes, shares; all views write them alike."""

from __future__ import annotations

import math

from gui.document.display import ByteUnit, TimeUnit

KIB = 1024
_KILO = 1000
_FIVE_DIGITS = 10_000
_MICROSECONDS = 1e6
_SMALLEST_SHARE = 0.001


def count(number: float) -> str:
    """A whole number with its thousands apart: 1,234,567."""
    return f"{round(number):,}"


def counted(number: int, noun: str, nouns: str = "") -> str:
    """How many of something: 1 operator, 2,000 operators."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def size(size_bytes: float, unit: ByteUnit = ByteUnit.KIB) -> str:
    """An amount of memory with its unit; what is below one KiB is always told in bytes.

    Where there would be five digits and more, the next larger unit is used.
    """
    if unit is ByteUnit.HEX:
        return f"{round(size_bytes):#x} B"
    if unit is ByteUnit.BYTES or abs(size_bytes) < KIB:
        return f"{round(size_bytes):,} B"
    base, names = (_KILO, ("kB", "MB")) if unit is ByteUnit.KB else (KIB, ("KiB", "MiB"))
    is_large = abs(size_bytes) >= _FIVE_DIGITS * base
    return f"{trimmed(size_bytes / base ** (1 + is_large), 2)} {names[is_large]}"


def size_exact(size_bytes: int, unit: ByteUnit = ByteUnit.KIB) -> str:
    """An amount of memory in bytes, and in a unit where that says more: 20,480 B (20 KiB)."""
    says_more = unit is not ByteUnit.BYTES and abs(size_bytes) >= KIB
    return f"{size_bytes:,} B" + (f" ({size(size_bytes, unit)})" if says_more else "")


def address(value: int) -> str:
    """An address, in hexadecimal digits."""
    return f"0x{value:x}"


def time_value(cycles: float, unit: TimeUnit, clock_hz: float) -> float:
    """A number of cycles in a unit of time."""
    return cycles if unit is TimeUnit.CYCLES else cycles / clock_hz * _MICROSECONDS


def time(cycles: float, unit: TimeUnit, clock_hz: float) -> str:
    """A length of time with its unit."""
    if unit is TimeUnit.CYCLES:
        return "1 cycle" if round(cycles) == 1 else f"{count(cycles)} cycles"
    value = time_value(cycles, unit, clock_hz)
    # Three digits tell neighbours apart; nobody believes an estimate further than that.
    decimals = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 1 else 3
    return f"{trimmed(value, decimals)} µs"


def share(part: float) -> str:
    """A part of 1 as a percentage: 12.3 %."""
    if 0.0 < part < _SMALLEST_SHARE:
        return "< 0.1 %"
    return f"{trimmed(part * 100, 1)} %"


def trimmed(value: float, decimals: int) -> str:
    """A number with at most so many decimals, and no zeros at their end."""
    if not math.isfinite(value):
        return str(value)
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def short(value: float) -> str:
    """A number for a tight place: 950, 12.5k, 3.2M."""
    for factor, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{trimmed(value / factor, 2 if abs(value) < 10 * factor else 1)}{suffix}"
    return trimmed(value, 2)
