"""Commands about files."""

from __future__ import annotations

from pathlib import Path

from core.ir.together import Calls
from gui.commands import export, session
from gui.commands.app import App
from gui.commands.command import Command
from gui.document.examples import EXAMPLES
from gui.present.company import company_text
from gui.settings.preferences import MOST_RECENTS

_BESIDE = ("File", "In the same device")


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="file.open",
            title="Open...",
            menu=("File",),
            keys=("Ctrl+O",),
            run=lambda app: app.files.ask(),
        ),
        *(_example(path) for path in sorted(EXAMPLES.glob("*.tflite"))),
        *(_recent(position) for position in range(MOST_RECENTS)),
        Command(
            id="file.forget_recents",
            title="Forget these",
            menu=("File", "Open recent"),
            section=1,
            when=lambda app: "" if app.preferences.recents else "no model was opened yet",
            run=lambda app: app.prefer(app.preferences.without_recents()),
        ),
        Command(
            id="file.reload",
            title="Reload",
            menu=("File",),
            keys=("F5", "Ctrl+R"),
            when=_has_model,
            run=lambda app: app.files.reload(),
        ),
        *_beside(),
        *session.commands(),
        *export.commands(),
        *_taken_in(),
        Command(
            id="file.quit",
            title="Quit",
            menu=("File",),
            section=6,
            keys=("Ctrl+Q",),
            run=lambda app: app.close(),
        ),
    )


def _beside() -> tuple[Command, ...]:
    """Other models in the same device."""
    return (
        Command(
            id="file.beside",
            title="Add models...",
            menu=_BESIDE,
            when=_has_model,
            run=lambda app: app.files.beside.ask(),
        ),
        *(_calls(calls) for calls in Calls),
        Command(
            id="file.alone",
            title="Remove the others",
            menu=_BESIDE,
            section=2,
            label=lambda app: f"Remove {company_text(app.store.document)}",
            when=_has_company,
            run=lambda app: app.files.beside.remove(),
        ),
    )


def _calls(calls: Calls) -> Command:
    return Command(
        id=f"file.calls.{calls.value}",
        title=f"Called {calls.value}",
        menu=_BESIDE,
        section=1,
        is_on=lambda app: app.store.document.company.calls is calls,
        is_choice=True,
        when=_has_company,
        run=lambda app: app.files.beside.call(calls),
    )


def _has_company(app: App) -> str:
    return "" if app.store.document.company.models else "no other model is in the device"


def _taken_in() -> tuple[Command, ...]:
    """What is read beside a model."""
    return (
        Command(
            id="file.import_measured",
            title="Import measured cycles...",
            menu=("File",),
            section=5,
            when=_has_schedule,
            run=lambda app: app.files.ask_measured(),
        ),
        Command(
            id="file.forget_measured",
            title="Forget measured cycles",
            menu=("File",),
            section=5,
            when=lambda app: "" if app.store.measurement else "none were imported",
            run=lambda app: app.files.forget_measured(),
        ),
        Command(
            id="file.calibrate",
            title="Calibrate by measurements...",
            menu=("File",),
            section=5,
            run=lambda app: app.calibrations.ask(),
        ),
        Command(
            id="file.decide_as",
            title="Decide as a file does...",
            menu=("File",),
            section=5,
            when=_has_schedule,
            run=lambda app: app.files.ask_decisions(),
        ),
    )


def _has_model(app: App) -> str:
    return "" if app.store.document.model else "no model is open"


def _has_schedule(app: App) -> str:
    return "" if app.store.answer is not None else "there is no schedule yet"


def _example(path: Path) -> Command:
    return Command(
        id=f"file.example.{path.stem}",
        title=path.stem,
        menu=("File", "Open example"),
        run=lambda app: app.files.open(str(path)),
    )


def _recent(position: int) -> Command:
    def path(app: App) -> str:
        recents = app.preferences.recents
        return recents[position] if position < len(recents) else ""

    def label(app: App) -> str:
        found = Path(path(app))
        return f"{found.name} - {found.parent}" if path(app) else ""

    return Command(
        id=f"file.recent.{position + 1}",
        title=f"Recent model {position + 1}",
        menu=("File", "Open recent"),
        label=label,
        hides=True,
        when=lambda app: "" if path(app) else "there is none",
        run=lambda app: app.files.open(path(app)),
    )
