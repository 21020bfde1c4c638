"""What a form of measurements asks for, or what is missing in it; no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.api import calibrations
from core.base.errors import OptionError
from core.base.files import as_utf8
from core.base.frozen import NamedTuple
from core.base.sentences import capitalised
from core.ir.settings import Settings
from gui.document.calibrated import CalibrationOrder
from gui.present import units

PASTED = "pasted"
_LETTERS = 24


class Entry(NamedTuple):
    """A file, and what was measured of it as it was loaded or pasted."""

    model: str
    log: str = ""
    source: str = ""
    """The file of the log; empty where it was pasted."""

    @property
    def title(self) -> str:
        """What a list says of it."""
        return f"{Path(self.model).name}: {self._measured}"

    @property
    def _measured(self) -> str:
        if not self.log.strip():
            return "no measurement yet"
        return Path(self.source).name if self.source else _first_line(self.log)


def _first_line(log: str) -> str:
    line = log.strip().splitlines()[0].strip()
    return line if len(line) <= _LETTERS else f"{line[:_LETTERS]}..."


def order_of(entries: Sequence[Entry], settings: Settings) -> CalibrationOrder:
    """What is to be fitted; an OptionError says what is missing."""
    if not entries:
        raise OptionError("add the models or compiled files that were measured")
    most = calibrations.MOST_MEASUREMENTS
    if len(entries) > most:
        raise OptionError(f"there are {len(entries)} measurements; {most} are used at most")
    for entry in entries:
        if not entry.log.strip():
            raise OptionError(f"say what was measured of {Path(entry.model).name}")
    measured = tuple(
        calibrations.Measured(
            path=Path(entry.model),
            log=as_utf8(entry.log),
            source=entry.source or _source(entry),
        )
        for entry in entries
    )
    return CalibrationOrder(measured=measured, settings=settings)


def _source(entry: Entry) -> str:
    """A figure is its own name; a log that was pasted has none."""
    text = entry.log.strip()
    is_short = text[:1].isdigit() and len(text) <= _LETTERS and not {*"\n/"} & {*text}
    return text if is_short else PASTED


def obstacle(entries: Sequence[Entry], settings: Settings) -> tuple[str, bool]:
    """How much will be fitted; or what is missing, and that it is so."""
    try:
        order = order_of(entries, settings)
    except OptionError as error:
        return f"{capitalised(str(error))}.", True
    return f"{units.counted(len(order.measured), 'measurement')} to fit.", False
