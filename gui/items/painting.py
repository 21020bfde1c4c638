"""How rectangles come onto the screen: whole pixels, batches, patterns, labels, outlines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetrics,
    QPainter,
    QPen,
    QStaticText,
    QTransform,
)
from PySide6.QtWidgets import QApplication

from core.base.frozen import NamedTuple
from gui.items.brushes import TILE_PX, lines_of, merged_lines_of, veil_of
from gui.present.lod import Indices, Level, runs
from gui.present.names import abbreviated
from gui.present.rects import Floats, Rects
from gui.theme.scale import in_pixels
from gui.theme.tones import Ink, Pattern, Theme, Tone

PADDING_PX = 4
_SMALL_PADDING_PX = 2
_STEP_PX = 8
"""Widths are rounded to this, so that few shortened texts are remembered."""
_MOST_REMEMBERED = 4096
_FEWEST_LETTERS = 3
_LETTERS_OF_WORDS = (5, 4, 3, 2, 1)
"""Words in names are made shorter step by step until the name fits."""
_NEEDS_MORE = re.compile(r" ?([\d.,]+|·|of|operators?)")
"""A word that says nothing without the next."""
_LETTERS_BEFORE_WORDS = 3
"""Where it would have fewer, the words after a name go first."""
MARKER_PX = 5
"""Width of a rectangle without length."""
_HANDLE_PX = 8.0
"""Height of what shows that something can be dragged."""

_LEAST_TEXT_PX = 8
"""Smaller texts nobody can read."""
_GAP_FROM_PX = 4
"""Rectangles at least this large are drawn a pixel smaller, so that neighbours stay apart."""
_PATTERN_FROM_PX = 4
_BRIDGED_PX = 3
_TOUCHING_PX = 2
_FRAME_FROM_PX = 10
"""What is selected and narrower has a thin frame, which leaves something of it to be seen."""
_MOST_HATCHED_LINES = 50_000
"""So many lines of pixels get a texture, however short they are; that takes some milliseconds."""


def _beginnings(name: str, words: Sequence[str]) -> Iterator[str]:
    """What can follow a first word of all words that do, the longest first: a number is not without
    its unit, and nothing ends in a point between two parts. A number that comes first is a name.
    """
    for count in range(len(words), -1, -1):
        last = words[count - 1] if count else name
        is_number = not count and name.isdigit()
        if count == len(words) or is_number or not _NEEDS_MORE.fullmatch(last):
            yield "".join(words[:count])


class Labels:
    """Texts of one font, laid out once."""

    def __init__(self, font: QFont, *, is_small: bool = False) -> None:
        """Small ones use each pixel that there is."""
        self.font = font
        self._is_small = is_small
        self._padding_px = _SMALL_PADDING_PX if is_small else PADDING_PX
        self._step_px = 1 if is_small else _STEP_PX
        self._metrics = QFontMetrics(font)
        self._widths: dict[str, int] = {}
        self._shortened: dict[tuple[str, int], str] = {}
        self._laid_out: dict[str, QStaticText] = {}

    @property
    def height(self) -> int:
        """A line's height."""
        return self._metrics.height()

    @property
    def least_height(self) -> int:
        """Of a rectangle that has room for letters; small ones have a pixel above or below, and
        what hangs below the line may reach out."""
        return self._metrics.tightBoundingRect("0").height() + 1 if self._is_small else self.height

    @property
    def least_width(self) -> int:
        """Narrower rectangles have no label."""
        return self._metrics.averageCharWidth() * _FEWEST_LETTERS + 2 * self._padding_px

    def width(self, text: str) -> int:
        """A text's width."""
        known = self._widths.get(text)
        if known is None:
            known = self._widths[text] = self._metrics.horizontalAdvance(text)
        return known

    def tells(self, text: str, width: float) -> bool:
        """Whether a box has room for what a text is about: its first two words."""
        about = " ".join(text.split(" ", 2)[:2])
        return self.fitted(text, width - 2 * self._padding_px).startswith(about)

    def fitted(self, text: str, width: float) -> str:
        """The text, or its beginning, for a width; empty where not enough of it would be seen."""
        if self.width(text) <= width:
            return text
        room = int(width) // self._step_px * self._step_px
        known = self._shortened.get((text, room))
        if known is None:
            self._forget_if_many()
            known = self._shortened[text, room] = self._shorten(text, room)
        return known

    def _shorten(self, text: str, room: int) -> str:
        """The text without its last parts, with a shorter name before them."""
        name, *rest = re.split(r"(?= )", text)
        for kept in _beginnings(name, rest):
            # Names differ in their numbers, wherever these are.
            fewest = _LETTERS_BEFORE_WORDS if kept else 1
            for letters in (len(name), *(each for each in _LETTERS_OF_WORDS if each >= fewest)):
                shown = abbreviated(name, letters) + kept
                if self._metrics.horizontalAdvance(shown) <= room:
                    return shown
        return ""

    def draw(self, painter: QPainter, text: str, box: QRectF, plate: QColor | None) -> QRectF:
        """Write a text at the left of a box, half way up, on a plate where a pattern would show;
        where it stands then."""
        shown = self.fitted(text, box.width() - 2 * self._padding_px)
        if not shown:
            return QRectF()
        left = round(box.left() + self._padding_px)
        top = round(box.center().y() - self.height / 2)
        area = QRectF(left - 2, top, self.width(shown) + 4, self.height).intersected(box)
        if plate is not None:
            painter.fillRect(area, plate)
        laid_out = self._laid_out.get(shown)
        if laid_out is None:
            laid_out = self._laid_out[shown] = QStaticText(shown)
            laid_out.setTextFormat(Qt.TextFormat.PlainText)
            laid_out.prepare(font=self.font)
        painter.drawStaticText(left, top, laid_out)
        return area

    def _forget_if_many(self) -> None:
        if len(self._shortened) + len(self._laid_out) > _MOST_REMEMBERED:
            self._shortened.clear()
            self._laid_out.clear()
            self._widths.clear()


def _smaller(font: QFont) -> Iterator[Labels]:
    """The same font in sizes that can just be read, the largest first."""
    for size in range(QFontInfo(font).pixelSize() - 1, _LEAST_TEXT_PX - 1, -1):
        yield Labels(in_pixels(font, size), is_small=True)


class Boxes(NamedTuple):
    """Rectangles in pixels, y downwards."""

    left: Floats
    top: Floats
    width: Floats
    height: Floats


class Screen(NamedTuple):
    """How data becomes pixels, and which of them are in sight."""

    to_pixels: QTransform
    sight: QRectF
    ratio: float
    """Pixels of the screen in one of Qt's."""
    has_gaps: bool = True
    """Whether neighbours are kept apart."""

    def boxes(self, level: Level) -> Boxes:
        """Whole pixels of the screen that rectangles cover, at least one each way."""
        matrix, sight = self.to_pixels, self.sight
        low, high = _scaled(level.left, level.right, matrix.m11(), matrix.dx())
        left = self._snap(low, sight.left(), sight.right())
        # Of merged ones the last may begin in the pixel after the first.
        high = np.where(level.count > 1, np.ceil(high * self.ratio) / self.ratio, high)
        right = self._snap(high, sight.left(), sight.right())
        low, high = _scaled(level.bottom, level.top, matrix.m22(), matrix.dy())
        top = self._snap(low, sight.top(), sight.bottom())
        bottom = self._snap(high, sight.top(), sight.bottom())
        width, height = (self._with_gap(size) for size in (right - left, bottom - top))
        is_marker = (level.longest <= 0.0) & (width < MARKER_PX)
        left = np.where(is_marker, np.round(left) - MARKER_PX // 2, left)
        return Boxes(left, top, np.where(is_marker, MARKER_PX, width), height)

    def _snap(self, values: Floats, least: float, most: float) -> Floats:
        # What is meant to be a whole number may have come out a little below.
        cut: Floats = np.floor(np.clip(values, least, most) * self.ratio + 1e-6) / self.ratio
        return cut

    def _with_gap(self, sizes: Floats) -> Floats:
        found: Floats = np.where(
            self.has_gaps & (sizes >= _GAP_FROM_PX), sizes - 1, np.maximum(sizes, 1 / self.ratio)
        )
        return found


class Brushwork:
    """Paints rectangles in pixels, with the colours of a theme."""

    def __init__(self, theme: Theme, *, has_small_labels: bool = False) -> None:
        """Small labels are for what is low or narrow: each is as large as its box lets it be."""
        self.theme = theme
        self._labels = Labels(QApplication.font())
        self._smaller = tuple(_smaller(QApplication.font())) if has_small_labels else ()
        self._array = PrimitiveArray(QRectF, 4)
        self.written: list[QRectF] = []
        """Where labels stand in the last picture, in pixels."""

    def paint(
        self,
        painter: QPainter,
        screen: Screen,
        rects: Rects,
        level: Level,
        inks: tuple[Ink, ...] = (),
        *,
        has_labels: bool = True,
    ) -> None:
        """Draw what is in sight of some rectangles, in other inks than their own if need be."""
        self.written.clear()
        # The pattern moves along with the data.
        shift = QPointF(screen.to_pixels.dx() % TILE_PX, screen.to_pixels.dy() % TILE_PX)
        painter.setBrushOrigin(shift)
        painter.setPen(Qt.PenStyle.NoPen)
        inks = inks or tuple(self.theme.inks[Tone(name)] for name in rects.inks)
        boxes = screen.boxes(level)
        self._fill(painter, boxes, level, rects.ink[level.chosen], inks, screen.ratio)
        if has_labels and rects.labels:
            self._write(painter, boxes, level, rects, inks)

    def paint_veil(self, painter: QPainter, screen: Screen, rects: Rects, level: Level) -> None:
        """Lay lines over what is there; its colours and names can still be told.

        Where there is no room for them plain inks cover it, and patterns are left out.
        """
        self.written.clear()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrushOrigin(QPointF(screen.to_pixels.dx() % TILE_PX, 0.0))
        boxes = screen.boxes(level)
        is_wide = np.minimum(boxes.width, boxes.height) >= _PATTERN_FROM_PX
        for position, name in enumerate(rects.inks):
            ink = self.theme.inks[Tone(name)]
            has_ink = rects.ink[level.chosen] == position
            if ink.pattern is Pattern.SOLID:
                painter.setBrush(QColor(ink.colour))
                self._draw(painter, boxes, np.flatnonzero(has_ink & ~is_wide))
            painter.setBrush(veil_of(ink, screen.ratio))
            self._draw(painter, boxes, np.flatnonzero(has_ink & is_wide))
        if rects.labels:
            ground = Ink(self.theme.base, self.theme.text, Pattern.HATCH)
            self._write(painter, boxes, level, rects, (ground,) * len(rects.inks))

    def outline_hovered(
        self, painter: QPainter, screen: Screen, level: Level, *, has_handle: bool
    ) -> None:
        """Draw a thin line around what is under the pointer, and a handle where it can be moved."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        boxes = screen.boxes(level)
        self._frame(painter, _shrunk(boxes, 0), self.theme.text, 1)
        if has_handle and len(boxes.left):
            self._draw_handle(painter, QRectF(*(float(values[0]) for values in boxes)))

    def _draw_handle(self, painter: QPainter, box: QRectF) -> None:
        """Three short lines at the end of what is large enough for them."""
        size = _HANDLE_PX
        plate = QRectF(box.right() - 2 * size, box.center().y() - size / 2, size * 1.5, size)
        if not box.contains(plate):
            return
        painter.fillRect(plate, QColor(self.theme.base))
        painter.setPen(QPen(QColor(self.theme.text), 1))
        for line in (0.25, 0.5, 0.75):
            y = plate.top() + line * size
            painter.drawLine(QPointF(plate.left() + 2, y), QPointF(plate.right() - 2, y))

    def fade(
        self, painter: QPainter, screen: Screen, rects: Rects, level: Level, *, has_labels: bool
    ) -> None:
        """Let the ground be seen through what others are to be told apart from; names stay."""
        ground = QColor(self.theme.base)
        ground.setAlphaF(self.theme.faded)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        boxes = screen.boxes(level)
        self._draw(painter, boxes, np.arange(len(boxes.left)))
        if has_labels and rects.labels:
            # What could be read on the ink cannot on what is left of it.
            ink = Ink(self.theme.base, self.theme.faint_text, Pattern.SOLID)
            self._write(painter, boxes, level, rects, (ink,) * len(rects.inks))

    def outline_selected(self, painter: QPainter, screen: Screen, level: Level) -> None:
        """Draw lines around what is selected; small neighbours have one around them all."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        boxes = screen.boxes(level)
        left, right, first = runs(
            level, boxes.left, boxes.left + boxes.width, _TOUCHING_PX, _FRAME_FROM_PX
        )
        boxes = Boxes(left, boxes.top[first], right - left, boxes.height[first])
        is_large = boxes.width >= _FRAME_FROM_PX
        large, small = (
            Boxes(*(column[part] for column in boxes)) for part in (is_large, ~is_large)
        )
        # A line is drawn in the middle of its pixels: one more would reach out of the row.
        self._frame(painter, _within(small), self.theme.accent, 1)
        # Inside of the coloured line is one like the ground, as fills may have a similar colour.
        self._frame(painter, _shrunk(large, 1), self.theme.base, 1)
        self._frame(painter, large, self.theme.accent, 2)

    def _fill(
        self,
        painter: QPainter,
        boxes: Boxes,
        level: Level,
        ink_of: npt.NDArray[np.uint8],
        inks: tuple[Ink, ...],
        ratio: float,
    ) -> None:
        is_merged = level.count > 1
        # Patterns cost a hundred times as much as plain colours, and cannot be seen when narrow.
        is_wide = np.minimum(boxes.width, boxes.height) >= _PATTERN_FROM_PX
        is_wide &= ~is_merged
        for position, ink in enumerate(inks):
            has_ink = ink_of == position
            painter.setBrush(QColor(ink.colour))
            self._draw(painter, boxes, np.flatnonzero(has_ink))
            if ink.pattern is not Pattern.SOLID:
                painter.setBrush(lines_of(ink.text, ink.pattern, ratio))
                self._draw(painter, boxes, np.flatnonzero(has_ink & is_wide))
        where = np.flatnonzero(is_merged)
        if len(where):
            painter.setBrush(merged_lines_of(self.theme.base, ratio))
            self._hatch(painter, Boxes(*(values[where] for values in boxes)), level.take(where))

    def _hatch(self, painter: QPainter, boxes: Boxes, level: Level) -> None:
        """Lay a fine hatch over what is merged, neighbours at once."""
        left, right, first = runs(level, boxes.left, boxes.left + boxes.width, _BRIDGED_PX)
        areas = Boxes(left, boxes.top[first], right - left, boxes.height[first])
        shown = np.arange(len(left))
        if areas.height.sum() > _MOST_HATCHED_LINES:
            shown = np.flatnonzero(areas.width >= _PATTERN_FROM_PX)
        self._draw(painter, areas, shown)

    def _write(
        self, painter: QPainter, boxes: Boxes, level: Level, rects: Rects, inks: tuple[Ink, ...]
    ) -> None:
        labels = self._labels_for(boxes, [rects.labels[index] for index in level.chosen])
        # What may be small is for all or for none: of equals some are a pixel lower than others.
        height = np.full_like(boxes.height, boxes.height.min()) if self._smaller else boxes.height
        has_room = (height >= labels.least_height) & (boxes.width >= labels.least_width)
        where = np.flatnonzero(has_room & (level.count == 1))
        if len(where):
            self._write_in(painter, boxes, level, rects, inks, labels, where)

    def _labels_for(self, boxes: Boxes, texts: Sequence[str]) -> Labels:
        """One font for all of a picture: in which most can be told what they are, and large."""
        if not self._smaller or not texts:
            return self._labels
        least = boxes.height.min()
        *larger, smallest = (self._labels, *self._smaller)
        sizes = [*(each for each in larger if each.least_height <= least), smallest]
        return max(sizes, key=lambda each: sum(map(each.tells, texts, boxes.width)))

    def _write_in(
        self,
        painter: QPainter,
        boxes: Boxes,
        level: Level,
        rects: Rects,
        inks: tuple[Ink, ...],
        labels: Labels,
        where: Indices,
    ) -> None:
        """Labels of one font."""
        painter.setFont(labels.font)
        for position in where:
            index = level.chosen[position]
            if not rects.labels[index]:
                continue
            ink = inks[rects.ink[index]]
            painter.setPen(QColor(ink.text))
            box = QRectF(*(float(values[position]) for values in boxes))
            plate = None if ink.pattern is Pattern.SOLID else QColor(ink.colour)
            self.written.append(labels.draw(painter, rects.labels[index], box, plate))

    def _frame(self, painter: QPainter, boxes: Boxes, colour: str, width: int) -> None:
        pen = QPen(QColor(colour), width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        self._draw(painter, boxes, np.arange(len(boxes.left)))

    def _draw(self, painter: QPainter, boxes: Boxes, where: Indices) -> None:
        if not len(where):
            return
        self._array.resize(len(where))
        columns = self._array.ndarray()
        for position, values in enumerate(boxes):
            columns[:, position] = values[where]
        painter.drawRects(*self._array.drawargs())


def _scaled(low: Floats, high: Floats, factor: float, shift: float) -> tuple[Floats, Floats]:
    """Borders in pixels, the smaller one first."""
    one, two = low * factor + shift, high * factor + shift
    return (one, two) if factor >= 0 else (two, one)


def _within(boxes: Boxes) -> Boxes:
    """Boxes for lines of one pixel that cover no more than the boxes do."""
    width, height = (np.maximum(size - 1, 0.0) for size in (boxes.width, boxes.height))
    return Boxes(boxes.left, boxes.top, width, height)


def _shrunk(boxes: Boxes, pixels: int) -> Boxes:
    """Boxes for lines of one pixel, further in; those that are too small for that are left out."""
    fits = np.minimum(boxes.width, boxes.height) > 2 * pixels
    left, top, width, height = (values[fits] for values in boxes)
    return Boxes(left + pixels, top + pixels, width - 2 * pixels - 1, height - 2 * pixels - 1)
