"""Commands that prove what is shown with inputs of the user's own."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command
from gui.present.compiled import is_compiled
from gui.views.proof.view import ProofView

_MENU = ("Schedule", "Prove with your own inputs")


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="schedule.prove_file",
            title="Of a file...",
            menu=_MENU,
            section=2,
            when=_obstacle,
            run=lambda app: app.view(ProofView).file_wanted.emit(),
        ),
        Command(
            id="schedule.prove_folder",
            title="Of a folder...",
            menu=_MENU,
            section=2,
            when=_obstacle,
            run=lambda app: app.view(ProofView).folder_wanted.emit(),
        ),
        Command(
            id="schedule.stop_proof",
            title="Stop the proof",
            menu=("Schedule",),
            section=2,
            when=lambda app: "" if app.store.proofs.making else "nothing is being proved",
            hides=True,
            run=lambda app: app.view(ProofView).given_up.emit(),
        ),
    )


def _obstacle(app: App) -> str:
    answer = app.store.answer
    if answer is None or not app.store.is_current:
        return "there is no schedule of what is asked for now"
    if not is_compiled(answer) and not answer.scheduled.graph.islands:
        return "no operator runs on the NPU: there is nothing to prove"
    return "a proof is being made" if app.store.proofs.making else ""
