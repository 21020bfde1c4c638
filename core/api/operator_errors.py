"""The door to errors of operators on a user's own inputs, as they are told."""

from __future__ import annotations

from core.ir.operator_error import ErrorFigures, Fault, OperatorError
from core.report.operator_errors import describe, listing, render, review_of, told

__all__ = [
    "ErrorFigures",
    "Fault",
    "OperatorError",
    "describe",
    "listing",
    "render",
    "review_of",
    "told",
]
