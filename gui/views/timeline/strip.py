"""The line under the timeline, or the column beside it: what is selected, sums, how to fold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.ir.titles import GAP
from gui.items.legend import Legend
from gui.present.timeline.rows import Fold
from gui.theme.fonts import lines_px
from gui.theme.scale import Gap, arrange
from gui.widgets.drop_down import DropDown
from gui.widgets.elided_label import ElidedLabel

_BETWEEN = "  ·  "
_ANY_PX = 16_777_215
"""As much as Qt lets a widget have."""
_LEAST_LETTERS = 24
_LINES_UPRIGHT = 2
"""Of what is selected: a column is narrow, and has room below."""
_LAID_OUT = (QEvent.Type.Resize, QEvent.Type.LayoutRequest)
_UNBROKEN = str.maketrans({" ": "\N{NO-BREAK SPACE}", "-": "\N{NON-BREAKING HYPHEN}"})
"""In a line each part stays together."""


class Strip(QWidget):
    """Two lines at most, or a column: the sums are only there while something is marked."""

    fold_chosen = Signal(object)
    """How all cascades should be shown: a `Fold`."""

    def __init__(self) -> None:
        super().__init__()
        self._width = 0
        self._heading = ""
        self._parts: tuple[str, ...] = ()
        self.selection = ElidedLabel("What is selected", letters=_LEAST_LETTERS)
        self.legend = Legend(is_one_line=True)
        self.totals = QLabel()
        self.totals.setWordWrap(True)
        self.totals.setTextFormat(Qt.TextFormat.PlainText)
        self.totals.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.totals.hide()
        self.align = QCheckBox("Align A")
        self.align.setToolTip("Draw operators of A under their equals, and not in their own cycles")
        self.align.hide()
        self.folds = DropDown("How cascades are shown")
        self.folds.setToolTip("How cascades are shown (E for the selected one)")
        self.folds.addItems([f"{fold.sign} {fold.value}" for fold in Fold])
        self.folds.setPlaceholderText("different ways")
        self.folds.activated.connect(self._choose)
        self.lanes = QToolButton()
        self.lanes.setText("Lanes")
        self.lanes.setAccessibleName("Arrange lanes")
        self.lanes.setToolTip("Collapse, hide, move and pin lanes (also at their titles)")
        self.lanes.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.lanes_menu = QMenu(self.lanes)
        self.lanes.setMenu(self.lanes_menu)
        self._title = QLabel("Cascades:")
        row = self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        arrange(row)
        row.addWidget(self.selection, 1)
        row.addWidget(self.legend)
        row.addWidget(self.align)
        row.addWidget(self._title)
        row.addWidget(self.folds)
        # Qt measures a column's height at the width of what cannot be wider, if not aligned.
        row.addWidget(self.lanes, 0, Qt.AlignmentFlag.AlignLeft)
        # As high without cascades: else all canvases are laid out anew when the last one goes.
        row.addStrut(self.folds.sizeHint().height())
        column = self._column = QVBoxLayout(self)
        arrange(column, (Gap.SMALL, Gap.TIGHT), Gap.TIGHT)
        column.addWidget(self.totals)
        column.addLayout(row)

    @property
    def is_upright(self) -> bool:
        """Whether it is a column."""
        return self._width > 0

    def stand(self, width: int) -> bool:
        """Be a column of that width; 0 is for a line below. False where it is that already."""
        if width == self._width:
            return False
        self._width = width
        is_upright = width > 0
        ways = QBoxLayout.Direction
        self._row.setDirection(ways.TopToBottom if is_upright else ways.LeftToRight)
        self._row.setStretchFactor(self.selection, 0 if is_upright else 1)
        self._row.setStretchFactor(self.legend, 1 if is_upright else 0)
        self.legend.set_one_line(is_one_line=not is_upright)
        self.selection.set_lines(_LINES_UPRIGHT if is_upright else 1)
        self.setMinimumWidth(width)
        self.setMaximumWidth(width or _ANY_PX)
        self._write_totals()
        return True

    def set_folds(self, folds: Sequence[Fold]) -> None:
        """Show how cascades are shown; nothing where there is none."""
        self.folds.setVisible(bool(folds))
        self._show_title()
        same = set(folds)
        self.folds.setCurrentIndex(tuple(Fold).index(same.pop()) if len(same) == 1 else -1)

    def set_totals(self, parts: Sequence[str], heading: str = "") -> None:
        """Show the sums of what is marked; a column has a heading for them."""
        self._parts = tuple(parts)
        self._heading = heading
        self._write_totals()
        self.totals.setVisible(bool(parts))

    def event(self, event: QEvent) -> bool:
        """Where a column is less high, or has more in it, it has fewer sums and classes; a line
        that is not as wide has no title."""
        taken = super().event(event)
        if event.type() in _LAID_OUT:
            self._show_title()
        if event.type() in _LAID_OUT and self.is_upright:
            self.legend.set_room(self._legend_room())
            self._write_totals()
        return taken

    def minimumSizeHint(self) -> QSize:
        """A line can do without the title of a list that has a tip."""
        hint = super().minimumSizeHint()
        if self.is_upright or self._title.isHidden():
            return hint
        return QSize(hint.width() - self._title_px, hint.height())

    @property
    def _title_px(self) -> int:
        return self._title.sizeHint().width() + self._row.spacing()

    def _show_title(self) -> None:
        has_room = (
            self.is_upright or self.width() >= self.minimumSizeHint().width() + self._title_px
        )
        self._title.setVisible(has_room and not self.folds.isHidden())
        # Until it is laid out, Qt would have a row know how wide it was before.
        self._row.invalidate()

    def _write_totals(self) -> None:
        if self.is_upright:
            lines = (self._heading, *self._parts)
            shown = self._shown(lines)
            self.totals.setText("\n".join(shown))
            self.totals.setToolTip("" if shown == lines else "\n".join(lines))
        else:
            self.totals.setText(_BETWEEN.join(part.translate(_UNBROKEN) for part in self._parts))
            self.totals.setToolTip("")

    def _shown(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Those for which there is room above all else in a column, one at least."""
        column, row = self._column, self._row
        edges = column.contentsMargins()
        width = self._width - edges.left() - edges.right()
        others = (
            row.heightForWidth(width) if row.hasHeightForWidth() else row.minimumSize().height()
        )
        free = self.height() - edges.top() - edges.bottom() - column.spacing() - others
        metrics, wraps = self.totals.fontMetrics(), int(Qt.TextFlag.TextWordWrap)
        for count in range(len(lines), 1, -1):
            shown = lines if count == len(lines) else (*lines[: count - 1], GAP)
            text = "\n".join(shown)
            if metrics.boundingRect(0, 0, width, _ANY_PX, wraps, text).height() <= free:
                return shown
        return (*lines[:1], GAP)

    def _legend_room(self) -> int:
        """What all else in a column leaves of its height, with two lines of sums."""
        column, row = self._column, self._row
        edges = column.contentsMargins()
        others = [self.selection, self.align, self._title, self.folds, self.lanes]
        heights = [each.sizeHint().height() for each in others if not each.isHidden()]
        sums = lines_px(self.totals.fontMetrics(), 2) if self._parts else 0
        gaps = column.spacing() + row.spacing() * len(heights)
        return self.height() - edges.top() - edges.bottom() - gaps - sums - sum(heights)

    def _choose(self, position: int) -> None:
        self.fold_chosen.emit(tuple(Fold)[position])
