"""What a comparison is held against: how much more of a figure B may have."""

from __future__ import annotations

import re

from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.compare.comparison import Comparison

_FULL = 100.0
_SHORT = {
    "cycles": "total_cycles",
    "sram": "sram_bytes",
    "dram": "dram_bytes",
    "flash": "off_chip_flash_bytes",
    "fast": "fast_storage_bytes",
    "evicted": "evicted_bytes",
    "cpu": "cpu_operators",
}
_FORM = re.compile(
    r"\s*(?P<name>\w+)\s*>\s*(?P<sign>[+-]?)(?P<number>\d+(\.\d+)?)\s*(?P<share>%?)\s*"
)


class Demand(Frozen):
    """More of a figure than this is too much: of B itself, or of what it has more than A."""

    text: str
    """As it was asked."""
    figure: str
    number: float
    is_change: bool
    is_share: bool
    """The number is a percentage of what A has."""

    def is_broken(self, comparison: Comparison) -> bool:
        """Whether B has too much; an OptionError tells of a figure that a side does not tell."""
        found = comparison.figure(self.figure)
        if found.after is None or (self.is_change and found.before is None):
            known = ", ".join((*_SHORT, *(each.name for each in comparison.figures)))
            raise OptionError(f"'{self.text}': no such figure on both sides; known are {known}")
        if not self.is_change:
            return found.after > self.number
        before = found.before or 0.0
        most = before * self.number / _FULL if self.is_share else self.number
        return found.after - before > most


def demand_of(text: str) -> Demand:
    """What a text like `cycles>+1%` demands; an OptionError says what is wrong with it."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise OptionError(
            f"'{text}' is none of NAME>+NUMBER, NAME>+NUMBER%, NAME>NUMBER, such as cycles>+1%"
        )
    sign, share = match["sign"], match["share"]
    if share and not sign:
        raise OptionError(f"'{text}': a percentage is of a difference, such as cycles>+1%")
    return Demand(
        text=text,
        figure=_SHORT.get(match["name"], match["name"]),
        number=float(f"{sign}{match['number']}"),
        is_change=bool(sign),
        is_share=bool(share),
    )
