"""How numbers, shapes and lists of numbers are written for people."""

from __future__ import annotations

from collections.abc import Sequence

from core.target.target import Target

KIB = 1024


class Count(int):
    """A number of bytes or cycles, which is written with its thousands apart."""

    def __str__(self) -> str:
        return f"{int(self):,}"


def shape_text(shape: Sequence[int]) -> str:
    """Dimensions with crosses between them."""
    return "x".join(str(dim) for dim in shape) or "scalar"


def ranges_text(numbers: Sequence[int]) -> str:
    """Numbers with runs written as ranges."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def counted(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def kib_text(size_bytes: int) -> str:
    """A size in KiB, with a decimal where it is not whole."""
    return f"{size_bytes / KIB:,.1f}".removesuffix(".0") + " KiB"


def seconds_text(seconds: float) -> str:
    """A time in the unit that leaves few digits before the point."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:,.2f} {unit}"
    return f"{seconds * 1e6:,.2f} µs"


def duration_text(seconds: float) -> str:
    """How long somebody has to wait, in whole numbers."""
    minutes, hours = seconds / 60, seconds / 3600
    if hours >= 2:
        return f"{hours:.0f} h"
    return f"{minutes:.0f} min" if minutes >= 2 else f"{seconds:.0f} s"


def hertz_text(hertz: float) -> str:
    """A frequency in the unit that leaves few digits."""
    for unit, scale in (("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3)):
        if hertz >= scale:
            return f"{hertz / scale:g} {unit}"
    return f"{hertz:g} Hz"


def rate_text(rate: float) -> str:
    """How often something happens, with decimals where that is seldom."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def fast_storage_text(target: Target) -> str:
    """How much fast storage a schedule may use."""
    limit = target.mode.arena_cache_size
    size = "any amount" if limit is None else f"{limit:,} bytes ({kib_text(limit)})"
    return f"{size} of fast storage"
