"""The panel of knobs: every change asks the compiler again by itself."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from core.base.errors import OptionError
from core.base.size import parse_size
from core.ir.options import (
    Allocator,
    Engine,
    EvictionPolicy,
    ParetoMetric,
    Search,
    Strategy,
)
from core.target.target import Target
from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.display import ByteUnit
from gui.document.settings import Settings, turned, value_of
from gui.present.compiled import fixed_knobs
from gui.present.controls import (
    MEANINGS,
    PARETO_KNOBS,
    PERMISSIONS,
    SIGNS,
    applied,
    applied_title,
    asked,
    own_limit,
    point_choices,
    point_text,
    resolvable,
    verdict_of,
    without_effect,
)
from gui.present.limits import Trials, scale_for
from gui.present.units import size
from gui.state.store import Store
from gui.views.controls.config_list import ConfigList
from gui.views.controls.inks import paint_text
from gui.views.controls.knob_row import KnobRow
from gui.views.controls.limit_block import LimitBlock
from gui.widgets.choice_box import Choice, ChoiceBox

_TITLES = {
    "accelerator": "Accelerator",
    "system_config": "System config",
    "memory_mode": "Memory mode",
    "engine": "Engine",
    "pareto.most_bytes": "Schedule of the front",
    "pareto.metric": "Pareto metric",
    "pareto.cascading": "Cascades",
    "pareto.ifm_streaming": "IFM streaming",
    "pareto.overlap": "IFM and OFM overlap",
    "strategy": "Strategy",
    "eviction": "Spill policy",
    "search": "Search",
    "allocator": "Allocator",
    "force_symmetric_int_weights": "Signed weights",
}
_LIMIT = "limit_bytes"
_NO_REASON = "-"


class ControlsView(QWidget):
    """All settings of the document, what came of them, and what has no effect."""

    NAME = "controls"
    TITLE = "Controls"

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.trials = Trials()
        self._said: Mapping[str, str] = {}
        """What was refused or set back by the last thing that was asked, by knob."""
        self.limit = LimitBlock()
        self.configs = ConfigList()
        self.boxes = {field: ChoiceBox(title) for field, title in _TITLES.items()}
        self.rows = {field: KnobRow(_TITLES[field], box) for field, box in self.boxes.items()}
        self._heads = QLabel("Asked"), QLabel()
        self._rule = _rule()
        self._lay_out()
        self._connect()
        if store.answer is not None:
            self.trials.note(store.answer)
        self._refresh()

    def _lay_out(self) -> None:
        space = self.fontMetrics().height() // 2
        heads = QHBoxLayout()
        for head, stretch in zip(self._heads, (11, 9), strict=True):
            heads.addWidget(head, stretch)
        inside = QWidget()
        lines = QVBoxLayout(inside)
        lines.setContentsMargins(space, space, space, space)
        lines.setSpacing(space)
        lines.addWidget(self.limit)
        lines.addWidget(self._rule)
        lines.addLayout(heads)
        for row in self.rows.values():
            lines.addWidget(row)
        lines.addWidget(self.configs)
        lines.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        area.setMinimumWidth(inside.minimumSizeHint().width() + bar)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)
        self.setFocusProxy(self.limit.slider)

    def _connect(self) -> None:
        for field, box in self.boxes.items():
            box.chosen.connect(lambda value, field=field: self.ask(field, value))
        self.configs.asked.connect(lambda paths: self.ask("configs", paths))
        self.limit.asked.connect(lambda limit: self.ask(_LIMIT, limit))
        self.limit.dragged.connect(lambda limit: self.ask(_LIMIT, limit, "limit slider"))
        self.limit.let_go.connect(self._store.settle)
        self.limit.given_up.connect(self._forget)
        self.limit.typed.connect(self.ask_limit)
        self._store.changed.connect(self._on_changed)

    def ask(self, field: str, value: Any, merge_key: str = "") -> None:
        """Turn a knob; where that cannot be, say why under it and change nothing."""
        document = self._store.document
        settings = turned(document.settings, field, value)
        set_back: tuple[str, ...] = ()
        try:
            if field == "accelerator":
                settings, set_back = resolvable(settings)
            else:
                settings.target()
        except OptionError as error:
            self._refuse(field, str(error))
            return
        changed = replace(document, settings=settings)
        label = _title(field)
        self._store.edit(changed, label, merge_key=merge_key, initiator=self.NAME)
        names = " and ".join(_title(name) for name in set_back)
        self._said = {field: f"{names} set back to the default"} if set_back else {}
        self._refresh(is_taken=True)

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
        self._refresh()

    def _forget(self) -> None:
        """Say no more of what was refused."""
        self._said = {}
        self._refresh()

    def _on_changed(self, change: ChangeSet) -> None:
        if change.has(Part.ANSWER) and self._store.answer is not None:
            self.trials.note(self._store.answer)
        if change.initiator == self.NAME:
            return
        if change.has(Part.DOCUMENT):
            self._said = {}
        if change.has(Part.DOCUMENT, Part.ANSWER, Part.DISPLAY):
            self._refresh()

    def _refresh(self, *, is_taken: bool = False) -> None:
        """Show the document, the answer, and what was refused."""
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
        self.configs.error.say(said.get("configs", ""))
        self.limit.error.say(said.get(_LIMIT, ""))
        self._set_theme()

    def _show_asked(self, settings: Settings, target: Target | None, *, is_taken: bool) -> None:
        unit = self._store.display.byte_unit
        choices = _choices(settings) | _pareto_choices(settings, self._store.answer, unit)
        for field, box in self.boxes.items():
            box.show_choices(choices[field], value_of(settings, field))
        for field in PARETO_KNOBS:
            # The other engine has none of them, and the panel is long.
            self.rows[field].setVisible(settings.engine is Engine.PARETO)
        self.configs.show_paths(settings.configs)
        limit = own_limit(target) if target else settings.limit_bytes
        is_own = settings.limit_bytes is None
        self.limit.show_limit(limit, is_own=is_own, is_taken=is_taken)

    def _show_applied(self, settings: Settings, target: Target | None) -> None:
        store, unit = self._store, self._store.display.byte_unit
        answer = store.answer
        done = applied(answer, unit) if answer else {}
        wanted = asked(settings, target, unit) if target else {}
        idle = without_effect(store.document, target, answer, unit) if target else {}
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

    def _show_limit(self, settings: Settings, target: Target | None) -> None:
        unit = self._store.display.byte_unit
        limit = target.fast_limit_bytes if target else settings.limit_bytes or 0
        slider = self.limit.slider
        slider.show_limit(scale_for(self._store.answer), limit)
        slider.show_marks(
            self.trials.marks(self._store.document),
            lambda mark: mark.text(unit),
            lambda size_bytes: size(size_bytes, unit),
        )

    def _set_theme(self) -> None:
        theme = self._store.theme
        self.limit.set_theme(theme)
        self.configs.set_theme(theme)
        for row in self.rows.values():
            row.set_theme(theme)
        for head in self._heads:
            paint_text(head, theme.faint_text)
        paint_text(self._rule, theme.grid)


def _title(field: str) -> str:
    """A knob's name within a sentence."""
    return "SRAM limit" if field == _LIMIT else _TITLES.get(field, "Config files").lower()


def _choices(settings: Settings) -> dict[str, tuple[Choice, ...]]:
    """What knobs can be set to."""
    try:
        catalogue = targets.load_configs(map(Path, settings.configs))
    except OptionError:
        catalogue = targets.load_configs()
    return {
        "accelerator": tuple(Choice(name, name) for name in targets.ACCELERATORS),
        "system_config": _named(catalogue.system_configs),
        "memory_mode": _named(catalogue.memory_modes),
        "engine": _members(Engine),
        "strategy": _members(Strategy),
        "eviction": _members(EvictionPolicy),
        "search": _members(Search),
        "allocator": _members(Allocator),
        "force_symmetric_int_weights": tuple(Choice(text, value) for value, text in SIGNS.items()),
    }


def _pareto_choices(
    settings: Settings, answer: Answer | None, unit: ByteUnit
) -> dict[str, tuple[Choice, ...]]:
    """What knobs of the Pareto engine can be set to."""
    points = point_choices(settings, answer)
    return {
        "pareto.metric": _members(ParetoMetric),
        "pareto.most_bytes": tuple(Choice(point_text(most, unit), most) for most in points),
        **{
            field: tuple(Choice(text, value) for value, text in texts.items())
            for field, texts in PERMISSIONS.items()
        },
    }


def _members(kinds: type[enum.Enum]) -> tuple[Choice, ...]:
    return tuple(Choice(str(kind.value), kind, MEANINGS[kind]) for kind in kinds)


def _named(names: tuple[str, ...]) -> tuple[Choice, ...]:
    return (Choice("default", None), *(Choice(name, name) for name in names))


def _rule() -> QFrame:
    rule = QFrame()
    rule.setFrameShape(QFrame.Shape.HLine)
    rule.setFrameShadow(QFrame.Shadow.Plain)
    return rule
