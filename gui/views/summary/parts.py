"""Parts of the summary: labels, bars, tiles, and a grid that wraps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.base.geometry import ceil_div
from core.base.ids import NpuOpId
from core.base.sentences import capitalised
from gui.present.summary import Bar, Fact, RegionSummary, Verdict, Versus
from gui.theme.scale import Gap, Type, arrange, set_type
from gui.theme.tones import Theme, Tone

_WIDEST_LETTERS = 56
"""Of totals side by side; wider, a number is read against the title of another."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
Item = TypeVar("Item")
Cell = TypeVar("Cell", bound=QWidget)
_VERDICT_ROLES = {
    Verdict.FITS: "good",
    Verdict.OPEN: "plain",
    Verdict.UNTOLD: "plain",
    Verdict.EXCEEDS: "danger",
}


def label(name: str, role: str = "plain", kind: Type = Type.TEXT) -> QLabel:
    """Text that wraps and can be selected; its role decides its colour."""
    made = QLabel()
    made.setAccessibleName(name)
    made.setWordWrap(True)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    made.setProperty("role", role)
    set_type(made, kind)
    return made


def style_sheet(theme: Theme) -> str:
    """The colours of roles."""
    return f"""
QLabel[role="faint"] {{ color: {theme.faint_text}; }}
QLabel[role="good"] {{ color: {theme.good}; }}
QLabel[role="danger"] {{ color: {theme.danger}; }}
QLabel[role="warning"] {{ color: {theme.warning}; }}
QFrame[role="card"] {{ background: {theme.base}; border: 1px solid {theme.grid};
    border-radius: 4px; }}
"""


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget the colours of another role."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class ShareBar(QWidget):
    """How much of something a part is; what is above a limit is in another colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.share = 0.0
        self._tone = Tone.COMPUTE
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_share(self, share: float, tone: Tone) -> None:
        """Draw a share of 1; above 1, the limit is a mark within the bar."""
        self.share, self._tone = share, tone
        self.update()

    def sizeHint(self) -> QSize:
        """As high as a small letter."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 12, max(metrics.xHeight(), 4))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Track, bar, and what is above the limit."""
        del event
        painter = QPainter(self)
        whole = QRectF(self.rect())
        painter.fillRect(whole, QColor(self._theme.grid))
        inks = self._theme.inks
        share = max(self.share, 0.0)
        allowed = QRectF(whole)
        allowed.setWidth(whole.width() * (1.0 / share if share > 1.0 else share))
        painter.fillRect(allowed, QColor(inks[self._tone].colour))
        if share > 1.0:
            above = QRectF(whole)
            above.setLeft(allowed.right())
            painter.fillRect(above, QColor(inks[Tone.OVER].colour))
            mark = QRectF(allowed.right() - 1, 0, 2, whole.height())
            painter.fillRect(mark, QColor(self._theme.text))


class Card(QFrame):
    """A frame with lines below each other."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.lines = QVBoxLayout(self)
        arrange(self.lines, Gap.MEDIUM, Gap.TIGHT)


class Tile(Card):
    """A number, its name above it, and a note below."""

    def __init__(self, kind: Type = Type.FIGURE) -> None:
        super().__init__()
        self.title = label("title", "faint", Type.SMALL)
        self.value = label("value", kind=kind)
        self.note = label("note", "faint", Type.SMALL)
        for part in (self.title, self.value, self.note):
            self.lines.addWidget(part)
        self.lines.addStretch(1)

    def show_item(self, item: Fact) -> None:
        """Show a fact."""
        self.title.setText(item.title)
        self.value.setText(item.value)
        self.value.setAccessibleName(item.title)
        self.note.setText(item.note)
        self.note.setToolTip(item.tip)
        self.note.setAccessibleName(f"note on {item.title}")
        self.note.setVisible(bool(item.note))


class VersusGrid(Card):
    """Totals of A and B side by side, and below both what B has more."""

    _TITLES = ("total", "A", "B", "difference")

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout()
        arrange(self._grid, between=(Gap.LARGE, Gap.TIGHT))
        self._grid.setColumnStretch(0, 1)
        self.lines.addLayout(self._grid)
        self.cells: list[tuple[QLabel, ...]] = []
        for column in (1, 2):
            head = label(self._TITLES[column], "faint", Type.SMALL)
            head.setText(self._TITLES[column])
            self._grid.addWidget(head, 0, column, _RIGHT)

    def show_rows(self, rows: Sequence[Versus]) -> None:
        """Show other totals; labels are made as they are needed, and kept."""
        for _ in range(len(self.cells), len(rows)):
            self.cells.append(self._made(2 * len(self.cells) + 1))
        for place, cells in enumerate(self.cells):
            for cell in cells:
                cell.setVisible(place < len(rows))
        for row, cells in zip(rows, self.cells, strict=False):
            for title, cell, text in zip(self._TITLES, cells, row[:4], strict=True):
                cell.setText(str(text))
                cell.setAccessibleName(f"{row.title}: {title}")
            set_role(cells[-1], {None: "faint", True: "good", False: "danger"}[row.is_better])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a wide card the numbers stay where their titles are."""
        super().resizeEvent(event)
        most = self.fontMetrics().averageCharWidth() * _WIDEST_LETTERS
        self._grid.setColumnMinimumWidth(len(self._TITLES) - 1, max(0, self.width() - most))

    def _made(self, line: int) -> tuple[QLabel, ...]:
        title, a, b, change = (label(name) for name in self._TITLES)
        self._grid.addWidget(title, line, 0)
        for column, cell in ((1, a), (2, b)):
            cell.setWordWrap(False)
            self._grid.addWidget(cell, line, column, _RIGHT)
        change.setWordWrap(False)
        self._grid.addWidget(change, line + 1, 1, 1, 2, _RIGHT)
        return title, a, b, change


class BarRow(QWidget):
    """A title, a number, a bar, and a note; operators that have it can be picked."""

    picked = Signal(tuple)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._ops: tuple[NpuOpId, ...] = ()
        self.pick = QPushButton("Select")
        self.pick.setFlat(True)
        self.pick.clicked.connect(lambda: self.picked.emit(self._ops))
        self.title, self.value = label("title"), label("value", kind=Type.HEADING)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.bar, self.note = ShareBar(theme), label("note", "faint", Type.SMALL)
        head = QHBoxLayout()
        arrange(head, between=Gap.MEDIUM)
        head.addWidget(self.title, 1)
        head.addWidget(self.value, 1)
        lines = QVBoxLayout(self)
        arrange(lines, (Gap.NONE, Gap.TIGHT), Gap.TIGHT)
        lines.addLayout(head)
        lines.addWidget(self.bar)
        foot = QHBoxLayout()
        arrange(foot, between=Gap.MEDIUM)
        foot.addWidget(self.note, 1)
        foot.addWidget(self.pick, 0, Qt.AlignmentFlag.AlignTop)
        lines.addLayout(foot)
        lines.addStretch(1)

    def show_item(self, item: Bar) -> None:
        """Show a part of something."""
        self._ops = item.ops
        self.pick.setVisible(bool(item.ops))
        whom = "the operator" if len(item.ops) == 1 else f"the {len(item.ops)} operators"
        self.pick.setToolTip(f"Select {whom} that this decides, in all views")
        self.pick.setAccessibleName(f"Select what {item.title} decides")
        self.title.setText(item.title)
        self.value.setText(item.value)
        self.value.setAccessibleName(item.title)
        self.bar.show_share(item.share, Tone.COMPUTE)
        self.note.setText(item.note)


class RegionCard(Card):
    """A range of addresses against its limit."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.title, self.verdict = (
            label("memory", kind=Type.HEADING),
            label("verdict", kind=Type.HEADING),
        )
        self.verdict.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.text, self.bar = label("required and limit"), ShareBar(theme)
        self.advice = label("what would do", "faint", Type.SMALL)
        head = QHBoxLayout()
        arrange(head, between=Gap.MEDIUM)
        head.addWidget(self.title, 2)
        head.addWidget(self.verdict, 1)
        self.lines.addLayout(head)
        for part in (self.text, self.bar, self.advice):
            self.lines.addWidget(part)
        self.lines.addStretch(1)

    def show_item(self, item: RegionSummary) -> None:
        """Show whether it fits."""
        self.title.setText(item.title)
        self.verdict.setText(item.verdict.value)
        set_role(self.verdict, _VERDICT_ROLES[item.verdict])
        self.text.setText(capitalised(item.text) + ".")
        self.bar.setVisible(item.share is not None)
        self.bar.show_share(min(item.share or 0.0, 1e9), Tone.USED)
        self.advice.setText(item.advice)


class WrapGrid(QWidget, Generic[Item, Cell]):
    """Widgets of one kind, in as many columns as there is room for."""

    def __init__(
        self, least_characters: int, make: Callable[[], Cell], show: Callable[[Cell, Item], None]
    ) -> None:
        super().__init__()
        self._least_characters, self._make, self._show = least_characters, make, show
        self._cells: list[Cell] = []
        self._items: tuple[Item, ...] = ()
        """What cells show; only what differs from it is written anew."""
        self._columns = 0
        self._grid = QGridLayout(self)
        arrange(self._grid, between=(Gap.LARGE, Gap.MEDIUM))

    def show_items(self, items: Sequence[Item]) -> None:
        """Show items; widgets that are there already are used again."""
        while len(self._cells) < len(items):
            cell = self._make()
            # Without a parent it would be shown as a window of its own for a moment.
            cell.setParent(self)
            self._cells.append(cell)
            self._columns = 0
        for position, (cell, item) in enumerate(zip(self._cells, items, strict=False)):
            if self._items[position : position + 1] != (item,):
                self._show(cell, item)
        self._items = tuple(items)
        for position, cell in enumerate(self._cells):
            cell.setVisible(position < len(items))
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Find out how many columns there is room for now."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        least = self.fontMetrics().averageCharWidth() * self._least_characters
        spacing = self._grid.horizontalSpacing()
        columns = max((self.width() + spacing) // (least + spacing), 1)
        count = max(sum(not cell.isHidden() for cell in self._cells), 1)
        # As many rows as it takes, and all of them about as full.
        columns = ceil_div(count, ceil_div(count, columns))
        if columns == self._columns:
            return
        for column in range(max(columns, self._columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self._columns = columns
        for position, cell in enumerate(self._cells):
            self._grid.addWidget(cell, position // columns, position % columns)
