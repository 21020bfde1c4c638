"""A memory on the screen: header, map and tables, which draw what they are told."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gui.document.display import Display, Span, TimeUnit
from gui.document.selection import Selection
from gui.items.legend import PIN, Entry
from gui.present.edits.pins import Pins
from gui.present.memory.differences import Outlines
from gui.present.memory.map import TimeScale
from gui.present.memory.ranges import is_permanent
from gui.present.memory.tables import cut_table
from gui.present.rects import Lit
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.views.memory.header import Header
from gui.views.memory.map_pane import MapPane
from gui.views.memory.shown import Shown, tabs_of
from gui.views.memory.side import Side

_LEAST_LETTERS = 125
_MAP_SHARE = 0.66


class _MapAndTables(QSplitter):
    """The map beside its tables: these give way without room, unless somebody asks for them."""

    side_shown = Signal(bool)

    def __init__(self, first: QWidget, side: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._side = side
        self._is_asked: bool | None = None
        self.addWidget(first)
        self.addWidget(side)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self.setChildrenCollapsible(False)

    def ask_for_side(self, is_asked: bool) -> None:  # noqa: FBT001 - a signal's
        """Show or hide the tables, whatever room there is."""
        self._is_asked = is_asked
        self._side.setVisible(is_asked)
        self._share()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """See whether there is room for both."""
        super().resizeEvent(event)
        if self._is_asked is None:
            is_wide = self.width() >= self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
            self._side.setVisible(is_wide)
            self.side_shown.emit(is_wide)
        self._share()

    def _share(self) -> None:
        if self._side.isVisibleTo(self):
            first = round(self.width() * _MAP_SHARE)
            self.setSizes([first, self.width() - first])


class Page(QWidget):
    """Draws a `Shown`; it knows nothing of the store."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.header, self.pane, self.side = Header(), MapPane(), Side()
        body = _MapAndTables(self.pane, self.side)
        layout = QVBoxLayout(self)
        arrange(layout, between=Gap.NONE)
        layout.addWidget(self.header)
        layout.addWidget(body, 1)
        self.header.side_toggled.connect(body.ask_for_side)
        body.side_shown.connect(self.header.side.setChecked)
        self.is_side_behind = False
        """Whether tables are still those of another map: the picture comes first."""
        self._lit: tuple[Lit | None, Lit | None] = None, None

    def set_theme(self, theme: Theme) -> None:
        for part in (self.header, self.pane, self.side):
            part.set_theme(theme)

    def show_texts(self, shown: Shown, display: Display) -> None:
        """Write everything that units and the answer change, but for tables."""
        is_cycles = shown.scale is TimeScale.CYCLES
        unit = display.time_unit if is_cycles else TimeUnit.CYCLES
        clock = shown.answer.scheduled.target.system.core_clock_hz
        self.pane.time_axis.set_unit(unit, clock)
        is_address = self.header.addresses.isChecked()
        self.pane.memory_axis.set_unit(display.byte_unit, is_address=is_address)
        self.header.set_time_unit(display.time_unit.value)
        self.header.set_tabs(tabs_of(shown.answer, shown.area, display), shown.area)
        self.pane.set_ghosts(shown.ghosts, shown.drawn.edges, shown.labels(display))
        self.show_cut(shown, display)

    def show_side(self, shown: Shown, selection: Selection, display: Display) -> None:
        """The tables, with what is looked at and selected in them."""
        self.is_side_behind = False
        self.side.set_tables(*shown.tables(display))
        self._show_cut_beside(shown, display)
        self.side.set_lit(*self._lit)
        self.side.set_selected(*shown.keys_of(selection))

    def show_pins(self, shown: Shown, pins: Pins) -> None:
        """Mark what is decided by the user."""
        ranges, ghosts = shown.pins(pins)
        self.pane.set_pins(ranges, ghosts)
        self.pane.legend.set_entries((PIN,) if ranges or ghosts else (), "pins")

    def show_outlines(self, outlines: Outlines) -> None:
        """Mark what A has otherwise."""
        self.pane.outlines.set_outlines(outlines)
        sides = [(side, side.value) for side, boxes in outlines.by_side.items() if len(boxes)]
        self.pane.legend.set_entries(sides, "A")

    def show_lit(self, ranges: Lit | None, ghosts: Lit | None, legend: Sequence[Entry]) -> None:
        """Let fade what is not looked at, in the map and in the tables; nothing without that."""
        self.pane.ranges.set_lit(ranges)
        self.pane.ghosts.set_lit(ghosts)
        self._lit = ranges, ghosts
        if not self.is_side_behind:
            self.side.set_lit(ranges, ghosts)
        self.pane.legend.set_entries(legend, "rules")

    def show_cut(self, shown: Shown, display: Display) -> None:
        """Show what is live at a time."""
        if not self.is_side_behind:
            self._show_cut_beside(shown, display)
        self.pane.set_lines(*shown.lines(display))
        self.pane.legend.set_entries(tuple(shown.legend(display)))

    def _show_cut_beside(self, shown: Shown, display: Display) -> None:
        self.side.set_cut(
            cut_table(shown.drawn, shown.cut),
            shown.cut_texts(display),
            is_peak=shown.is_at_peak,
            is_permanent=is_permanent(shown.drawn.area),
        )
        self.side.bar.set_cut(
            shown.cut,
            shown.drawn.names,
            shown.drawn.limit_bytes,
            shown.drawn.top_bytes,
            display.byte_unit,
        )

    def show_selection(
        self, shown: Shown, selection: Selection, span: Span | None, display: Display
    ) -> None:
        """Outline what is selected, in the map and in the tables."""
        ranges, ghosts = shown.keys_of(selection)
        self.pane.set_selected(ranges, ghosts, shown.bands(selection, span))
        if not self.is_side_behind:
            self.side.set_selected(ranges, ghosts)
        self.pane.describe(shown.description(ranges, ghosts, display))
