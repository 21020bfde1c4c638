"""The door to calibrations: the memories of a board, by what was measured on it."""

from __future__ import annotations

from core.calibrate.case import Case
from core.calibrate.run import MOST_MEASUREMENTS, Calibration, calibrate
from core.calibrate.told import describe, lines, verdict
from core.pipeline.calibration import Programmed, case_of, of_compiled, of_schedule
from core.target.config_text import config_text

__all__ = [
    "MOST_MEASUREMENTS",
    "Calibration",
    "Case",
    "Programmed",
    "calibrate",
    "case_of",
    "config_text",
    "describe",
    "lines",
    "of_compiled",
    "of_schedule",
    "verdict",
]
