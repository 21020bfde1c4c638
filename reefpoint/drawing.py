"""Rectangles of the app's views as SVG, in its colours; without Qt, which notebooks may lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.frozen import Frozen
from core.base.harmless import xml_text
from gui.present.lod import Field, Level, Viewport
from gui.present.rects import Rects
from gui.theme.tones import Pattern, Theme, Tone

_LEFT, _TOP, _BOTTOM = 132, 8, 24
_LETTER_PX = 6.2
"""Of the width of most."""
_LEAST_LABEL_PX = 28
_TILE = 6
_PATTERNS = {
    Pattern.HATCH: "M0 6L6 0",
    Pattern.BACK_HATCH: "M0 0L6 6",
    Pattern.CROSS: "M0 0L6 6M0 6L6 0",
    Pattern.DOTS: "M3 2.2v1.6M2.2 3h1.6",
}


class Plot(Frozen):
    """Rectangles over time, with what is written beside them."""

    layers: tuple[Rects, ...]
    """What is painted later lies above."""
    end: float
    """Where x ends."""
    top: float
    """Where y ends: rows grow downwards, bytes upwards."""
    grows_upwards: bool
    marks: tuple[tuple[float, str], ...]
    """Words at the left, by y."""
    line: float | None = None
    """A limit across the picture."""
    height_px: int = 160
    width_px: int = 1180
    end_text: str = ""
    """What is at the end of x."""


def drawn(plot: Plot, theme: Theme) -> bytes:
    """The picture as the content of an SVG file."""
    width, height = plot.width_px, plot.height_px + _TOP + _BOTTOM
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" font-family="sans-serif" font-size="11">'
    )
    parts = (
        head,
        f"<defs>{''.join(_patterns(theme))}</defs>",
        f'<rect width="{width}" height="{height}" fill="{theme.base}"/>',
        *(shape for layer in plot.layers for shape in _shapes(plot, layer, theme)),
        *_frame(plot, theme),
        "</svg>",
    )
    return "\n".join(parts).encode()


def _patterns(theme: Theme) -> Iterator[str]:
    """Lines over colours, for those who tell these apart with difficulty."""
    for kind, path in _PATTERNS.items():
        yield (
            f'<pattern id="{kind.name.lower()}" width="{_TILE}" height="{_TILE}"'
            f' patternUnits="userSpaceOnUse"><path d="{path}" stroke="{theme.text}"'
            ' stroke-width="0.8" fill="none"/></pattern>'
        )


def _y(plot: Plot, y: float) -> float:
    share = y / plot.top if plot.top else 0.0
    return _TOP + plot.height_px * (1 - share if plot.grows_upwards else share)


def _shapes(plot: Plot, rects: Rects, theme: Theme) -> Iterator[str]:
    if not rects.count:
        return
    room = plot.width_px - _LEFT
    pixel = max(plot.end, 1e-9) / room
    window = Viewport(0.0, plot.end, float("-inf"), float("inf"), pixel)
    level = Field(rects).visible(window)
    for at in range(level.size):
        yield from _shape(plot, rects, level, at, theme)


def _shape(plot: Plot, rects: Rects, level: Level, at: int, theme: Theme) -> Iterator[str]:
    scale = (plot.width_px - _LEFT) / max(plot.end, 1e-9)
    chosen = int(level.chosen[at])
    x, width = _LEFT + float(level.left[at]) * scale, 0.0
    width = max(float(level.right[at] - level.left[at]) * scale, 0.5)
    ends = sorted((_y(plot, float(level.bottom[at])), _y(plot, float(level.top[at]))))
    ink = theme.inks[Tone(rects.inks[int(rects.ink[chosen])])]
    box = f'x="{x:.1f}" y="{ends[0]:.1f}" width="{width:.1f}" height="{ends[1] - ends[0]:.1f}"'
    yield f'<rect {box} fill="{ink.colour}" stroke="{theme.base}" stroke-width="0.4"/>'
    if ink.pattern is not Pattern.SOLID:
        yield f'<rect {box} fill="url(#{ink.pattern.name.lower()})" fill-opacity="0.35"/>'
    label = _fitting(rects.labels, chosen, width) if level.count[at] == 1 else ""
    if label and ends[1] - ends[0] >= 9:
        middle = (ends[0] + ends[1]) / 2 + 4
        yield f'<text x="{x + 3:.1f}" y="{middle:.1f}" fill="{ink.text}">{xml_text(label)}</text>'


def _fitting(labels: Sequence[str], at: int, width_px: float) -> str:
    """As much of a label as there is room for."""
    if not len(labels) or width_px < _LEAST_LABEL_PX:
        return ""
    room, label = int((width_px - 6) / _LETTER_PX), labels[at]
    return label if len(label) <= room else f"{label[: room - 1]}\N{HORIZONTAL ELLIPSIS}"


def _frame(plot: Plot, theme: Theme) -> Iterator[str]:
    right, foot = plot.width_px, _TOP + plot.height_px
    yield f'<path d="M{_LEFT} {foot}H{right}" stroke="{theme.grid}"/>'
    for y, text in plot.marks:
        yield (
            f'<text x="{_LEFT - 6}" y="{_y(plot, y) + 4:.1f}" text-anchor="end"'
            f' fill="{theme.text}">{xml_text(text)}</text>'
        )
    yield f'<text x="{_LEFT}" y="{foot + 16}" fill="{theme.faint_text}">0</text>'
    yield (
        f'<text x="{right - 2}" y="{foot + 16}" text-anchor="end" fill="{theme.faint_text}">'
        f"{xml_text(plot.end_text)}</text>"
    )
    if plot.line is not None and plot.line <= plot.top:
        y = _y(plot, plot.line)
        yield f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="{theme.danger}" stroke-dasharray="6 3"/>'
