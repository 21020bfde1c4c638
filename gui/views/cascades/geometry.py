"""Where the parts of a cascade's picture are: labels left, rows in the middle, rings right."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFontMetrics

from core.base.frozen import Frozen
from gui.present.cascades.play import Rows

_LEAST_LABEL_LETTERS = 28
_MOST_LABEL_LETTERS = 48
_LABEL_SHARE = 0.24
_TEXT_LETTERS = 24
_LEAST_STRIP_LETTERS = 20
_INPUT_LINES = 2.6
_STAGE_LINES = 5.2
_MOST_STAGE_LINES = 11.0
_RING_LINES = 0.8
"""A ring leaves so much of a stage's height free."""
_STRIP_LINES = 1.2


class Geometry(Frozen):
    """Boxes in pixels for a width and a font."""

    width: float
    height: float
    stages: int
    line: float
    letter: float

    @classmethod
    def of(cls, metrics: QFontMetrics, size: QSize, stages: int) -> Geometry:
        """The geometry for a font."""
        return cls(
            width=float(size.width()),
            height=float(size.height()),
            stages=stages,
            line=float(metrics.height()),
            letter=float(metrics.averageCharWidth()),
        )

    @property
    def least_width(self) -> float:
        """Below this nothing can be read."""
        letters = _LEAST_LABEL_LETTERS + _LEAST_STRIP_LETTERS
        return self.letter * letters + self.line * (_STAGE_LINES - _RING_LINES) + 4 * self.gap

    @property
    def least_height(self) -> float:
        """What all stages take at least."""
        return self.line * (_INPUT_LINES + self.stages * _STAGE_LINES) + self.gap

    @property
    def stage_height(self) -> float:
        """Stages share the height that there is."""
        shared = (self.height - self.gap - self.line * _INPUT_LINES) / max(self.stages, 1)
        least, most = self.line * _STAGE_LINES, self.line * _MOST_STAGE_LINES
        return float(round(min(max(shared, least), most)))

    @property
    def gap(self) -> float:
        """Between columns."""
        return self.line * 0.6

    @property
    def label_width(self) -> float:
        """Of the column of names."""
        share = self.width * _LABEL_SHARE / self.letter
        return self.letter * min(max(share, _LEAST_LABEL_LETTERS), _MOST_LABEL_LETTERS)

    @property
    def ring_size(self) -> float:
        """Diameter of a ring."""
        return self.stage_height - self.line * _RING_LINES

    @property
    def has_texts(self) -> bool:
        """Whether there is room for numbers beside the rings."""
        strip = self.letter * (_LEAST_STRIP_LETTERS + _TEXT_LETTERS)
        return self.width >= self.label_width + self.ring_size + strip + 5 * self.gap

    @property
    def _strip_right(self) -> float:
        text = self.letter * _TEXT_LETTERS + self.gap if self.has_texts else 0.0
        return self.width - 2 * self.gap - self.ring_size - text

    def top(self, stage: int) -> float:
        """Where a stage begins; the input is stage -1."""
        return 0.0 if stage < 0 else self.line * _INPUT_LINES + stage * self.stage_height

    def box(self, stage: int) -> QRectF:
        """The whole row of a stage."""
        height = self.line * _INPUT_LINES if stage < 0 else self.stage_height
        return QRectF(0.0, self.top(stage), self.width, height)

    def label(self, stage: int) -> QRectF:
        """Where the name of a stage stands."""
        box = self.box(stage)
        return QRectF(self.gap, box.top(), self.label_width, box.height())

    def strip(self, stage: int) -> QRectF:
        """The rows of a stage's output, from the first at the left to the last."""
        box = self.box(stage)
        left = self.label_width + 2 * self.gap
        height = self.line * _STRIP_LINES
        top = round(box.center().y() - height / 2)
        return QRectF(left, top, max(self._strip_right - left, 1.0), height)

    def rows(self, stage: int, rows: Rows, of: int) -> QRectF:
        """The part of a strip that belongs to some rows."""
        strip = self.strip(stage)
        scale = strip.width() / max(of, 1)
        return QRectF(
            strip.left() + rows.first * scale, strip.top(), rows.number * scale, strip.height()
        )

    def ring(self, stage: int) -> QRectF:
        """The square around a stage's rolling buffer, between it and the next stage."""
        box = self.box(stage)
        top = box.center().y() - self.ring_size / 2
        return QRectF(self._strip_right + self.gap, top, self.ring_size, self.ring_size)

    def ring_text(self, stage: int) -> QRectF:
        """Where the numbers of a ring stand."""
        ring = self.ring(stage)
        return QRectF(
            ring.right() + self.gap, ring.top(), self.letter * _TEXT_LETTERS, ring.height()
        )

    def stage_at(self, point: QPointF) -> int | None:
        """Which stage is at a point."""
        for stage in range(self.stages):
            if self.box(stage).contains(point):
                return stage
        return None
