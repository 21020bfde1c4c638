"""How a long computation says where it is, and how it is told to stop."""

from __future__ import annotations

from typing import Protocol


class Cancelled(Exception):  # noqa: N818 - not an error: the caller asked for it
    """Raised inside a computation that its caller has cancelled."""


class Progress(Protocol):
    """Takes reports from a long computation."""

    def advance(self, stage: str, done: int, total: int) -> None:
        """Report that `done` of `total` steps of a stage are finished; may raise `Cancelled`."""


class Silent:
    """Progress that nobody watches."""

    def advance(self, stage: str, done: int, total: int) -> None:
        """Ignore the report."""


SILENT: Progress = Silent()
