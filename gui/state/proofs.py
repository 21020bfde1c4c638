"""The proof that was made last of the model that is open."""

from __future__ import annotations

from collections.abc import Callable

from gui.document.answer import Answer
from gui.document.proof import Against, Proof, Proving


class Proofs:
    """A part of the store."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self.latest: Proof | None = None
        """It may be of an older answer."""
        self.making: Proving | None = None
        """How far the proof is that is being made."""
        self.failure = ""
        """Why there is none."""
        self.against = Against.REAL
        """What operators are held against where they are drawn."""

    def make(self, making: Proving) -> None:
        """Say how far the proof is that is being made."""
        self.making, self.failure = making, ""
        self._announce()

    def end(self, proof: Proof | None, failure: str = "") -> None:
        """Say what came of it."""
        self.making, self.failure = None, failure
        if proof is not None:
            self.latest, self.against = proof, proof.worst
        self._announce()

    def resume(self, proof: Proof | None) -> None:
        """Have the one that was made in another process."""
        if proof is not None:
            self.end(proof)

    def forget(self) -> None:
        """Have none."""
        self.latest, self.making, self.failure = None, None, ""
        self._announce()

    def hold_against(self, against: Against) -> None:
        """Draw other errors."""
        if against is not self.against:
            self.against = against
            self._announce()

    def of(self, answer: Answer | None) -> Proof | None:
        """The proof of this very answer; None where it is of another."""
        if self.latest is None or answer is None:
            return None
        return self.latest if self.latest.is_of(answer.scheduled) else None
