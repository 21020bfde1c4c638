"""What a comparison is held against: how much of a figure B has, or has more than A."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping

from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.compare.comparison import Comparison

_FULL = 100.0
_SHORT: Mapping[str, tuple[str, ...]] = {
    "cycles": ("total_cycles",),
    "time": ("inference_seconds",),
    "sram": ("sram_bytes",),
    "dram": ("dram_bytes",),
    "flash": ("on_chip_flash_bytes", "off_chip_flash_bytes"),
    "fast": ("fast_storage_bytes",),
    "excess": ("excess_bytes",),
    "evicted": ("evicted_bytes",),
    "cpu": ("cpu_operators",),
}
"""What users call figures; that of several memories is their sum."""
_SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_THOUSANDS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_BYTES = {"": 1.0, "b": 1.0, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_BYTES |= {f"{unit}{rest}": _BYTES[unit] for unit in "kmg" for rest in ("b", "ib")}
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_FORM = re.compile(
    r"\s*(?P<name>\w+)\s*(?P<sign>[<>]=?)\s*(?P<plus>[+-]?)(?P<number>\d+(\.\d+)?)\s*"
    r"(?P<unit>[A-Za-z]*|%)\s*"
)


class Demand(Frozen):
    """A relation between a figure and a number: of B itself, or of what it has more than A."""

    text: str
    """As it was asked."""
    figures: tuple[str, ...]
    sign: str
    number: float
    is_change: bool
    is_share: bool
    """The number is a percentage of what A has."""

    @property
    def is_about_speed(self) -> bool:
        """Whether what cycles come from tells why it is not met."""
        return self.figures[0].endswith(("_cycles", "_seconds"))

    def is_met(self, comparison: Comparison) -> bool:
        """Whether the relation is there; an OptionError tells of a figure that a side lacks."""
        before, after = self._values(comparison)
        compared = _SIGNS[self.sign]
        if not self.is_change:
            return compared(after, self.number)
        number = before * self.number / _FULL if self.is_share else self.number
        return compared(after - before, number)

    def told(self, comparison: Comparison) -> str:
        """The figure of B, and of A where it has been held against that."""
        before, after = self._values(comparison)
        if not self.is_change:
            return self._text(after)
        share = f", {(after - before) / before:+.1%}" if before else ""
        return f"{self._text(after)}, and A has {self._text(before)}{share}"

    def as_found(self, comparison: Comparison) -> Demand:
        """The same relation of B itself, with the tightest number in its unit that B meets."""
        match = _match_of(self.text)
        figure, unit = self.figures[0], match["unit"]
        step = _scale(self.text, figure, unit) * _step(figure, unit)
        _, after = self._values(comparison)
        towards = 1 if "<" in self.sign else -1
        steps = math.ceil(after / step) if towards > 0 else math.floor(after / step)
        while True:
            number = f"{steps * _step(figure, unit):.6f}".rstrip("0").rstrip(".")
            begin, end = match.span("number")
            found = demand_of(f"{self.text[:begin]}{number}{self.text[end:]}")
            if found.is_met(comparison) or steps < 0:
                return found
            steps += towards

    def _values(self, comparison: Comparison) -> tuple[float, float]:
        found = [comparison.figure(name) for name in self.figures]
        after = [each.after for each in found if each.after is not None]
        before = [each.before for each in found if each.before is not None]
        if len(after) < len(found) or (self.is_change and len(before) < len(found)):
            known = ", ".join((*_SHORT, *(each.name for each in comparison.figures)))
            raise OptionError(f"'{self.text}': no such figure on both sides; known are {known}")
        return sum(before), sum(after)

    def _text(self, value: float) -> str:
        name = self.figures[0]
        if name.endswith("_seconds"):
            return f"{value * 1e3:,.4g} ms"
        number = f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
        unit = next((unit for unit in ("bytes", "cycles") if name.endswith(f"_{unit}")), "")
        return f"{number} {unit}".strip()


def demand_of(text: str) -> Demand:
    """What a text like `cycles>+1%` or `sram<=256K` demands; an OptionError says what is wrong."""
    match = _match_of(text)
    plus, is_share = match["plus"], match["unit"] == "%"
    if is_share and not plus:
        raise OptionError(f"'{text}': a percentage is of a difference, such as cycles>+1%")
    figures = _SHORT.get(match["name"], (match["name"],))
    scale = 1.0 if is_share else _scale(text, figures[0], match["unit"])
    return Demand(
        text=text,
        figures=figures,
        sign=match["sign"],
        number=float(f"{plus}{match['number']}") * scale,
        is_change=bool(plus),
        is_share=is_share,
    )


def _match_of(text: str) -> re.Match[str]:
    match = _FORM.fullmatch(text)
    if match is None:
        raise OptionError(
            f"'{text}' is none of NAME>NUMBER, NAME>+NUMBER, NAME>+NUMBER%, such as cycles>+1%,"
            " sram<=256K or time>=3ms"
        )
    return match


def _step(figure: str, unit: str) -> float:
    """How finely numbers in a unit are written."""
    if unit.lower() in {"", "b"}:
        return 1e-6 if figure.endswith("_seconds") else 1.0
    return 1e-3


def _scale(text: str, figure: str, unit: str) -> float:
    """What a unit multiplies a number of a figure by."""
    units = _THOUSANDS
    if figure.endswith("_bytes"):
        units = _BYTES
    elif figure.endswith("_seconds"):
        units = _SECONDS
    if unit.lower() not in units:
        known = ", ".join(filter(None, units))
        raise OptionError(f"'{text}': '{unit}' is no unit of {figure}; known are {known}")
    return units[unit.lower()]
