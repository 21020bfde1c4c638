"""What the strip says of failures and of work that was broken off."""

from __future__ import annotations

from pathlib import Path

from gui.document.answer import Failure, FailureKind
from gui.document.problem import Deed, Lasts, Problem
from gui.document.session import Session

ANSWER_KEY = "answer"
OFFER_KEY = "session"
EDITS_KEY = "edits"

_AGAIN = Deed("schedule.again")
_UNDO = Deed("edit.undo")
_REPORT = Deed("help.report", "Report...")


def problem_of(failure: Failure, *, can_undo: bool, is_model_there: bool) -> Problem:
    """Why there is no answer, and what helps."""
    advice, deeds = _help(failure, can_undo=can_undo, is_model_there=is_model_there)
    return Problem(
        key=ANSWER_KEY,
        message=sentence(failure.message),
        advice=advice,
        deeds=deeds,
        lasts=Lasts.ANSWER,
        is_note=failure.kind is FailureKind.CANCELLED,
    )


def _help(
    failure: Failure, *, can_undo: bool, is_model_there: bool
) -> tuple[str, tuple[Deed, ...]]:
    undo = (_UNDO,) if can_undo else ()
    match failure.kind:
        case FailureKind.CANCELLED:
            return "", (_AGAIN, *undo)
        case FailureKind.ENDED:
            return "Ask again; if it ends again, other settings may do.", (_AGAIN, *undo, _REPORT)
        case FailureKind.FAULT:
            return "This is a fault of Reefpoint; its developers need the report.", (_REPORT, *undo)
        case FailureKind.REFUSED:
            pass
    if not is_model_there:
        return "Show where the model is now, or open another.", (
            Deed("file.find_model", "Find it..."),
            Deed("file.open"),
        )
    if can_undo:
        return "Take the last change back, or ask for something else.", undo
    return "Ask for something else, or open another model.", (Deed("file.open"),)


def edits_ignored() -> Problem:
    """What is shown is not what was decided."""
    return Problem(
        key=EDITS_KEY,
        message="All edits are ignored for now: this is what the search finds without them.",
        deeds=(Deed("edits.ignore", "Heed them again"),),
        lasts=Lasts.MODEL,
        is_note=True,
    )


def unreadable(path: str, why: str = "") -> Problem:
    """A file cannot be opened."""
    return Problem(
        key=f"file {path}", message=sentence(why), deeds=(Deed("file.open"),), lasts=Lasts.MODEL
    )


def not_opened(path: str, why: str, kept: str) -> Problem:
    """A file turned out to be no model that can be shown; another stays open."""
    return Problem(
        key=unreadable(path).key,
        message=sentence(why),
        advice=f"{kept} stays open." if kept else "",
        deeds=(Deed("file.open"),),
        lasts=Lasts.MODEL,
    )


def decisions_left_out(path: str) -> Problem:
    """Something else is opened than what decisions of the command line are about."""
    message = f"What was decided about {Path(path).name} is left out: this is another model."
    return Problem(key="left out", message=message, is_note=True, lasts=Lasts.MODEL)


def not_beside(why: str) -> Problem:
    """A model cannot be in the device of the one that is open."""
    return Problem(
        key="beside",
        message=sentence(why),
        advice="All is as it was before.",
        deeds=(Deed("file.beside"),),
        lasts=Lasts.MODEL,
    )


def not_two(count: int) -> Problem:
    """More files were chosen than can be compared."""
    return Problem(
        key="two files",
        message=f"Two files are compared with each other, and {count} were chosen.",
        deeds=(Deed("compare.two"),),
        lasts=Lasts.MODEL,
    )


def offer_of(session: Session, when: str, obstacle: str, others: int) -> Problem:
    """Work of a process that was ended, to be gone on with or not."""
    name = session.model.name if session.model else "no model"
    more = f" {others} more after this one." if others else ""
    return Problem(
        key=OFFER_KEY,
        message=f"Reefpoint was ended while {name} was open: last change {when}{_steps(session)}.",
        advice=f"{obstacle}{more}".strip(),
        deeds=(Deed("file.restore_session", "Restore"), Deed("file.dismiss_session", "Dismiss")),
        is_note=True,
        put_away="file.dismiss_session",
    )


def _steps(session: Session) -> str:
    steps = len(session.history.past)
    if not steps:
        return ""
    return ", 1 step can be undone" if steps == 1 else f", {steps} steps can be undone"


def changed_note(name: str) -> Problem:
    """A model is not what it was when the work was left."""
    return Problem(
        key="changed model",
        message=f"{name} has changed since the session was left.",
        advice="What is shown is made of the file as it is now.",
        lasts=Lasts.MODEL,
        is_note=True,
    )


def whereabouts(path: str) -> str:
    """That a model is gone, and from where."""
    found = Path(path)
    return f"{found.name} is not in {found.parent} any more; restore, and show where it is."


def sentence(text: str) -> str:
    """A text that ends as a sentence does."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
