"""Commands about work that was left: each session is a file."""

from __future__ import annotations

from pathlib import Path

from gui.commands.app import App
from gui.commands.command import Command


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="file.find_model",
            title="Find the model...",
            menu=("File",),
            hides=True,
            when=_model_is_there,
            run=lambda app: app.files.find(),
        ),
        Command(
            id="file.restore_session",
            title="Restore the interrupted session",
            menu=("File",),
            section=1,
            hides=True,
            when=_nothing_offered,
            run=lambda app: app.sessions.restore(),
        ),
        Command(
            id="file.dismiss_session",
            title="Dismiss the interrupted session",
            menu=("File",),
            section=1,
            hides=True,
            when=_nothing_offered,
            run=lambda app: app.sessions.dismiss(),
        ),
        Command(
            id="file.reopen_session",
            title="Reopen last session",
            menu=("File",),
            section=1,
            keys=("Ctrl+Shift+O",),
            when=lambda app: "" if app.sessions.has_last else "no session was left",
            run=lambda app: app.sessions.reopen_last(),
        ),
        Command(
            id="file.open_session",
            title="Open session...",
            menu=("File",),
            section=1,
            run=lambda app: app.sessions.ask_open(),
        ),
        Command(
            id="file.save_session",
            title="Save session...",
            menu=("File",),
            section=1,
            keys=("Ctrl+S",),
            when=lambda app: "" if app.store.document.model else "no model is open",
            run=lambda app: app.sessions.ask_save(),
        ),
    )


def _nothing_offered(app: App) -> str:
    return "" if app.sessions.offers else "no session was interrupted"


def _model_is_there(app: App) -> str:
    model = app.store.document.model
    if model is None:
        return "no model is open"
    return "it is where it was" if Path(model.path).is_file() else ""
