"""Axes: time in cycles or microseconds, memory in bytes, KiB or addresses, powers of ten."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QApplication

from gui.document.display import ByteUnit, TimeUnit
from gui.present import units
from gui.theme.tones import Theme

_Specs = tuple[Any, list[Any], list[tuple[QRectF, Any, str]]]
"""The line, the ticks, and the texts of an axis, as pyqtgraph draws them."""
_MICROSECONDS = 1e6
_LEAST_TICK_PX = 36
_MINOR_PARTS = 4
_TIME_TICKS = 2.0
_LETTERS_BETWEEN = 1.5
"""Between two texts of an axis along the bottom."""
_WIDEST = ("16,384 KiB", "A: Element-wise")


class PlainAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis in the theme's colours."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation=orientation, maxTickLength=4)
        self.enableAutoSIPrefix(enable=False)

    def updateAutoSIPrefix(self) -> None:
        """There is no label whose prefix would have to be worked out again at each move."""

    def generateDrawSpecs(self, painter: QPainter) -> _Specs | None:
        """Texts at the ends of an axis stand inside it: what is beside them would cut them."""
        found: _Specs | None = super().generateDrawSpecs(painter)
        if found is None or self.orientation not in ("left", "right"):
            return found
        axis, ticks, texts = found
        height = self.size().height()
        return axis, ticks, [(_inside(rect, height), flags, text) for rect, flags, text in texts]

    def set_theme(self, theme: Theme) -> None:
        self.setPen(theme.grid)
        self.setTickPen(theme.grid)
        self.setTextPen(theme.faint_text)
        self.setStyle(tickFont=QApplication.font())
        if self.orientation in ("left", "right"):
            self.setWidth(margin_px())


class TimeAxis(PlainAxis):
    """Data are cycles; what is written are cycles, or microseconds at a clock."""

    def __init__(self, orientation: str = "bottom") -> None:
        super().__init__(orientation)
        # Finer ticks, and texts at them, would cost more time than all rectangles.
        self.setStyle(maxTickLevel=1, maxTextLevel=0)
        self.setTickDensity(_TIME_TICKS)
        self._unit = TimeUnit.CYCLES

    def set_unit(self, unit: TimeUnit, clock_hz: float) -> None:
        """Write times in another unit."""
        self._unit = unit
        self.setScale(1.0 if unit is TimeUnit.CYCLES else _MICROSECONDS / clock_hz)

    @property
    def unit_text(self) -> str:
        """The unit, for the corner beside the axis."""
        return self._unit.value

    def tickSpacing(self, start: float, end: float, size: float) -> list[tuple[float, float]]:
        """As far apart as their texts need, in whatever size these are."""
        levels: list[tuple[float, float]] = super().tickSpacing(start, end, size)
        if not levels or size <= 0:
            return levels
        metrics = QFontMetrics(self.style["tickFont"] or QApplication.font())
        pixels, gap = size / abs(end - start), metrics.averageCharWidth() * _LETTERS_BETWEEN
        (spacing, offset), *finer = levels
        while spacing * pixels < self._widest(start, end, spacing, metrics) + gap:
            spacing = _next_spacing(spacing)
        return [(spacing, offset), *finer]

    def _widest(self, start: float, end: float, spacing: float, metrics: QFontMetrics) -> int:
        first, last = math.ceil(start / spacing), math.floor(end / spacing)
        values = [place * spacing for place in range(first, last + 1)]
        texts = self.tickStrings(values, 1.0, spacing)
        return max(map(metrics.horizontalAdvance, texts), default=0)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Numbers with as many digits as tell neighbours apart."""
        # A thousand microseconds has a name of its own, so they are written out.
        return tick_texts(
            [value * scale for value in values],
            spacing * scale,
            is_short=self._unit is TimeUnit.CYCLES,
        )


class MemoryAxis(PlainAxis):
    """Data are bytes; ticks stand at powers of two, written in KiB or bytes, or as addresses."""

    def __init__(self, orientation: str = "left", *, is_address: bool = False) -> None:
        super().__init__(orientation)
        self._unit = ByteUnit.KIB
        self._is_address = is_address

    def set_unit(self, unit: ByteUnit, *, is_address: bool | None = None) -> None:
        """Write sizes in another unit."""
        self._unit = unit
        self._is_address = self._is_address if is_address is None else is_address
        self.picture = None
        self.update()

    def tickSpacing(self, start: float, end: float, size: float) -> list[tuple[float, float]]:
        """Powers of two that are far enough from each other for their texts."""
        span = abs(end - start)
        if span <= 0 or size <= 0:
            return [(1.0, 0.0)]
        needed = span * max(_LEAST_TICK_PX, 2 * QFontMetrics(QApplication.font()).height()) / size
        spacing = 2.0 ** max(math.ceil(math.log2(needed)), 0)
        return [(spacing, 0.0), (max(spacing / _MINOR_PARTS, 1.0), 0.0)]

    def tickStrings(self, values: Sequence[float], scale: float, _spacing: float) -> list[str]:
        """Sizes or addresses."""
        if self._is_address:
            return [units.address(round(value * scale)) for value in values]
        return [units.size(value * scale, self._unit) for value in values]


class PowerAxis(PlainAxis):
    """Data are logarithms to the base of ten; what is written are the numbers themselves."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._named: Mapping[float, str] = {}

    def set_named(self, named: Mapping[float, str]) -> None:
        """Name places that are no number; below the highest of them no number is written."""
        self._named = dict(named)
        self.picture = None
        self.update()

    def tickValues(self, start: float, end: float, size: float) -> list[tuple[float, list[float]]]:
        """Powers of ten as far apart as their texts need; between those that have room, 2 to 9."""
        low, high = min(start, end), max(start, end)
        floor = max(self._named, default=-math.inf)
        room = size / max(high - low, 1e-9)
        step = max(math.ceil(2 * QFontMetrics(QApplication.font()).height() / room), 1)
        first = math.floor(low / step) * step
        powers = [float(power) for power in range(first, math.ceil(high) + 1, step)]
        major = [*self._named, *(power for power in powers if power > floor)]
        minor = [
            power + math.log10(factor)
            for power in powers
            for factor in range(2, 10)
            if step == 1 and power + math.log10(factor) > floor
        ]
        return [
            (float(step), [value for value in major if low <= value <= high]),
            (0.1, [value for value in minor if low <= value <= high]),
        ]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Numbers at powers of ten alone: 0.01, 1, 10k."""
        del scale
        return [self._named.get(value, "") or self._text(value, spacing) for value in values]

    def _text(self, value: float, spacing: float) -> str:
        if spacing < 1.0:
            return ""
        return units.short(10.0**value) if value >= 0 else units.trimmed(10.0**value, 9)


def _inside(rect: QRectF, height: float) -> QRectF:
    """A text, moved as little as it has to be to stand between 0 and a height."""
    top = max(min(rect.top(), height - rect.height()), 0.0)
    return QRectF(rect.left(), top, rect.width(), rect.height())


def _next_spacing(spacing: float) -> float:
    """The next one of 1, 2 and 5 times powers of ten."""
    power = 10.0 ** math.floor(math.log10(spacing) + 1e-9)
    return power * next(factor for factor in (2, 5, 10) if factor > spacing / power + 1e-9)


def margin_px() -> int:
    """How wide an axis at the side is: always the same, so that canvases line up."""
    metrics = QFontMetrics(QApplication.font())
    return max(map(metrics.horizontalAdvance, _WIDEST)) + 12


def tick_texts(values: Sequence[float], spacing: float, *, is_short: bool = True) -> list[str]:
    """Numbers at a distance from each other, short: 0, 20k, 40k or 1.25, 1.3."""
    largest = max((abs(value) for value in values), default=0.0)
    for factor, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        # A suffix pays where it takes away more digits than it brings.
        if is_short and largest >= factor and spacing >= factor / 1000:
            return [_tick_text(value / factor, spacing / factor, suffix) for value in values]
    return [_tick_text(value, spacing, "") for value in values]


def _tick_text(value: float, spacing: float, suffix: str) -> str:
    decimals = max(math.ceil(-math.log10(spacing) - 1e-9), 0) if spacing > 0 else 0
    text = units.trimmed(value, min(decimals + 1, 9))
    return text if text == "0" else text + suffix
