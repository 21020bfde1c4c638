"""The strip under the tools: the answer first, and each part of it a door to what it tells."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QSizePolicy

from gui.document.changes import ChangeSet, Part
from gui.document.job import JobPhase
from gui.present import headline
from gui.present.fitting import fitted
from gui.present.headline import Forms, Headline
from gui.present.runs.best import better_forms
from gui.shell.actions import Actions
from gui.shell.better_button import BetterButton
from gui.state.store import Store
from gui.theme.scale import Gap, Type, arrange, font_of
from gui.theme.tones import LIGHT, Theme

_BAR_LINES = 0.3
"""Height of the bar, in lines of text."""
_FEWEST_LETTERS = 11
"""Room that each part has whatever it says, so that none moves when another says more."""
BETTER = "schedule.better"
_TIP = (
    "A better schedule was found (Shift+F9 shows it). It waits while you have a hand on the"
    " picture, and comes by itself once the pointer has left all views"
)
_PARTS = (
    ("model", "Model and target", "go.controls", 7),
    ("fit", "Need and limit of fast storage", "go.controls", 5),
    ("time", "Time and cycles of an inference", "go.summary", 6),
    ("change", "Difference", "go.compare", 4),
    ("edits", "What became of the edits", "go.edits", 4),
    ("search", "Who searched, and whether that goes on", "schedule.grow", 4),
)
"""Name, what it is for who listens, the command that it leads to, and its share of the width."""


class HeadlinePart(QAbstractButton):
    """A large line and a small one below it, as long as there is room; a click runs a command."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._told = headline.NOTHING
        self._theme: Theme = LIGHT
        self._is_older = False
        self._action: QAction | None = None
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._run)

    def lead_to(self, action: QAction) -> None:
        """Run this command at a click."""
        self._action = action

    def _run(self) -> None:
        if self._action is not None and self._action.isEnabled():
            self._action.trigger()

    def show_part(self, told: headline.Part, theme: Theme, *, is_older: bool) -> None:
        """Show another figure; an older one is pale."""
        if (told, theme, is_older) == (self._told, self._theme, self._is_older):
            return
        self._told, self._theme, self._is_older = told, theme, is_older
        self.setToolTip(told.tip)
        self.setAccessibleDescription(self.said)
        self.update()

    @property
    def said(self) -> str:
        """All of it in full."""
        return ", ".join(filter(None, (self._told.large[0], self._told.small[0])))

    @property
    def told(self) -> headline.Part:
        """What it shows."""
        return self._told

    def sizeHint(self) -> QSize:
        """Two lines, and a bar between or below them."""
        large, small = (QFontMetrics(font) for font in _fonts())
        bar = round(small.height() * _BAR_LINES) + Gap.TIGHT.px
        height = large.height() + small.height() + bar + 2 * Gap.TIGHT.px
        return QSize(large.averageCharWidth() * _FEWEST_LETTERS, height)

    def minimumSizeHint(self) -> QSize:
        """The same: nothing of it depends on what is said."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines in as many words as there is room for."""
        del event
        painter, theme, told = QPainter(self), self._theme, self._told
        if self.underMouse() and told is not headline.NOTHING:
            painter.fillRect(self.rect(), QColor(theme.alternate))
        colours = {None: theme.text, True: theme.good, False: theme.danger}
        plain = theme.faint_text
        first = plain if self._is_older else colours[told.sense.is_good]
        top = float(Gap.TIGHT.px)
        for font, forms, colour in zip(
            _fonts(), (told.large, told.small), (first, plain), strict=True
        ):
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            line = QRectF(Gap.MEDIUM.px, top, self._room, metrics.height())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, self._shown(forms, metrics))
            top += metrics.height()
        if told.share is not None:
            self._draw_bar(painter, told.share, top + Gap.TIGHT.px, QColor(first))
        painter.end()

    @property
    def _room(self) -> float:
        return self.width() - 2.0 * Gap.MEDIUM.px

    def _shown(self, forms: Forms, metrics: QFontMetrics) -> str:
        fits = (form for form in forms if metrics.horizontalAdvance(form) <= self._room)
        return next(fits, "") or fitted(forms[-1], self._room, metrics.horizontalAdvance)

    def _draw_bar(self, painter: QPainter, share: float, top: float, colour: QColor) -> None:
        """The need as a part of the limit, or the limit as a mark in the need."""
        height = self.height() - top - Gap.TIGHT.px
        whole = QRectF(Gap.MEDIUM.px, top, self._room, height)
        painter.fillRect(whole, QColor(self._theme.grid))
        need = QRectF(whole)
        need.setWidth(whole.width() * min(share, 1.0))
        painter.fillRect(need, colour)
        if share > 1:
            mark = QRectF(whole.left() + whole.width() / share - 1, top, 2, height)
            painter.fillRect(mark, QColor(self._theme.base))


def _fonts() -> tuple[QFont, QFont]:
    """Of the large line and of the small one."""
    return font_of(Type.FIGURE), font_of(Type.SMALL)


class HeadlineStrip(QFrame):
    """Always there, always as high; parts stay where they are, whatever they say."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self.setObjectName("headline")
        self.setAccessibleName("Headline")
        row = QHBoxLayout(self)
        arrange(row, (Gap.SMALL, Gap.NONE), Gap.SMALL)
        self.parts = {name: HeadlinePart(title) for name, title, _, _ in _PARTS}
        for name, _, _, share in _PARTS:
            row.addWidget(self.parts[name], share)
        # In the free end of a line, so that nothing moves when it comes and goes.
        self.better = BetterButton(self.parts["search"])
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        store.changed.connect(self._on_changed)
        self._show()

    def set_actions(self, actions: Actions) -> None:
        """Say where each part leads."""
        for name, _, command, _ in _PARTS:
            self.parts[name].lead_to(actions[command])
        self.better.clicked.connect(actions[BETTER].trigger)

    def _on_changed(self, changes: ChangeSet) -> None:
        has_failed = changes.has(Part.JOB) and self._store.job.phase is JobPhase.FAILED
        follows = (
            Part.ANSWER,
            Part.PRICES,
            Part.DOCUMENT,
            Part.DISPLAY,
            Part.GROWTH,
            Part.BETTER,
            Part.COMPARISON,
            Part.RUNS,
        )
        if has_failed or changes.has(*follows):
            self._show()

    def _show(self) -> None:
        store, theme = self._store, self._store.theme
        told = self._told()
        for name, part in self.parts.items():
            part.show_part(getattr(told, name), theme, is_older=not store.is_current)
        self.better.tell(better_forms(store.answer, store.better.answer), _TIP)
        sheet = (
            f"#headline {{ background: {theme.base}; border: none;"
            f" border-bottom: 1px solid {theme.grid}; }}"
        )
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)

    def _told(self) -> Headline:
        store = self._store
        answer = store.answer
        change = headline.change_part(
            answer,
            store.compared.kept,
            store.compared.of(answer),
            headline.before_of(store.history, store.runs.runs),
        )
        search = headline.search_part(
            answer,
            store.better.answer,
            is_stopped=store.growth.is_stopped,
            is_live=store.is_current and store.job.phase is not JobPhase.FAILED,
        )
        return headline.headline_of(store.document, answer, store.display, change, search)
