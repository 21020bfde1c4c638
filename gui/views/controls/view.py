"""The panel of knobs: every change asks the compiler again by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from core.api import targets
from core.base.errors import CoreError, OptionError
from core.base.sentences import capitalised
from core.base.size import parse_size
from core.ir import knobs
from core.ir.options import Engine
from core.ir.settings import Settings
from core.target.config import Catalogue
from core.target.target import Target
from gui.document.changes import ChangeSet, Part
from gui.present.boards import assumed_text, board_of, in_project, on_board
from gui.present.boards import choices as board_choices
from gui.present.compiled import fixed_knobs
from gui.present.controls import (
    SizeText,
    applied,
    applied_title,
    asked,
    offered,
    own_limit,
    resolvable,
    verdict_of,
    without_effect,
)
from gui.present.limits import Trials, scale_for
from gui.present.units import size
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.views.controls.config_list import ConfigList
from gui.views.controls.inks import paint_text
from gui.views.controls.knob_row import KnobRow
from gui.views.controls.limit_block import LimitBlock
from gui.widgets.choice_box import ChoiceBox
from gui.widgets.patient import Patient

_LIMIT, _CONFIGS = "limit_bytes", "configs"
_BOXED = tuple(knob for knob in knobs.KNOBS if knob.name not in (_LIMIT, _CONFIGS))
"""Knobs that a drop-down list turns."""
_NO_REASON = "-"


class ControlsView(Patient):
    """All settings of the document, what came of them, and what has no effect."""

    NAME = "controls"
    TITLE = "Controls"
    PARTS: ClassVar = frozenset({Part.DOCUMENT, Part.ANSWER, Part.DISPLAY})
    ECHO = NAME

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, parent)
        self.trials = Trials()
        self._said: Mapping[str, str] = {}
        """What was refused or set back by the last thing that was asked, by knob."""
        self._is_taken = False
        """Whether what was asked here last is taken, and what was typed for it too."""
        self.limit = LimitBlock()
        self.configs = ConfigList()
        self.boxes = {knob.name: ChoiceBox(capitalised(knob.title)) for knob in _BOXED}
        self.rows = {name: KnobRow(box.accessibleName(), box) for name, box in self.boxes.items()}
        self.board = ChoiceBox("Board")
        self.board.show_choices(board_choices(), None)
        self.board_row = KnobRow("Board", self.board)
        self._heads = QLabel("Asked"), QLabel()
        self._rule = _rule()
        self._lay_out()
        self._connect()
        if store.answer is not None:
            self.trials.note(store.answer)
        self.catch_up()

    def _lay_out(self) -> None:
        heads = QHBoxLayout()
        arrange(heads, between=Gap.MEDIUM)
        for head, stretch in zip(self._heads, (11, 9), strict=True):
            heads.addWidget(head, stretch)
        inside = QWidget()
        lines = QVBoxLayout(inside)
        arrange(lines, Gap.MEDIUM, Gap.MEDIUM)
        lines.addLayout(heads)
        for row in (self.board_row, *self.rows.values()):
            lines.addWidget(row)
        lines.addWidget(self.configs)
        lines.addStretch(1)
        area = self._area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        area.setMinimumWidth(inside.minimumSizeHint().width() + bar)
        # The limit stays in sight while the rest scrolls: it is what is turned most.
        fixed = QVBoxLayout()
        arrange(fixed, Gap.MEDIUM, Gap.MEDIUM)
        fixed.addWidget(self.limit)
        fixed.addWidget(self._rule)
        whole = QVBoxLayout(self)
        arrange(whole, between=Gap.NONE)
        whole.addLayout(fixed)
        whole.addWidget(area, 1)
        self.setFocusProxy(self.limit.slider)

    def _connect(self) -> None:
        for field, box in self.boxes.items():
            box.chosen.connect(lambda value, field=field: self.ask(field, value))
        self.board.chosen.connect(self.ask_board)
        self.configs.asked.connect(self.ask_files)
        self.limit.asked.connect(lambda limit: self.ask(_LIMIT, limit))
        self.limit.dragged.connect(lambda limit: self.ask(_LIMIT, limit, "limit slider"))
        self.limit.let_go.connect(self._store.settle)
        self.limit.given_up.connect(self._forget)
        self.limit.typed.connect(self.ask_limit)
        # Before anything of it is shown.
        self._store.changed.connect(self._note)
        self.follow(self.show_parts)

    def go_to(self, field: str) -> None:
        """Bring a knob in sight, and let keys turn it."""
        parts = {_LIMIT: self.limit.slider, _CONFIGS: self.configs}
        part = parts.get(field) or self.boxes[field]
        self._area.ensureWidgetVisible(part)
        part.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def ask(self, field: str, value: Any, merge_key: str = "") -> None:
        """Turn a knob; where that cannot be, say why under it and change nothing."""
        document = self._store.document
        settings = knobs.turned(document.settings, {field: value})
        set_back: tuple[str, ...] = ()
        try:
            if field == "accelerator":
                settings, set_back = resolvable(settings)
            else:
                settings.target()
        except OptionError as error:
            self._refuse(field, str(error))
            return
        changed = document.with_settings(settings)
        label = knobs.knob_named(field).title
        self._store.edit(changed, label, merge_key=merge_key, initiator=self.NAME)
        names = " and ".join(knobs.knob_named(name).title for name in set_back)
        self._said = {field: f"{names} set back to the default"} if set_back else {}
        self._show_own(is_taken=True)

    def ask_board(self, name: str | None) -> None:
        """Ask for all that a board stands for; without one, its figures stay as they are."""
        if name is not None:
            board = targets.board_named(name)
            changed = on_board(self._store.document, board)
            self._store.edit(changed, f"Schedule for {board.title}", initiator=self.NAME)
        self._said = {}
        self._show_own(is_taken=True)

    def ask_files(self, paths: tuple[str, ...]) -> None:
        """Ask for files of configs, or for the target of a project of CMSIS-Toolbox among them."""
        project = next(filter(targets.is_project, paths), None)
        if project is None:
            self.ask(_CONFIGS, paths)
            return
        document = self._store.document
        try:
            found = targets.read_project(Path(project))
            settings = in_project(document.settings, found)
            settings.target()
        except CoreError as error:
            self._refuse(_CONFIGS, str(error))
            return
        label = f"Schedule for {found.name}"
        self._store.edit(document.with_settings(settings), label, initiator=self.NAME)
        self._said = {_CONFIGS: "; ".join(found.remarks)}
        self._show_own(is_taken=True)

    def ask_limit(self, text: str) -> None:
        """Ask for the limit that a text names, or for the memory mode's own."""
        try:
            limit = parse_size(text) if text else None
        except OptionError as error:
            self._refuse(_LIMIT, str(error))
        else:
            self.ask(_LIMIT, limit)

    def _refuse(self, field: str, reason: str) -> None:
        self._said = {field: reason}
        self._show_own()

    def _forget(self) -> None:
        """Say no more of what was refused."""
        self._said = {}
        self._show_own()

    def _show_own(self, *, is_taken: bool = False) -> None:
        """Show what came of what was asked here: also a command asks so, maybe out of sight."""
        self._is_taken = is_taken
        self.heed({Part.DOCUMENT})

    def _note(self, change: ChangeSet) -> None:
        """Remember what each limit came to, in sight or not, and forget what is overtaken."""
        if change.has(Part.ANSWER) and self._store.answer is not None:
            self.trials.note(self._store.answer)
        if change.has(Part.DOCUMENT) and change.initiator != self.NAME:
            self._said = {}

    def show_parts(self, _parts: frozenset[Part]) -> None:
        """Show the document, the answer, and what was refused."""
        is_taken, self._is_taken = self._is_taken, False
        settings = self._store.document.settings
        said = dict(self._said)
        try:
            target: Target | None = settings.target()
        except OptionError as error:
            # A command line or a file that has changed can ask for what is not there.
            target = None
            said.setdefault("memory_mode", str(error))
        self._show_asked(settings, target, is_taken=is_taken)
        self._show_applied(settings, target)
        self._show_limit(settings, target)
        for field, row in self.rows.items():
            row.error.say(said.get(field, ""))
        self.configs.error.say(said.get(_CONFIGS, ""))
        self.limit.error.say(said.get(_LIMIT, ""))
        self._set_theme()

    def _show_asked(self, settings: Settings, target: Target | None, *, is_taken: bool) -> None:
        catalogue, size_text = _catalogue(settings), self._size_text
        for knob in _BOXED:
            choices = offered(knob, settings, self._store.answer, catalogue, size_text)
            self.boxes[knob.name].show_choices(choices, knob.value(settings))
            # The other engine has none of these, and the panel is long.
            is_seen = knob.engine is not Engine.PARETO or knob.suits(settings)
            self.rows[knob.name].setVisible(is_seen)
        board = board_of(settings)
        self.board.show_choices(board_choices(), None if board is None else board.name)
        self.board_row.show_applied(assumed_text(board), is_older=False)
        self.configs.show_paths(settings.configs)
        limit = own_limit(target) if target else settings.limit_bytes
        is_own = settings.limit_bytes is None
        self.limit.show_limit(limit, is_own=is_own, is_taken=is_taken)

    def _show_applied(self, settings: Settings, target: Target | None) -> None:
        store, unit = self._store, self._store.display.byte_unit
        answer, size_text = store.answer, self._size_text
        done = applied(answer, size_text) if answer else {}
        wanted = asked(settings, target, size_text) if target else {}
        idle = without_effect(store.document, target, answer, unit) if target else {}
        fixed_by = fixed_knobs(store.document, answer).get("accelerator", "")
        self.board_row.show_effect(fixed_by, is_fixed=bool(fixed_by))
        fixed, last = fixed_knobs(store.document, answer), _NO_REASON
        for field, row in self.rows.items():
            text = done.get(field, "")
            is_other = bool(text) and not fixed and text != wanted.get(field)
            row.show_applied(text, is_older=is_other)
            row.show_effect(idle.get(field, ""), is_fixed=field in fixed)
            if idle.get(field, "") == last:
                # Of knobs that cannot be turned for one reason, the first tells it.
                row.effect.say("")
            last = fixed.get(field, _NO_REASON)
        is_older = answer is not None and not store.is_current
        self._heads[1].setText(applied_title(answer, is_older=is_older))
        verdict = verdict_of(answer) if answer else None
        self.limit.show_verdict(verdict, unit, is_older=is_older)
        self.limit.show_effect(idle.get(_LIMIT, ""), is_fixed=_LIMIT in fixed)

    @property
    def _size_text(self) -> SizeText:
        return partial(size, unit=self._store.display.byte_unit)

    def _show_limit(self, settings: Settings, target: Target | None) -> None:
        unit = self._store.display.byte_unit
        limit = target.fast_limit_bytes if target else settings.limit_bytes or 0
        slider = self.limit.slider
        slider.show_limit(scale_for(self._store.answer), limit)
        slider.show_marks(
            self.trials.marks(self._store.document),
            lambda mark: mark.text(unit),
            self._size_text,
        )

    def _set_theme(self) -> None:
        theme = self._store.theme
        self.limit.set_theme(theme)
        self.configs.set_theme(theme)
        for row in (self.board_row, *self.rows.values()):
            row.set_theme(theme)
        for head in self._heads:
            paint_text(head, theme.faint_text)
        paint_text(self._rule, theme.grid)


def _catalogue(settings: Settings) -> Catalogue:
    """The names that can be chosen; the presets' alone where a file cannot be read."""
    try:
        return targets.load_configs(map(Path, settings.configs))
    except OptionError:
        return targets.load_configs()


def _rule() -> QFrame:
    rule = QFrame()
    rule.setFrameShape(QFrame.Shape.HLine)
    rule.setFrameShadow(QFrame.Shadow.Plain)
    return rule
