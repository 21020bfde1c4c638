"""What was asked of the compiler beside what it took."""

from __future__ import annotations

from typing import NamedTuple

from core.ir import knobs
from gui.document.answer import Answer
from gui.present.controls import applied
from gui.present.units import size_exact


class Asked(NamedTuple):
    """A setting as the user gave it, and as it was applied."""

    title: str
    asked: str
    applied: str


def asked_rows(answer: Answer) -> tuple[Asked, ...]:
    """All settings that have an effect; of a compiled model, those that are assumed."""
    settings, taken = answer.document.settings, applied(answer, size_exact)
    return tuple(
        Asked(knob.title, knob.text(knob.value(settings), size_exact), taken[knob.name])
        for knob in knobs.told(settings)
        if knob.name in taken
    )
