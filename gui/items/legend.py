"""What colours and patterns mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.items.brushes import brush_of, veil_of
from gui.items.marks_item import MarkSign, draw_mark, mark_radius_px
from gui.items.outlines_item import pen_of
from gui.items.pins_item import draw_pin
from gui.items.ratio import ratio_of
from gui.present.edits.rows import State
from gui.present.memory.differences import Side
from gui.theme.tones import LIGHT, SHAPES, Theme, Tone

_GAP_LETTERS = 2

Sign = Tone | State | Side | None
"""A colour, a pin, an outline of what is compared, or that of the selection."""
Entry = tuple[Sign, str]
"""A sign and what it stands for."""
PIN: Entry = (State.HONOURED, "decided by you")
_PARTS = ("rules", "classes", "pins", "A")
"""What is explained, in this order: in one line the last ones may have no room."""
_OVER_ALL = (Tone.OVER, Tone.SHARED, None)


class Legend(QWidget):
    """Patches of colour with a text each; its accessible description has all of them.

    Under a drawing it takes as many lines as there have to be, and there is room for. In a row with
    other things it has one line. What does not fit is left out.
    """

    def __init__(self, *, is_one_line: bool = False) -> None:
        super().__init__()
        self._is_one_line = is_one_line
        self._most_lines: int | None = None
        self._parts: dict[str, tuple[Entry, ...]] = dict.fromkeys(_PARTS, ())
        self._theme: Theme = LIGHT
        self._set_policy()
        self.setAccessibleName("Legend")

    def set_one_line(self, *, is_one_line: bool) -> None:
        """Have one line in a row with other things, or as many as there have to be."""
        if is_one_line != self._is_one_line:
            self._is_one_line = is_one_line
            self._most_lines = None
            self._set_policy()

    def set_room(self, height: int) -> None:
        """Take no more than this, in whole lines."""
        lines = max(height // self._line(), 0)
        if lines != self._most_lines:
            self._most_lines = lines
            self.updateGeometry()
            self.update()

    def _set_policy(self) -> None:
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        if self._is_one_line:
            policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is explained."""
        shown = dict(self._parts)
        if shown["rules"]:
            # What has a colour has it of them; only what lies over all keeps its own.
            shown["classes"] = tuple(each for each in shown["classes"] if each[0] in _OVER_ALL)
        return tuple(entry for part in shown.values() for entry in part)

    def set_entries(self, entries: Sequence[Entry], part: str = "classes") -> None:
        """Explain other colours of a part."""
        if self._parts[part] == tuple(entries):
            return
        self._parts[part] = tuple(entries)
        self.setAccessibleDescription(", ".join(text for _, text in self.entries))
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Room for all entries in one line."""
        gaps = max(len(self.entries) - 1, 0) * _GAP_LETTERS
        width = sum(self._length(text) for _, text in self.entries)
        return QSize(width + (gaps + 1) * self._letter(), self._line())

    def minimumSizeHint(self) -> QSize:
        """It can be left out, where there is no room for a line."""
        return QSize(0, 0 if self._most_lines == 0 else self._line())

    def heightForWidth(self, width: int) -> int:
        """As many lines as there have to be."""
        return max((box.bottom() + 1 for *_, box in self._boxes(width)), default=0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw patches and texts."""
        painter = QPainter(self)
        if not self._is_one_line:
            # It belongs to the drawing above it.
            painter.fillRect(event.rect(), QColor(self._theme.base))
        side = self.fontMetrics().ascent()
        for tone, text, box in self._boxes(self.width()):
            patch = QRectF(box.left(), box.center().y() - side // 2, side, side)
            self._patch(painter, tone, patch)
            painter.setPen(QColor(self._theme.faint_text))
            area = box.adjusted(side + self._letter(), 0, 0, 0)
            painter.drawText(
                area, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text
            )
        painter.end()

    def _patch(self, painter: QPainter, tone: Sign, patch: QRectF) -> None:
        if tone is None:
            painter.setPen(QPen(QColor(self._theme.accent), 2))
            painter.drawRect(patch.adjusted(1, 1, -1, -1))
            return
        if isinstance(tone, Side):
            painter.setPen(pen_of(tone, self._theme))
            painter.drawRect(patch.adjusted(0, 0, -1, -1))
            return
        if isinstance(tone, State):
            draw_pin(painter, QPointF(patch.center().x(), patch.top() + 4), tone, self._theme)
            return
        if tone in SHAPES:
            draw_mark(
                painter,
                patch.center(),
                mark_radius_px(),
                MarkSign(tone, is_hollow=False),
                self._theme,
            )
            return
        painter.setBrushOrigin(QPointF(patch.topLeft()))
        if tone in (Tone.OVER, Tone.SHARED):
            if tone is Tone.SHARED:
                # Its lines are as fine as those on maps, and are told by what they are on.
                painter.fillRect(patch, QColor(self._theme.inks[Tone.FEATURE_MAP].colour))
            painter.fillRect(patch, veil_of(self._theme.inks[tone], ratio_of(painter)))
            return
        painter.fillRect(patch, brush_of(self._theme.inks[tone], ratio_of(painter)))

    def _boxes(self, width: int) -> Iterator[tuple[Sign, str, QRect]]:
        line, letter = self._line(), self._letter()
        left, top = letter, 0
        for tone, text in self.entries:
            length = self._length(text)
            if left + length > width and self._is_one_line:
                return
            if left > letter and left + length > width:
                left, top = letter, top + line
            if self._most_lines is not None and top >= self._most_lines * line:
                return
            yield tone, text, QRect(left, top, length, line)
            left += length + _GAP_LETTERS * letter

    def _length(self, text: str) -> int:
        """Of a patch and its text."""
        metrics = self.fontMetrics()
        return metrics.ascent() + 2 * self._letter() + metrics.horizontalAdvance(text)

    def _line(self) -> int:
        return round(self.fontMetrics().height() * 1.3)

    def _letter(self) -> int:
        return self.fontMetrics().averageCharWidth()
