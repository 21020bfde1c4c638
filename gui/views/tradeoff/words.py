"""Where the words of a panel are: none lies on another, on a sign or on a line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetrics, QPolygonF

from core.base.frozen import NamedTuple
from gui.present.runs.tradeoff import CLIFF, Line, Panel, Spot

_SIGN_PX, _POINT_PX = 6.0, 3.0


class Title(NamedTuple):
    """What a guide is called, and where that is written."""

    box: QRectF
    text: str


class Flag(NamedTuple):
    """What says that a step is a cliff, or slower."""

    sign: QPolygonF
    text: str
    word: QRectF | None
    """Where the word is, if there is room for it."""


def flags_of(panel: Panel, area: QRectF, metrics: QFontMetrics) -> Iterator[Flag]:
    """The flags of a panel; words are inside it, as far as there is room."""
    marked = list(_signs(panel, area))
    taken = [*_strokes(panel, area), *(sign.boundingRect() for sign, _ in marked)]
    taken += [title.box for title in titles_of(panel, area, metrics)]
    for sign, spot in marked:
        forms = (
            (text, word)
            for text in dict.fromkeys((spot.flag, spot.mark))
            for word in _around(sign.boundingRect(), text, area, metrics)
            if not any(map(word.intersects, taken))
        )
        text, word = next(forms, (spot.mark, None))
        taken += [word] if word is not None else []
        yield Flag(sign, text, word)


def _signs(panel: Panel, area: QRectF) -> Iterator[tuple[QPolygonF, Spot]]:
    for line in panel.lines:
        for spot in line.spots:
            if spot.mark:
                yield _sign(point_of(area, spot), spot.mark), spot


def _strokes(panel: Panel, area: QRectF) -> Iterator[QRectF]:
    """What lines and their points cover."""
    for line in panel.lines:
        for one, other in pairwise(corners_of(line, area)):
            reach = _POINT_PX
            yield QRectF(one, other).normalized().adjusted(-reach, -reach, reach, reach)


def _around(sign: QRectF, text: str, area: QRectF, metrics: QFontMetrics) -> Iterator[QRectF]:
    """Places for a word inside a panel: above a sign, right of it, left of it."""
    wide, high = metrics.horizontalAdvance(text), metrics.height()
    gap, middle = metrics.averageCharWidth() / 2, sign.center()
    above = max(min(middle.x() - wide / 2, area.right() - wide), area.left())
    for left, top in (
        (above, sign.top() - high - 1),
        (sign.right() + gap, middle.y() - high / 2),
        (sign.left() - gap - wide, middle.y() - high / 2),
    ):
        word = QRectF(left, top, wide, high)
        if area.contains(word):
            yield word


def titles_of(panel: Panel, area: QRectF, metrics: QFontMetrics) -> Iterator[Title]:
    """The titles of a panel's guides that have room, each right of its line, low down if it can."""
    high, gap = metrics.height(), metrics.averageCharWidth()
    marked = [sign.boundingRect() for sign, _ in _signs(panel, area)]
    taken = [*_strokes(panel, area), *marked]
    for guide in panel.guides:
        wide = metrics.horizontalAdvance(guide.title)
        x = area.left() + guide.x * area.width()
        left = max(min(x + gap / 2, area.right() - wide), area.left())
        boxes = (
            QRectF(left, area.bottom() - high * row - 1, wide, high)
            for row in range(1, int(area.height() / high) + 1)
        )
        box = next((box for box in boxes if not any(map(box.intersects, taken))), None)
        if box is not None:
            taken.append(box.adjusted(-gap, 0, gap, 0))
            yield Title(box, guide.title)


def corners_of(line: Line, area: QRectF) -> list[QPointF]:
    """Where a step line turns; it goes on to the end of its panel."""
    corners: list[QPointF] = []
    for spot in line.spots:
        at = point_of(area, spot)
        corners += [QPointF(at.x(), corners[-1].y()), at] if corners else [at]
    if corners:
        corners.append(QPointF(area.right(), corners[-1].y()))
    return corners


def _sign(at: QPointF, mark: str) -> QPolygonF:
    """A triangle above a point: down where it falls off, up where it takes longer."""
    low, high = at.y() - _SIGN_PX, at.y() - _SIGN_PX * 2.2
    foot, top = (high, low) if mark == CLIFF else (low, high)
    half = _SIGN_PX * 0.7
    return QPolygonF(
        [QPointF(at.x() - half, foot), QPointF(at.x() + half, foot), QPointF(at.x(), top)]
    )


def point_of(area: QRectF, spot: Spot) -> QPointF:
    """Where a cell is drawn."""
    return QPointF(area.left() + spot.x * area.width(), area.bottom() - spot.y * area.height())
