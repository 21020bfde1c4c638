"""Cycles that were measured on hardware or by a vendor's simulator, as a file has them."""

from __future__ import annotations

from pathlib import Path

from core.api import measurements
from core.base.frozen import Frozen, replace
from gui.document.answer import Answer


class Measurement(Frozen):
    """A file of measured cycles."""

    path: str
    data: bytes

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name


def with_measured(answer: Answer, measurement: Measurement | None) -> Answer:
    """The answer with what was measured of its operators; an InputError says what is no file."""
    if measurement is None:
        return answer if answer.measured is None else replace(answer, measured=None)
    return replace(answer, measured=measurements.read_measured(measurement.data, answer.scheduled))
