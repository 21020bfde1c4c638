"""Texts by number: each is in the file once, however many schedules say it."""

from __future__ import annotations

from core.base.harmless import visible


class Texts:
    """Counts texts up as they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: object) -> int:
        return self._numbers.setdefault(visible(str(text)), len(self._numbers))

    @property
    def all(self) -> list[str]:
        """All of them, by number."""
        return list(self._numbers)
