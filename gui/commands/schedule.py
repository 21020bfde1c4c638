"""Commands that ask the compiler for something else."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from core.api import targets
from core.base.errors import OptionError
from core.base.sentences import capitalised
from core.ir import knobs
from core.ir.knob import Knob, Number, Switch, Value
from core.ir.options import Engine, Strategy
from core.ir.settings import Settings
from core.target.config import Catalogue
from gui.commands.app import App
from gui.commands.command import Command
from gui.document.answer import Answer
from gui.present.compiled import fixed_knobs
from gui.present.runs.best import better_forms, growth_obstacle
from gui.present.runs.front import by_strategy, is_by_strategy
from gui.present.units import size
from gui.views.controls.view import ControlsView

LIMIT_STEP_BYTES = 16 << 10

_MOST_FAULTS = 1024
_NAMES_THAT_GO_TOGETHER = ("system_config", "memory_mode")


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    presets = targets.load_configs()
    return (
        *_limits(),
        _size_instead_of_speed(),
        *(command for knob in knobs.KNOBS for command in _turns(knob, presets)),
        _by_strategy(),
        Command(
            id="schedule.configs",
            title="Add config files...",
            menu=("Schedule",),
            section=1,
            when=lambda app: fixed(app, "configs"),
            run=lambda app: app.view(ControlsView).configs.choose(),
        ),
        Command(
            id="schedule.boards",
            title="Boards that it fits...",
            menu=("Schedule",),
            section=1,
            when=_board_obstacle,
            run=lambda app: app.boards.ask(),
        ),
        Command(
            id="schedule.again",
            title="Schedule again",
            menu=("Schedule",),
            section=2,
            keys=("F9",),
            when=lambda app: "" if app.store.document.model else "no model is open",
            run=lambda app: app.rerun(),
        ),
        *_growth(),
        Command(
            id="schedule.cancel",
            title="Cancel",
            menu=("Schedule",),
            section=2,
            keys=("Ctrl+.",),
            when=_nothing_to_cancel,
            run=lambda app: app.cancel(),
        ),
    )


def _growth() -> tuple[Command, ...]:
    """Whether the search goes on, and what it has found."""
    return (
        Command(
            id="schedule.grow",
            title="Stop improving, or go on",
            menu=("Schedule",),
            section=2,
            when=lambda app: growth_obstacle(app.store.answer),
            run=lambda app: app.store.growth.switch(),
            label=_growth_label,
        ),
        Command(
            id="schedule.better",
            title="Show the better schedule",
            menu=("Schedule",),
            section=2,
            keys=("Shift+F9",),
            when=_better_obstacle,
            run=lambda app: app.store.better.show(),
        ),
    )


def _better_obstacle(app: App) -> str:
    """What waits and is only more of the front is offered nowhere."""
    store = app.store
    return "" if better_forms(store.answer, store.better.answer) else "nothing better waits"


def _growth_label(app: App) -> str:
    return "Go on improving" if app.store.growth.is_stopped else "Stop improving"


def _limits() -> tuple[Command, ...]:
    return (
        Command(
            id="schedule.limit_down",
            title="Lower the SRAM limit",
            menu=("Schedule",),
            keys=("Ctrl+Down",),
            when=lambda app: _limit_obstacle(app, -1),
            run=lambda app: _step(app, -1),
        ),
        Command(
            id="schedule.limit_up",
            title="Raise the SRAM limit",
            menu=("Schedule",),
            keys=("Ctrl+Up",),
            when=lambda app: _limit_obstacle(app, 1),
            run=lambda app: _step(app, 1),
        ),
        Command(
            id="schedule.limit_default",
            title="SRAM limit of the memory mode",
            menu=("Schedule",),
            when=_own_limit_obstacle,
            run=lambda app: change(app, "limit_bytes", None),
        ),
    )


def _size_instead_of_speed() -> Command:
    def is_on(app: App) -> bool:
        return app.store.document.settings.options.strategy is Strategy.SIZE

    def run(app: App) -> None:
        change(app, "strategy", Strategy.PERFORMANCE if is_on(app) else Strategy.SIZE)

    return Command(
        id="schedule.strategy",
        title="Small rather than fast",
        menu=("Schedule",),
        section=1,
        keys=("Ctrl+T",),
        when=lambda app: fixed(app, "strategy"),
        is_on=is_on,
        run=run,
    )


def _turns(knob: Knob, presets: Catalogue) -> tuple[Command, ...]:
    """The commands that turn a knob: one for each choice, or one that switches."""
    if isinstance(knob.takes, Switch):
        return (_switch(knob, knob.takes),)
    choices = (choice for choice in knob.choices(presets) if choice.value is not None)
    return tuple(_choice(knob, choice) for choice in choices)


def _menu(knob: Knob) -> tuple[str, str]:
    is_shared = knob.engine is Engine.PARETO and not isinstance(knob.takes, Number)
    return "Schedule", "Pareto engine" if is_shared else capitalised(knob.title)


def _choice(knob: Knob, choice: Value) -> Command:
    return Command(
        id=f"schedule.{knob.name}.{choice.text}",
        title=choice.text,
        menu=_menu(knob),
        section=1,
        is_choice=True,
        when=lambda app: (
            _obstacle(app, knob) or obstacle(app.store.document.settings, knob.name, choice.value)
        ),
        is_on=lambda app: applied(app.store.document.settings, knob.name) == choice.value,
        run=lambda app: change(app, knob.name, choice.value),
    )


def _switch(knob: Knob, switch: Switch) -> Command:
    def is_on(app: App) -> bool:
        return bool(knob.value(app.store.document.settings))

    return Command(
        id=f"schedule.{knob.name}",
        title=capitalised(switch.deed),
        menu=_menu(knob) if knob.engine else ("Schedule",),
        section=2 if knob.engine else 1,
        when=lambda app: _obstacle(app, knob),
        is_on=is_on,
        run=lambda app: change(app, knob.name, not is_on(app)),
    )


def _by_strategy() -> Command:
    """The way back from a schedule that was adopted, or from a limit of bytes in a front."""
    knob = knobs.knob_named("pareto.most_bytes")

    def obstacle_now(app: App) -> str:
        is_own = is_by_strategy(app.store.document)
        return "no schedule of the front was adopted" if is_own else ""

    def run(app: App) -> None:
        app.store.edit(by_strategy(app.store.document), "Let the strategy choose from the front")

    return Command(
        id=f"schedule.{knob.name}",
        title="Let the strategy choose from the front",
        menu=_menu(knob),
        section=3,
        when=obstacle_now,
        run=run,
    )


def _obstacle(app: App, knob: Knob) -> str:
    """Why a knob cannot be turned at all, or not while the other engine is asked."""
    if told := fixed(app, knob.name):
        return told
    if knob.engine is None or knob.suits(app.store.document.settings):
        return ""
    return f"only the {capitalised(knob.engine.value)} engine can be told this"


def _board_obstacle(app: App) -> str:
    if app.store.document.model is None:
        return "no model is open"
    return fixed(app, "accelerator")


def change(app: App, field: str, value: Any) -> None:
    """Ask for another setting as the controls do, which say so if it cannot be had."""
    app.view(ControlsView).ask(field, value)


def fixed(app: App, field: str) -> str:
    """Why a setting cannot be turned at all while a compiled model is open; empty where it can."""
    return fixed_knobs(app.store.document, app.store.answer).get(field, "")


def obstacle(settings: Settings, field: str, choice: Any) -> str:
    """Why the accelerator's other names do not go with one; empty where they do."""
    if field not in _NAMES_THAT_GO_TOGETHER:
        return ""
    wanted = {name: getattr(settings, name) for name in ("accelerator", *_NAMES_THAT_GO_TOGETHER)}
    wanted[field] = choice
    # A file may change at any time; the presets do not, and are asked about after every change.
    find = _fault if settings.configs else _known_fault
    return find(settings.configs, *wanted.values())


def _fault(
    configs: tuple[str, ...], accelerator: str, system_config: str | None, memory_mode: str | None
) -> str:
    try:
        Settings(
            configs=configs,
            accelerator=accelerator,
            system_config=system_config,
            memory_mode=memory_mode,
        ).target()
    except OptionError as error:
        return str(error)
    return ""


_known_fault = lru_cache(maxsize=_MOST_FAULTS)(_fault)


def applied(settings: Settings, field: str) -> Any:
    """A setting; where it is left to the accelerator, what that makes of it."""
    asked = knobs.knob_named(field).value(settings)
    if asked is not None or field not in _NAMES_THAT_GO_TOGETHER:
        return asked
    target = _target(settings)
    if target is None:
        return None
    return target.system.name if field == "system_config" else target.mode.name


def _target(settings: Settings) -> Any:
    try:
        return settings.target()
    except OptionError:
        return None


def _limit_obstacle(app: App, direction: int) -> str:
    settings = app.store.document.settings
    if told := fixed(app, "limit_bytes"):
        return told
    target = _target(settings)
    if target is None:
        return "the target is not known"
    limit = target.fast_limit_bytes
    if stepped(limit, fast_height(app.store.answer), most(target), direction) == limit:
        return f"the limit is {size(limit)} already"
    return ""


def _own_limit_obstacle(app: App) -> str:
    if app.store.document.settings.limit_bytes is None:
        return "no other limit is set"
    return fixed(app, "limit_bytes")


def _step(app: App, direction: int) -> None:
    target = _target(app.store.document.settings)
    limit = stepped(target.fast_limit_bytes, fast_height(app.store.answer), most(target), direction)
    change(app, "limit_bytes", limit)


def most(target: Any) -> int:
    """The highest limit that can be asked for."""
    highest: int = target.accelerator.max_address
    return highest


def fast_height(answer: Answer | None) -> int:
    """Bytes of fast storage that an answer uses."""
    if answer is None:
        return 0
    areas = answer.scheduled.layout.areas
    return max((area.height_bytes for area in areas if area.limit_bytes is not None), default=0)


def stepped(limit: int, height: int, highest: int, direction: int) -> int:
    """The next limit up or down; from far above what is used, the first step down just fits."""
    step = LIMIT_STEP_BYTES
    if direction > 0:
        return min((limit // step + 1) * step, highest)
    fitting = -(-height // step) * step
    if height and limit > fitting:
        return fitting
    return max((limit - 1) // step * step, min(step, limit))


def _nothing_to_cancel(app: App) -> str:
    is_busy = app.store.job.is_busy
    return "" if is_busy else "nothing runs"
