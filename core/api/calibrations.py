"""The door to calibrations: the memories of a board, by what was measured on it."""

from __future__ import annotations

from core.calibrate.figures import Figure
from core.calibrate.run import MOST_MEASUREMENTS, Calibration, Row
from core.calibrate.told import describe, fitted_text, kept_text, lines, other_texts, verdict
from core.pipeline.board import Board, Measured, board_of

__all__ = [
    "MOST_MEASUREMENTS",
    "Board",
    "Calibration",
    "Figure",
    "Measured",
    "Row",
    "board_of",
    "describe",
    "fitted_text",
    "kept_text",
    "lines",
    "other_texts",
    "verdict",
]
