"""A sweep's curves as SVG: time, traffic and evictions over the limit, one step line each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from core.base.frozen import Frozen
from core.base.harmless import xml_text
from core.ir.sweep import Totals
from core.report.sweep.curves import Curve
from core.report.sweep.guides import Guide
from core.report.words import KIB

_INKS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f6000", "#56b4e9", "#000000", "#e69f00")
"""Told apart by those who see few colours, too; after them, dashes begin anew."""
_DASHES = ("", "6 3", "2 3", "8 3 2 3")
_WIDTH, _PANEL, _GAP, _TOP, _BOTTOM, _LEFT = 1200, 330, 70, 40, 46, 64
_LINE = 18
_SCALE = 2
"""So that paper has fine lines, where it has pixels."""
_TICKS = 5
_GUIDE_ROWS, _GUIDE_SIZE = 5, 10
_FLAG_SIZE = 9
_LETTER = 0.6
"""Of a letter's height, that it is wide: somewhat more than most are."""
_HEIGHT = 210


class _Panel(Frozen, kw_only=False):
    title: str
    figure: Callable[[Totals], float]


_PANELS = (
    _Panel("time of an inference in ms", lambda totals: totals.seconds * 1e3),
    _Panel("traffic in MB", lambda totals: totals.moved_bytes / 1e6),
    _Panel("evicted in KiB", lambda totals: totals.evicted_bytes / KIB),
)


def plot(curves: Sequence[Curve], guides: Sequence[Guide] = ()) -> bytes:
    """One row of panels for curves of one model and target; limits are on the x axis."""
    height = _TOP + _HEIGHT + _BOTTOM + _LINE * len(curves)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        f' width="{_SCALE * _WIDTH}" height="{_SCALE * height}" font-family="sans-serif"'
        ' font-size="12">'
    )
    parts = [
        head,
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for at, panel in enumerate(_PANELS):
        parts += _panel(panel, curves, guides, _LEFT + at * (_PANEL + _GAP))
    for at, curve in enumerate(curves):
        y = _TOP + _HEIGHT + _BOTTOM + _LINE * at
        parts.append(
            f'<path d="M{_LEFT} {y}h36" {_stroke(at)}/>{_text(_LEFT + 44, y + 4, curve.choice)}'
        )
    return "\n".join([*parts, "</svg>\n"]).encode()


def _panel(
    panel: _Panel, curves: Sequence[Curve], guides: Sequence[Guide], left: int
) -> Iterator[str]:
    points = [point for curve in curves for point in curve.points]
    limits = [point.limit_bytes for point in points] or [0]
    low, high = min(limits), max(limits) + max((max(limits) - min(limits)) // 20, 1)
    step = _step(max((panel.figure(point.totals) for point in points), default=0.0))
    top = step * _TICKS

    def x(limit: float) -> float:
        return round(left + _PANEL * (limit - low) / (high - low), 1)

    def y(value: float) -> float:
        return round(_TOP + _HEIGHT * (1 - value / top), 1)

    yield _text(left, _TOP - 16, panel.title, weight="bold")
    for tick in range(_TICKS + 1):
        value = tick * step
        yield f'<path d="M{left} {y(value)}h{_PANEL}" stroke="#d8dde3"/>'
        yield _text(left - 6, y(value) + 4, f"{value:g}", anchor="end")
    for limit in _limit_ticks(low, max(limits)):
        yield _text(x(limit), _TOP + _HEIGHT + 18, f"{limit / KIB:g}K", anchor="middle")
    words = _Words(left, left + _PANEL)
    for guide in guides:
        if low <= guide.size_bytes <= high:
            at = x(guide.size_bytes)
            yield f'<path d="M{at} {_TOP}v{_HEIGHT}" stroke="#8a939c" stroke-dasharray="3 3"/>'
            for row in range(_GUIDE_ROWS):
                # Lines are seldom at the bottom.
                down = _TOP + _HEIGHT - 4 - row * _GUIDE_SIZE * 1.3
                if (start := words.place(at + 3, down, guide.name, _GUIDE_SIZE)) is not None:
                    yield _text(start, down, guide.name, size=_GUIDE_SIZE)
                    break
    for number, curve in enumerate(curves):
        yield from _line(panel, curve, number, x, y, x(high), words)


def _line(
    panel: _Panel,
    curve: Curve,
    number: int,
    x: Callable[[float], float],
    y: Callable[[float], float],
    right: float,
    words: _Words,
) -> Iterator[str]:
    path = ""
    for point in curve.points:
        across, value = x(point.limit_bytes), y(panel.figure(point.totals))
        path += f"H{across}V{value}" if path else f"M{across} {value}"
        if point.totals.excess_bytes:
            yield (
                f'<circle cx="{across}" cy="{value}" r="3" fill="#ffffff"'
                f' stroke="{_INKS[number % len(_INKS)]}"/>'
            )
    if path:
        yield f'<path d="{path}H{right}" {_stroke(number)}/>'
    if panel is not _PANELS[0]:
        return
    for step in curve.cliffs:
        yield _flag(x(step.low.limit_bytes), y(panel.figure(step.low.totals)), "cliff", words)
    for step in curve.setbacks:
        yield _flag(x(step.high.limit_bytes), y(panel.figure(step.high.totals)), "slower", words)


def _flag(across: float, down: float, name: str, words: _Words) -> str:
    """A triangle, down where it falls off and up where it takes longer; a word if there is room."""
    ink = "#b3261e"
    sign = "l-4 -7h8z" if name == "cliff" else "m-4 0h8l-4 -7z"
    drawn = f'<path d="M{across} {down - 3}{sign}" fill="{ink}"/>'
    wide = len(name) * _FLAG_SIZE * _LETTER
    start = words.place(across - wide / 2, down - 13, name, _FLAG_SIZE)
    if start is None:
        return drawn
    return drawn + _text(start, down - 13, name, size=_FLAG_SIZE, ink=ink)


class _Words:
    """Texts of one panel, of which none lies on another."""

    def __init__(self, left: float, right: float) -> None:
        self._left, self._right = left, right
        self._taken: list[tuple[float, float, float, float]] = []

    def place(self, start: float, down: float, text: str, size: int) -> float | None:
        """Where a text begins, within the panel; None where another one is in its way."""
        wide = len(text) * size * _LETTER
        start = round(max(min(start, self._right - wide), self._left), 1)
        box = start, start + wide, down - size, down
        for one, other, top, foot in self._taken:
            if box[0] < other and one < box[1] and box[2] < foot and top < box[3]:
                return None
        self._taken.append(box)
        return start


def _stroke(number: int) -> str:
    dash = _DASHES[number // len(_INKS) % len(_DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{_INKS[number % len(_INKS)]}" stroke-width="1.8"{dashed}'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    weight: str = "normal",
    size: int = 12,
    ink: str = "#1b1f24",
) -> str:
    return (
        f'<text x="{x}" y="{y}" fill="{ink}" text-anchor="{anchor}" font-weight="{weight}"'
        f' font-size="{size}">{xml_text(text)}</text>'
    )


def _step(most: float) -> float:
    """A round number of which five reach as far as is needed."""
    if most <= 0:
        return 1.0
    scale = 10.0 ** math.floor(math.log10(most / _TICKS))
    return next(
        round(factor * scale, 12)
        for factor in (1, 2, 2.5, 5, 10, 20)
        if factor * scale * _TICKS >= most
    )


def _limit_ticks(low: int, high: int) -> Iterator[int]:
    span = max(high - low, KIB)
    step = KIB
    while span / step > _TICKS:
        step *= 2
    yield from range(-(-low // step) * step, high + 1, step)
