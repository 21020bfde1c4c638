"""Beside the map: what makes up a cut through it, and its ranges and evictions as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.document.look import LookPart
from gui.items.rects_item import Hit
from gui.present.memory.tables import Table
from gui.present.rects import Lit
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.views.memory.map_pane import GHOSTS, RANGES
from gui.views.memory.rows_view import RowsView
from gui.views.memory.stack_bar import StackBar
from gui.widgets.calm_tabs import CalmTabs
from gui.widgets.look_parts import columns_part, scroll_part


class Side(CalmTabs):
    """Three tables: a cut, all ranges, all evictions."""

    picked = Signal(object)
    """A `Hit`, as if it had been clicked in the map."""
    peak_asked = Signal()
    activated = Signal()
    """The row that is picked was double-clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.setAccessibleName("Details of this memory")
        self.tabBar().setAccessibleName("What the table shows")
        self.title, self.summary = QLabel(), QLabel()
        for label in (self.title, self.summary):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.to_peak = QPushButton("To the peak")
        self.to_peak.setToolTip("Show what is live at the peak (Home)")
        self.bar = StackBar()
        self.cut = RowsView("Live at the marked time")
        self.ranges = RowsView("All ranges of this memory")
        self.ghosts = RowsView("Evicted feature maps")
        self.addTab(self._cut_page(), "Peak")
        self.addTab(self.ranges, "All ranges")
        self.addTab(self.ghosts, "Evicted")
        for part in (self.cut, self.bar, self.ranges):
            part.picked.connect(lambda key: self.picked.emit(Hit(RANGES, key, key, 1)))
        for table in (self.cut, self.ranges, self.ghosts):
            table.activated_row.connect(self.activated)
        self.ghosts.picked.connect(lambda key: self.picked.emit(Hit(GHOSTS, key, key, 1)))
        self.to_peak.clicked.connect(self.peak_asked)
        self._selected = frozenset[int](), frozenset[int]()
        self.currentChanged.connect(self._mark)

    def _cut_page(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        arrange(layout, Gap.SMALL)
        layout.addWidget(self.title)
        layout.addWidget(self.to_peak)
        middle = QHBoxLayout()
        arrange(middle, between=Gap.MEDIUM)
        middle.addWidget(self.bar)
        middle.addWidget(self.cut, 1)
        layout.addLayout(middle, 1)
        layout.addWidget(self.summary)
        return page

    def look_parts(self) -> Mapping[str, LookPart]:
        """What a user can set here."""
        parts = {"tab": LookPart(self.currentIndex, self.setCurrentIndex)}
        for name, table in (("cut", self.cut), ("ranges", self.ranges), ("evicted", self.ghosts)):
            parts[f"{name}.columns"] = columns_part(table.horizontalHeader())
            parts[f"{name}.scroll"] = scroll_part(table)
        return parts

    def set_theme(self, theme: Theme) -> None:
        for part in (self.bar, self.cut, self.ranges, self.ghosts):
            part.set_theme(theme)

    def set_cut(
        self, table: Table, texts: tuple[str, str], *, is_peak: bool, is_permanent: bool
    ) -> None:
        self.title.setText(texts[0])
        self.summary.setText(texts[1])
        self.cut.set_table(table)
        self.to_peak.setVisible(not is_peak)
        self.setTabText(0, "Contents" if is_permanent else "Peak" if is_peak else "Live")

    def set_tables(self, ranges: Table, ghosts: Table) -> None:
        """Show other ranges and evictions."""
        self.ranges.set_table(ranges)
        self.ghosts.set_table(ghosts)
        self.setTabText(1, f"All ranges ({len(ranges.keys):,})")
        self.setTabText(2, f"Evicted ({len(ghosts.keys):,})")
        self.setTabVisible(2, bool(ghosts.keys))

    def set_selected(self, ranges: Iterable[int], ghosts: Iterable[int]) -> None:
        """Mark what is selected."""
        self._selected = frozenset(ranges), frozenset(ghosts)
        self.bar.set_selected(self._selected[0])
        self._mark()

    def set_lit(self, ranges: Lit | None, ghosts: Lit | None) -> None:
        """Let fade what is not looked at; nothing without that."""
        for table in (self.cut, self.ranges):
            table.rows.set_lit(ranges)
        self.ghosts.rows.set_lit(ghosts)
        self.bar.set_lit(ranges)

    def _mark(self) -> None:
        """Mark the rows of the table that is in sight; laying out hidden ones takes time."""
        ranges, ghosts = self._selected
        if self.currentWidget() is self.ranges:
            self.ranges.set_selected(ranges)
        elif self.currentWidget() is self.ghosts:
            self.ghosts.set_selected(ghosts)
        else:
            self.cut.set_selected(ranges)
