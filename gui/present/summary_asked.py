"""What was asked of the compiler beside what it took."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple

from core.api import reasons
from gui.document.answer import Answer
from gui.present import units
from gui.present.compiled import is_compiled

DEFAULT = "default"


class Asked(NamedTuple):
    """A setting as the user gave it, and as it was applied."""

    title: str
    asked: str
    applied: str


def asked_rows(answer: Answer) -> tuple[Asked, ...]:
    """All settings."""
    settings, target = answer.document.settings, answer.scheduled.target
    options = answer.scheduled.options
    limit = target.mode.arena_cache_size
    if is_compiled(answer):
        return (
            Asked("accelerator", settings.accelerator, target.accelerator.name),
            Asked("system config", settings.system_config or DEFAULT, target.system.name),
            Asked("memory mode", settings.memory_mode or DEFAULT, target.mode.name),
        )
    rows = [
        Asked("accelerator", settings.accelerator, target.accelerator.name),
        Asked("system config", settings.system_config or DEFAULT, target.system.name),
        Asked("memory mode", settings.memory_mode or DEFAULT, target.mode.name),
        Asked(
            "limit",
            _limit(settings.limit_bytes, DEFAULT),
            _limit(limit, "any amount"),
        ),
    ]
    applied = dict(reasons.option_rows(options))
    rows += [
        Asked(title, text, applied.get(title, ""))
        for title, text in reasons.option_rows(settings.options)
    ]
    rows += [Asked("config file", PurePath(path).name, "read") for path in settings.configs]
    return tuple(rows)


def _limit(size_bytes: int | None, absent: str) -> str:
    return absent if size_bytes is None else units.size_exact(size_bytes)
