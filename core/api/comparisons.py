"""The door to comparisons: two schedules, whoever made them, held against each other."""

from __future__ import annotations

from core.compare.account import Account, AccountOp, AccountRange
from core.compare.compare import compare
from core.compare.comparison import (
    Aspect,
    CascadePair,
    Cause,
    Comparison,
    Difference,
    Fate,
    Figure,
    OpPair,
    Proof,
    RangePair,
)
from core.compare.demand import Demand, demand_of
from core.pipeline.accounts import account_of_json, account_of_schedule
from core.report.comparison import tables, words
from core.report.comparison.page import Pictures, document_of
from core.report.comparison.plain import describe, render_csv
from core.report.comparison.review import review_of
from core.report.comparison.text import render

__all__ = [
    "Account",
    "AccountOp",
    "AccountRange",
    "Aspect",
    "CascadePair",
    "Cause",
    "Comparison",
    "Demand",
    "Difference",
    "Fate",
    "Figure",
    "OpPair",
    "Pictures",
    "Proof",
    "RangePair",
    "account_of_json",
    "account_of_schedule",
    "compare",
    "demand_of",
    "describe",
    "document_of",
    "render",
    "render_csv",
    "review_of",
    "tables",
    "words",
]
