"""A calibration: what is to be fitted."""

from __future__ import annotations

from core.api import calibrations
from core.base.frozen import Frozen
from core.ir.settings import Settings


class CalibrationOrder(Frozen):
    """Files and what was measured of them, on the board that the settings assume."""

    measured: tuple[calibrations.Measured, ...]
    settings: Settings
