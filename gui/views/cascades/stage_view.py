"""One cascade on the screen: its picture or table, all steps, and the player."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.document.display import ByteUnit
from gui.items.legend import Legend
from gui.present.cascades.picture import CascadeInfo, summary
from gui.present.cascades.play import (
    STAGE_HEADERS,
    Film,
    Frame,
    ring_text,
    stage_rows,
    step_text,
)
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme, Tone
from gui.views.cascades.film_strip import FilmStrip
from gui.views.cascades.picture import Picture
from gui.views.cascades.player import Player
from gui.widgets.drop_down import DropDown
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.row_model import Index, Role, RowModel
from gui.widgets.toggle import Toggle

_LINES_A_ROW = 1.5
_LEAST_LETTERS = 24
_LEGEND = (
    (Tone.USED, "rows made before"),
    (Tone.COMPUTE, "rows made in this step"),
    (None, "rows read in this step"),
    (Tone.ROLLING, "rows held in a rolling buffer"),
)


class StagesModel(RowModel[tuple[str, ...]]):
    """A row for each operator; only texts change from step to step."""

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        is_text = role in (Role.DisplayRole, Role.ToolTipRole)
        return self.rows[index.row()][index.column()] if is_text else None


class StageView(QWidget):
    """Shows the steps of a cascade; which cascade is the view's to say."""

    chosen = Signal(int)
    """Another cascade was chosen, by its position."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.combo, self.note = DropDown("Cascade"), QLabel()
        self.summary, self.step = ElidedLabel("What the cascade takes"), ElidedLabel("Step")
        self.combo.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToContents)
        self.combo.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.combo.setMinimumWidth(self.fontMetrics().averageCharWidth() * _LEAST_LETTERS)
        self.combo.activated.connect(self.chosen)
        self.note.setWordWrap(True)
        self.as_table = Toggle("Table", "Show the cascade as a table")
        self.picture, self.strip, self.player = Picture(), FilmStrip(), Player()
        self.legend = Legend()
        self.legend.set_entries(_LEGEND)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self.picture)
        self.model = StagesModel(STAGE_HEADERS)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Operators of the cascade")
        self.table.setTabKeyNavigation(False)
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().hide()
        height = round(self.fontMetrics().height() * _LINES_A_ROW)
        self.table.verticalHeader().setDefaultSectionSize(height)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._film: Film | None = None
        self._unit = ByteUnit.KIB
        self._arrange()
        self.player.moved.connect(self._show_step)
        self.strip.sought.connect(self.player.seek)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        arrange(head, between=Gap.MEDIUM)
        head.addWidget(self.combo)
        head.addWidget(self.summary, 1)
        head.addWidget(self.as_table)
        self._bodies = QStackedWidget()
        self._bodies.addWidget(self.area)
        self._bodies.addWidget(self.table)
        self.as_table.toggled.connect(lambda is_on: self._bodies.setCurrentIndex(int(is_on)))
        layout = QVBoxLayout(self)
        arrange(layout, Gap.SMALL)
        layout.addLayout(head)
        layout.addWidget(self.note)
        layout.addWidget(self._bodies, 1)
        layout.addWidget(self.legend)
        layout.addWidget(self.strip)
        layout.addWidget(self.player)
        layout.addWidget(self.step)

    @property
    def frame(self) -> Frame | None:
        """What is there after the step that is shown."""
        film = self._film
        return film.frame(self.player.position) if film is not None and film.length else None

    def set_titles(self, titles: list[str], chosen: int) -> None:
        """Offer other cascades."""
        self.combo.clear()
        self.combo.addItems(titles)
        self.combo.setCurrentIndex(chosen)

    def set_cascade(self, cascade: CascadeInfo, position: int | None = None) -> None:
        """Show another cascade, from a step on, or half of the way."""
        film = self._film = Film(cascade)
        start = film.halfway if position is None else min(position, film.length - 1)
        self.summary.show_text(summary(cascade, self._unit))
        self.picture.set_cascade(cascade)
        self.strip.set_film(film)
        self.player.set_length(film.length, max(start, 0))
        self._show_step()

    def clear(self) -> None:
        """Show no cascade."""
        self._film = None
        self.combo.clear()
        self.picture.set_cascade(None)
        self.strip.set_film(None)
        self.player.set_length(0, 0)
        self._show_step()

    def set_note(self, text: str) -> None:
        """Say something about the selection."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def set_display(self, theme: Theme, unit: ByteUnit) -> None:
        """Draw in other colours, and write sizes in another unit."""
        self._unit = unit
        self.picture.set_display(theme, unit)
        self.strip.set_theme(theme)
        self.legend.set_theme(theme)
        self.as_table.set_theme(theme)
        self.player.set_theme(theme)
        if self._film is not None:
            self.summary.show_text(summary(self._film.cascade, unit))
        self._show_step()

    def _show_step(self) -> None:
        film, frame = self._film, self.frame
        self.picture.set_frame(frame)
        if film is None or frame is None:
            self.step.show_text("" if film is None else "It has no rows to make.")
            self.model.set_rows([])
            return
        self.strip.set_position(frame.position)
        text = step_text(film.cascade, frame, film.length)
        self.step.show_text(f"{text}.")
        self.model.set_rows(stage_rows(film.cascade, frame, self._unit))
        rings = (ring_text(ring, self._unit) for ring in frame.rings)
        self.picture.setAccessibleDescription("; ".join((text, *rings)))
        if self.player.is_playing:
            self._follow()

    def _follow(self) -> None:
        """Keep the operator that runs in sight."""
        box = self.picture.running_box()
        centre = box.center().toPoint()
        self.area.ensureVisible(0, centre.y(), 0, round(box.height() / 2))
