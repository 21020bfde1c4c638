"""The front: schedules that were found, to be compared with the current one and adopted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.document import Document
from gui.items.rects_item import Hit
from gui.present.runs.front import (
    COLUMNS,
    OFFER,
    Front,
    adopting,
    by_strategy,
    described,
    differences,
    finding,
    front_of,
    headline,
    is_by_strategy,
    kept_point,
    reason_for_none,
    row_of,
    shares,
    stepped,
    told,
    with_best,
    with_pareto,
)
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.views.front.canvas import FrontCanvas
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_state import EmptyState, no_schedule
from gui.widgets.patient_view import PatientView

ROWS = ("Current", "Pointed at", "Difference", "")
_HINT = "nothing yet: point at one to compare it, click it to adopt it, K keeps it as A"
_POINTED = 1
"""Its row; the differences come behind it, or below it where there is little room."""
_LETTERS = 11


class Comparison(QWidget):
    """A row for each schedule, and what the one has more or less than the other.

    Where that is too wide, as with large type, schedules are columns, and differences are below
    what differs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Comparison with the current schedule")
        self._titles = [QLabel(text) for text in COLUMNS]
        self._names = [QLabel(text) for text in ROWS]
        self.cells = [[QLabel() for _ in COLUMNS] for _ in ROWS]
        self.hint = ElidedLabel("How to compare")
        self.hint.show_text(_HINT)
        self._grid = QGridLayout(self)
        self._is_narrow = False
        arrange(self._grid, between=(Gap.MEDIUM, Gap.NONE))
        self._place()

    def set_width(self, width_px: int) -> None:
        """Take the form that has room in so much."""
        is_narrow = width_px < self._width_px(is_narrow=False)
        if is_narrow is not self._is_narrow:
            self._is_narrow = is_narrow
            self._place()

    @property
    def least_width_px(self) -> int:
        """So much the narrow form takes, in which no figure is cut at the right."""
        return self._width_px(is_narrow=True)

    def _places(self, *, is_narrow: bool) -> Iterator[tuple[QLabel, int, int]]:
        """Each label with its row and its column."""
        heads, sides = (self._names, self._titles) if is_narrow else (self._titles, self._names)
        lines = len(ROWS) - 1 if is_narrow else 1
        yield from ((side, 1 + at * lines, 0) for at, side in enumerate(sides))
        shown = heads[: 1 + _POINTED] if is_narrow else heads
        yield from ((head, 0, 1 + at) for at, head in enumerate(shown))
        for row, cells in enumerate(self.cells):
            for at, cell in enumerate(cells):
                if not is_narrow:
                    yield cell, 1 + row, 1 + at
                else:
                    below = max(row - _POINTED, 0)
                    yield cell, 1 + at * lines + below, 1 + row - below

    def _place(self) -> None:
        """Labels in their places; those that are moved leave the ones that they had."""
        for label, row, column in self._places(is_narrow=self._is_narrow):
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            self._grid.addWidget(label, row, column, side)
        last = 1 + len(COLUMNS)
        for column in range(1, last):
            has_cells = not self._is_narrow or column <= 1 + _POINTED
            self._grid.setColumnMinimumWidth(column, self._least_px if has_cells else 0)
        self._grid.setColumnStretch(last, 1)
        for name in self._names[1 + _POINTED :]:
            name.setVisible(not self._is_narrow)
        at = (1 + len(COLUMNS) * (len(ROWS) - 1), 0) if self._is_narrow else (2, 1)
        self._grid.addWidget(self.hint, *at, 1, last)

    @property
    def _least_px(self) -> int:
        return self.fontMetrics().averageCharWidth() * _LETTERS

    def _width_px(self, *, is_narrow: bool) -> int:
        widths: dict[int, int] = {}
        for label, _, column in self._places(is_narrow=is_narrow):
            least = self._least_px if column else 0
            widths[column] = max(widths.get(column, least), label.sizeHint().width())
        margins = self._grid.contentsMargins()
        between = self._grid.horizontalSpacing() * len(widths)
        return sum(widths.values()) + between + margins.left() + margins.right()

    def show_front(self, front: Front, pointed: int | None) -> None:
        """Compare; without another schedule, only the current one is told."""
        self._fill(0, row_of(front, front.taken))
        is_alone = pointed is None or pointed == front.taken
        self.hint.setVisible(is_alone)
        if pointed is None or is_alone:
            for row in (1, 2, 3):
                self._fill(row, ("",) * len(COLUMNS))
            return
        self._fill(1, row_of(front, pointed))
        self._fill(2, differences(front, pointed))
        self._fill(3, shares(front, pointed))

    def set_theme(self, theme: Theme) -> None:
        for label in (*self._titles, *self._names, self.hint):
            palette = label.palette()
            palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.faint_text))
            label.setPalette(palette)

    def _fill(self, row: int, texts: Sequence[str]) -> None:
        for cell, text in zip(self.cells[row], texts, strict=True):
            cell.setText(text)


class _Rows(QScrollArea):
    """What is compared, as high as it is; in a low panel its rows are scrolled.

    With large type five rows would keep the whole window from being as low as its screen.
    """

    def __init__(self, comparison: Comparison) -> None:
        super().__init__()
        self._comparison = comparison
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setWidget(comparison)

    def sizeHint(self) -> QSize:
        """All rows."""
        return self._comparison.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """No figure is cut at the right."""
        least_px = self._comparison.least_width_px + self.verticalScrollBar().sizeHint().width()
        return QSize(least_px, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._comparison.set_width(self.viewport().width())
        super().resizeEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Rows that need more room, or less, are given it."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._comparison.set_width(self.viewport().width())
            self.updateGeometry()
        return super().eventFilter(watched, event)


class FrontView(PatientView):
    """Points of a front; a click, or Enter, decides as another of its schedules does."""

    NAME = "front"
    TITLE = "Front"

    adoption_asked = Signal(object, str)
    """Settings that find a schedule whose decisions are to be taken, and what undo calls that."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("The front appears here as soon as there is one."), parent
        )
        self._front: Front | None = None
        self._pointed: int | None = None
        """The schedule that keys have gone to."""
        self._hovered: int | None = None
        self.canvas, self.comparison = FrontCanvas(), Comparison()
        self.headline = ElidedLabel("How the current schedule was chosen")
        self.own = QPushButton("By strategy")
        self.own.setToolTip("Let the strategy choose again")
        self.own.setAccessibleName("Let the strategy choose from the front")
        self.sentence = EmptyState()
        self.to_best = QPushButton("Use the best search")
        self.to_pareto = QPushButton("Use the Pareto engine")
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        page, chart = QWidget(), QWidget()
        head = QHBoxLayout()
        arrange(head, between=Gap.MEDIUM)
        head.addWidget(self.headline, 1)
        head.addWidget(self.own)
        lines = QVBoxLayout(chart)
        arrange(lines, Gap.SMALL)
        lines.addLayout(head)
        lines.addWidget(self.canvas, 1)
        lines.addWidget(_Rows(self.comparison))
        buttons = QHBoxLayout()
        arrange(buttons, between=Gap.MEDIUM)
        buttons.addStretch()
        for each in (self.to_best, self.to_pareto):
            buttons.addWidget(each)
        buttons.addStretch()
        self.sentence.add_below(buttons)
        self._layers = QStackedLayout(page)
        self._layers.addWidget(self.sentence)
        self._layers.addWidget(chart)
        look = {"zoom": self.canvas.box.zoom_part()}
        self.set_page(page, self.show_parts, look)

    def _connect(self) -> None:
        self.canvas.picked.connect(self._pick)
        self.canvas.hovered.connect(self._hover)
        self.canvas.stepped.connect(self._step)
        self.canvas.entered.connect(self.adopt)
        self.canvas.kept.connect(self.keep)
        self.canvas.set_describer(lambda hit: told(self._front, hit.key) if self._front else "")
        chosen = "Let the strategy choose from the front"
        self.own.clicked.connect(lambda: self._switch(by_strategy, chosen))
        self.to_best.clicked.connect(lambda: self._switch(with_best, "search"))
        self.to_pareto.clicked.connect(lambda: self._switch(with_pareto, "engine"))

    # What keys and commands do.

    def faster(self) -> None:
        self._step(1)

    def smaller(self) -> None:
        self._step(-1)

    def adopt(self) -> None:
        """Ask for the schedule that is pointed at."""
        if self._front is not None and self._pointed is not None:
            wanted = finding(self._store.document, self._front.points[self._pointed])
            self.adoption_asked.emit(wanted, adopting(self._front, self._pointed))

    def keep(self) -> None:
        """Compare what is shown with the schedule that is pointed at."""
        if self._front is not None and self.compared is not None:
            self._store.compared.keep(kept_point(self._store.document, self._front, self.compared))

    def show_all(self) -> None:
        """Show the whole front."""
        self.canvas.show_all()

    @property
    def front(self) -> Front | None:
        """What is drawn."""
        return self._front

    @property
    def compared(self) -> int | None:
        """The schedule that is compared with the current one."""
        return self._pointed if self._hovered is None else self._hovered

    def relevant_parts(self, changes: ChangeSet) -> frozenset[Part]:
        """What is asked for matters, what is selected does not."""
        shown = super().relevant_parts(changes) - {Part.SELECTION}
        return shown | (changes.parts & {Part.DOCUMENT})

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Draw the front, or say what would be here."""
        if Part.DISPLAY in parts:
            self.canvas.set_theme(self._store.theme)
            self.comparison.set_theme(self._store.theme)
        if parts & {Part.ANSWER, Part.DISPLAY}:
            self._show_answer()
        self.own.setEnabled(not is_by_strategy(self._store.document))

    def _show_answer(self) -> None:
        answer = self._store.answer
        before = self._front
        self._front = None if answer is None else front_of(answer, self._store.display)
        self._hovered = None
        if _points(before) != _points(self._front):
            self._pointed = None
        if answer is not None and self._front is None:
            self.sentence.set_text(reason_for_none(answer))
            self._offer(answer)
        if answer is not None and self._front is not None:
            self.headline.show_text(headline(self._front, answer))
            self.canvas.show_front(self._front, keeps_view=_points(before) == _points(self._front))
            self._compare()
        self._layers.setCurrentIndex(0 if self._front is None else 1)

    def _compare(self) -> None:
        """Show how what is pointed at differs from the current schedule."""
        if self._front is None:
            return
        self.canvas.points.set_ringed(self.compared)
        self.comparison.show_front(self._front, self.compared)
        self.canvas.describe_selection(described(self._front, self.compared))

    def _pick(self, hit: Hit | None) -> None:
        self._pointed = None if hit is None else hit.key
        self._compare()
        self.adopt()

    def _hover(self, hit: Hit | None) -> None:
        self._hovered = None if hit is None else hit.key
        self._compare()

    def _step(self, step: int) -> None:
        if self._front is not None:
            self._pointed = stepped(self._front, self._pointed, step)
            self._hovered = None
            self._compare()

    def _offer(self, answer: Answer) -> None:
        is_open = reason_for_none(answer) == OFFER
        for button, change in ((self.to_best, with_best), (self.to_pareto, with_pareto)):
            button.setVisible(is_open and change(answer.document) != answer.document)

    def _switch(self, change: Callable[[Document], Document], label: str) -> None:
        self._ask(change(self._store.document), label)

    def _ask(self, document: Document, label: str) -> None:
        self._store.edit(document, label, initiator=self.NAME)


def _points(front: Front | None) -> object:
    """What tells a front from another, whichever of its schedules is taken."""
    if front is None:
        return None
    return [(point.cycles, point.peak_bytes) for point in front.points], front.limit_bytes
