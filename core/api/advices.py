"""The door to advice: what would help, each of it tried."""

from __future__ import annotations

from core.ir.advice import Because, Effect, Occasion, Tip, Topic
from core.pipeline.advice import Trials, advice, effect_of
from core.report.advice import (
    because_text,
    cpu_lines,
    deed_text,
    describe,
    effect_text,
    in_order,
    listing,
    render,
)
from core.report.reviews import of_advice as review_of

__all__ = [
    "Because",
    "Effect",
    "Occasion",
    "Tip",
    "Topic",
    "Trials",
    "advice",
    "because_text",
    "cpu_lines",
    "deed_text",
    "describe",
    "effect_of",
    "effect_text",
    "in_order",
    "listing",
    "render",
    "review_of",
]
