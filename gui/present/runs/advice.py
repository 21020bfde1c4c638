"""Advice as the window tells it; no Qt."""

from __future__ import annotations

from core.api import advices
from core.api.advices import Tip, Topic
from core.base.frozen import NamedTuple
from core.base.sentences import capitalised
from gui.document.answer import Answer
from gui.document.document import Document
from gui.present.compiled import is_compiled

HEADERS = ("What it brings, as it was found", "What to ask for")
_MOST_CAUSES = 8
NOTHING = (
    "Nothing is advised yet.\n\n"
    "What would help is tried once there is a schedule and this panel is in sight; it goes on in"
    " the background, also behind another tab."
)


class Taken(NamedTuple):
    """The document that a tip makes, and the step's name for undo."""

    document: Document
    label: str


def rows_of(
    tips: tuple[Tip, ...], document: Document, answer: Answer
) -> tuple[tuple[str, str], ...]:
    """One row for each: what it brings, what to ask for."""
    asked, graph = document.asked, answer.scheduled.graph
    return tuple(
        (
            capitalised(advices.effect_text(tip) + _cost(tip)),
            capitalised(advices.deed_text(tip, asked, graph)) + _because(tip),
        )
        for tip in tips
    )


def _because(tip: Tip) -> str:
    text = advices.because_text(tip)
    return f" ({text})" if text else ""


def _cost(tip: Tip) -> str:
    """What is to be known before it is taken."""
    return "; of another memory layout of the board" if tip.topic is Topic.MODE else ""


def state_text(
    answer: Answer | None,
    tips: tuple[Tip, ...],
    tried: tuple[int, int] | None,
    *,
    is_done: bool,
    is_stopped: bool = False,
) -> str:
    """How far the trials are, and how many of them help."""
    if is_compiled(answer):
        return "A compiled model stays as it is: nothing is tried."
    found = f"{len(tips)} would help" if tips else "nothing helps so far"
    if is_done:
        return f"{found}; all was tried" if tips else "Nothing that was tried helps"
    if is_stopped:
        return f"stopped; {found}"
    done, total = tried or (0, 1)
    if total == 1:
        return "getting ready: what is shown is searched once more, to hold trials against it"
    return f"trying {done + 1} of {total}; {found}"


def cpu_text(answer: Answer | None) -> str:
    """Operators on the CPU and what a model would need to have instead; empty where there is none.
    Of a compiled model, what it shows that would help.

    That is no trial, so that it stands beside the table.
    """
    if answer is not None and is_compiled(answer):
        # Its operators on the CPU are whatever is between its streams.
        hints = answer.scheduled.hints
        return (
            "\n".join(("What it shows itself:", *(f"• {hint}" for hint in hints))) if hints else ""
        )
    lines = [] if answer is None else advices.cpu_lines(answer.scheduled.graph)
    if not lines:
        return ""
    more = len(lines) - _MOST_CAUSES
    rest = [f"and {more:,} more, which Operators has"] if more > 0 else []
    return "\n".join(("On the CPU:", *(f"• {line}" for line in lines[:_MOST_CAUSES]), *rest))


def taken(document: Document, tip: Tip, answer: Answer) -> Taken:
    """The document that asks for a tip."""
    text = advices.deed_text(tip, document.asked, answer.scheduled.graph)
    return Taken(document.with_settings(tip.settings), f"Take the advice: {text}")
