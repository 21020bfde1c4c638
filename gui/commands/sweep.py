"""Commands that make and open sweeps."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command
from gui.present.compiled import is_compiled
from gui.views.tradeoff.view import TradeOffView


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="schedule.make_sweep",
            title="Make a sweep...",
            menu=("Schedule",),
            section=2,
            when=_no_sweep_now,
            run=lambda app: app.sweeps.ask(),
        ),
        Command(
            id="schedule.sweep",
            title="Open a sweep...",
            menu=("Schedule",),
            section=2,
            when=_is_made,
            run=_open_sweep,
        ),
        Command(
            id="schedule.pause_sweep",
            title="Pause the sweep",
            menu=("Schedule",),
            section=2,
            when=_nothing_made,
            label=lambda app: "Go on with the sweep" if _is_paused(app) else "",
            hides=True,
            run=lambda app: app.sweeps.pause_or_go_on(),
        ),
        Command(
            id="schedule.stop_sweep",
            title="Stop the sweep",
            menu=("Schedule",),
            section=2,
            when=_nothing_made,
            hides=True,
            run=lambda app: app.sweeps.stop(),
        ),
    )


def _is_made(app: App) -> str:
    return "a sweep is being made" if app.store.swept.making else ""


def _nothing_made(app: App) -> str:
    return "" if app.store.swept.making else "no sweep is being made"


def _is_paused(app: App) -> bool:
    making = app.store.swept.making
    return making is not None and making.is_paused


def _no_sweep_now(app: App) -> str:
    if app.store.document.model is None:
        return "no model is open"
    if is_compiled(app.store.answer):
        return "what is open is a compiled model already"
    return _is_made(app)


def _open_sweep(app: App) -> None:
    app.panels.show_panel(TradeOffView.NAME)
    app.files.ask_sweep()
