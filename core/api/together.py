"""The door to several models in one device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.base.checked import door
from core.ir.scheduled import Scheduled
from core.ir.together import Calls, Together
from core.pipeline.together import (
    Model,
    arranged,
    limited_model,
    schedule_together,
    shared_limit,
)
from core.report import together

__all__ = [
    "Calls",
    "Model",
    "Together",
    "arranged",
    "describe",
    "limited_model",
    "missing",
    "scheduled",
    "shared_limit",
    "text",
    "verdicts",
]


@door
def scheduled(
    models: Sequence[Model], calls: Calls, limit_bytes: int | None
) -> tuple[tuple[Scheduled, ...], Together]:
    """Schedules of all models, the fastest that fit together, and where their arenas lie."""
    return schedule_together(models, calls, limit_bytes)


@door
def text(found: Together) -> str:
    """Where the arenas lie, and whether all of them fit."""
    return together.together_text(found)


@door
def verdicts(found: Together) -> tuple[str, ...]:
    """One line for each memory: what all of them take, and whether they fit."""
    return together.verdicts(found)


@door
def missing(found: Together) -> tuple[str, ...]:
    """One line for each memory in which the models do not fit together."""
    return together.missing_lines(found)


@door
def describe(found: Together) -> dict[str, Any]:
    """The same as JSON."""
    return together.describe_together(found)
