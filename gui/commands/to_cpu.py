"""Commands that put operators on the CPU on purpose."""

from __future__ import annotations

from core.api import networks
from gui.commands.app import App
from gui.commands.command import Command
from gui.commands.schedule import change, fixed

_KNOB = "to_cpu"


def commands() -> tuple[Command, ...]:
    """All of them."""
    return (
        Command(
            id="schedule.to_cpu",
            title="Put the selected operators on the CPU",
            menu=("Schedule",),
            section=1,
            when=_obstacle,
            run=lambda app: change(app, _KNOB, tuple(dict.fromkeys((*_asked(app), *_words(app))))),
        ),
        Command(
            id="schedule.to_cpu.none",
            title="Put nothing on the CPU on purpose",
            menu=("Schedule",),
            section=1,
            when=lambda app: "" if _asked(app) else "nothing is on the CPU on purpose",
            run=lambda app: change(app, _KNOB, ()),
        ),
    )


def _asked(app: App) -> tuple[str, ...]:
    return app.store.document.settings.options.to_cpu


def _words(app: App) -> tuple[str, ...]:
    """What names the operators of the file that the selected ones do the work of."""
    answer = app.store.answer
    if answer is None:
        return ()
    run = answer.scheduled.run
    sources = [ref for op in app.store.selection.ops for ref in run.graph.ops[op].sources]
    return tuple(networks.word_for_cpu(run.network, ref) for ref in sources)


def _obstacle(app: App) -> str:
    if told := fixed(app, _KNOB):
        return told
    return "" if _words(app) else "no operator of the NPU is selected"
