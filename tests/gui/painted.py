"""What a widget paints: every stretch of text, where it is, and what of that can be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree as ET

from PySide6.QtGui import QFont, QFontMetricsF, QTransform
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QWidget

from gui.export import svg

_NUMBER = re.compile(r"-?[\d.]+(?:e-?\d+)?")
_FIGURE = re.compile(r"\d[\d,.]*(?: (?:[KM]i)?B\b| ms| µs| cycles| %|K\b)?")
_GAP = "…"


class Text(NamedTuple):
    """A stretch of text in a widget's own pixels."""

    text: str
    font: QFont
    left: float
    part: QWidget
    seen: tuple[float, float]
    """From where to where the widget can be seen."""

    @property
    def cut_figures(self) -> list[str]:
        """Figures of which digits are missing, or out of sight."""
        found = [each for each in re.findall(rf"\S*{_GAP}\S*", self.text) if _cuts_digits(each)]
        if not _scrolls(self.part):
            metrics = QFontMetricsF(self.font)
            for figure in _FIGURE.finditer(self.text):
                ends = (
                    self.left + metrics.horizontalAdvance(self.text[:at]) for at in figure.span()
                )
                first, last = ends
                if first < self.seen[0] - 1 or last > self.seen[1] + 1:
                    found.append(figure.group())
        return found


def _cuts_digits(text: str) -> bool:
    return bool(re.search(rf"\d{_GAP}|{_GAP}\d", text))


def _scrolls(part: QWidget) -> bool:
    """Whether what is out of sight can be reached."""
    above = part.parentWidget()
    area = above if isinstance(above, QAbstractScrollArea) and above.viewport() is part else None
    return isinstance(area, QAbstractItemView)


def texts_of(widget: QWidget) -> Iterator[Text]:
    """All texts in a widget that is shown."""
    for part, seen in svg._parts(widget):
        origin = part.mapTo(widget, part.rect().topLeft())
        ends = (float(seen.left() - origin.x()), float(seen.right() + 1 - origin.x()))
        for element, place in _walk(svg._drawn(part, is_ground=False), QTransform()):
            if element.tag.endswith("}text") and element.text:
                point = place.map(float(element.get("x", 0)), float(element.get("y", 0)))
                yield Text(element.text, _font(element), point[0], part, ends)


def _walk(element: ET.Element, place: QTransform) -> Iterator[tuple[ET.Element, QTransform]]:
    moved = element.get("transform", "")
    if moved.startswith("matrix"):
        a, b, c, d, e, f = (float(number) for number in _NUMBER.findall(moved))
        place = QTransform(a, b, c, d, e, f) * place
    yield element, place
    for child in element:
        yield from _walk(child, place)


def _font(element: ET.Element) -> QFont:
    font = QFont(element.get("font-family", ""))
    font.setPixelSize(max(round(float(element.get("font-size", 12))), 1))
    font.setWeight(QFont.Weight(int(element.get("font-weight", 400))))
    return font
