"""Where panels, cells and guides are in a widget: places alone, nothing is drawn here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetrics

from core.api.sweeps import Cell
from core.base.frozen import Frozen, NamedTuple
from gui.present.runs.tradeoff import Panel
from gui.views.tradeoff.pencil import MARGIN_LETTERS, RIGHT_LETTERS
from gui.views.tradeoff.words import point_of

_LEAST_LETTERS = 44
"""Of a panel's width."""
_ROWS = 13
"""Lines of text in a panel's height, without its legend, at least."""
_ROWS_BESIDE = 4
"""Of these for the title and the numbers below."""
_GOOD_SHAPE = 1.6
"""A panel's width for its height."""
_REACH_LINES = 1.0
_NEAR_PX = 4.0


class Place(NamedTuple):
    """A cell where it is drawn."""

    at: QPointF
    cell: Cell
    tip: str
    """What is flagged there."""


class Grid(Frozen, kw_only=False):
    """Panels side by side in some pixels, each as near to a good shape as there is room for."""

    panels: Sequence[Panel]
    metrics: QFontMetrics
    width: int
    height: int = 0

    @property
    def least_width(self) -> int:
        """Of one panel."""
        return self.metrics.averageCharWidth() * _LEAST_LETTERS

    @property
    def least_height(self) -> int:
        """Of all rows, with as many panels side by side as there is room for."""
        return -(-len(self.panels) // self._most_columns) * self._least_panel_height

    @property
    def areas(self) -> Iterator[QRectF]:
        """Where lines are drawn in each panel, inside its axes."""
        width, height, letter = self.width / self._columns, self._panel_height, self._letter
        line = self.metrics.height()
        for number in range(len(self.panels)):
            row, column = divmod(number, self._columns)
            yield QRectF(
                column * width + MARGIN_LETTERS * letter,
                row * height + 2 * line,
                max(width - (MARGIN_LETTERS + RIGHT_LETTERS) * letter, 1.0),
                height - line * (_ROWS_BESIDE + self._legend),
            )

    @property
    def places(self) -> Iterator[Place]:
        """All cells where they are drawn, line by line."""
        for panel, area in zip(self.panels, self.areas, strict=True):
            for line in panel.lines:
                for spot in line.spots:
                    yield Place(point_of(area, spot), spot.cell, spot.tip)

    def cell_at(self, at: QPointF) -> Cell | None:
        """The cell that is drawn nearest to a place, where that is near."""
        near = self._near(at)
        return None if near is None else near.cell

    def _near(self, at: QPointF) -> Place | None:
        near = min(self.places, key=lambda place: _distance(place.at, at), default=None)
        reach = self.metrics.height() * _REACH_LINES
        return near if near is not None and _distance(near.at, at) <= reach else None

    def tip_at(self, at: QPointF) -> str:
        """What is flagged near a place, or known of the limit whose line it is on; or nothing."""
        near = self._near(at)
        if near is not None and near.tip:
            return near.tip
        for panel, area in zip(self.panels, self.areas, strict=True):
            for guide in panel.guides:
                x = area.left() + guide.x * area.width()
                if abs(x - at.x()) <= _NEAR_PX and area.top() <= at.y() <= area.bottom():
                    return guide.tip
        return ""

    @property
    def _letter(self) -> int:
        return self.metrics.averageCharWidth()

    @property
    def _most_columns(self) -> int:
        most = max(1, self.width // max(self.least_width, 1))
        return max(1, min(most, len(self.panels)))

    @property
    def _columns(self) -> int:
        """Fewer than there is room for where panels in more rows have a better shape."""
        count = len(self.panels)
        least_rows = -(-count // self._most_columns)
        most_rows = max(self.height // self._least_panel_height, least_rows)
        # As few as make so many rows: the last row is as full as it can be.
        rows = range(max(least_rows, 1), min(most_rows, count) + 1)
        return max((-(-count // each) for each in rows), key=self._good_height, default=1)

    def _good_height(self, columns: int) -> float:
        """Of the largest panel of a good shape, with so many side by side."""
        rows = -(-len(self.panels) // columns)
        return min(self.width / columns / _GOOD_SHAPE, self._panel_height_in(rows))

    @property
    def _rows(self) -> int:
        return -(-len(self.panels) // self._columns)

    @property
    def _legend(self) -> int:
        return max((len(panel.lines) for panel in self.panels), default=0)

    @property
    def _least_panel_height(self) -> int:
        return self.metrics.height() * (_ROWS + self._legend)

    @property
    def _panel_height(self) -> float:
        return self._panel_height_in(self._rows)

    def _panel_height_in(self, rows: int) -> float:
        """As high as there is room, but no higher than wide."""
        columns = max(-(-len(self.panels) // max(rows, 1)), 1)
        room = min(self.height / max(rows, 1), self.width / columns)
        return float(max(room, self._least_panel_height))


def _distance(one: QPointF, other: QPointF) -> float:
    return (one - other).manhattanLength()
