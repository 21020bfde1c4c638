"""What a compiled model leaves open, where views would say more of a schedule; no Qt."""

from __future__ import annotations

from collections.abc import Mapping

from core.api import programs
from core.ir.knobs import KNOBS
from gui.document.answer import Answer
from gui.document.document import Document

TITLE = "What a compiled model cannot tell"
STAYS = "a compiled model stays as it is"


def is_compiled(answer: Answer | None) -> bool:
    """Whether an answer was read out of a compiled model."""
    return answer is not None and answer.scheduled.compiled_by is not None


def untold(answer: Answer, *matters: programs.Matter) -> tuple[str, ...]:
    """What it cannot tell of some matters, or of any."""
    return tuple(
        each.text for each in answer.scheduled.untold if not matters or each.matter in matters
    )


def fixed_knobs(document: Document, answer: Answer | None) -> Mapping[str, str]:
    """Why settings cannot be turned while a compiled model is open, by setting."""
    if answer is None or not is_compiled(answer) or answer.document.model != document.model:
        return {}
    name = answer.scheduled.target.accelerator.name
    return {
        **{knob.name: STAYS for knob in KNOBS if knob.is_option},
        "limit_bytes": f"{STAYS}, and does not tell the limit it was made for",
        "accelerator": f"its command streams are for {name}",
    }


def origin(answer: Answer) -> str:
    """Who has made what is shown."""
    made_by = answer.scheduled.compiled_by
    return "scheduled by Reefpoint" if made_by is None else f"compiled by {made_by}"
