"""What a check has to say against a value."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.errors import InternalError
from core.base.frozen import NamedTuple

_MOST_TOLD = 5


class Finding(NamedTuple):
    """A broken promise, and the place in the value that breaks it."""

    where: str
    message: str

    def __str__(self) -> str:
        """Both in one line."""
        return f"{self.where}: {self.message}"


def hold(noun: str, findings: Sequence[Finding]) -> None:
    """Let nobody go on with what breaks a rule: an InternalError that names the first of them."""
    if findings:
        told = "; ".join(map(str, findings[:_MOST_TOLD]))
        raise InternalError(f"{noun} breaks {len(findings)} of its rules: {told}")
