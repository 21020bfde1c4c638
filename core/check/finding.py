"""What a check has to say against a value."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """A broken promise, and the place in the value that breaks it."""

    where: str
    message: str

    def __str__(self) -> str:
        """Both in one line."""
        return f"{self.where}: {self.message}"
