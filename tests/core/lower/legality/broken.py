"""Operators that break one rule each: what they break, what is found, and how they come about."""

from __future__ import annotations

from tests.core.lower.legality.broken_factors import FACTORS
from tests.core.lower.legality.broken_in_general import RULES
from tests.core.lower.legality.broken_moves import MOVES
from tests.core.lower.legality.broken_reductions import REDUCTIONS
from tests.core.lower.legality.broken_windows import WINDOWS

BROKEN = (*RULES, *WINDOWS, *MOVES, *REDUCTIONS, *FACTORS)
"""The text of the rule, part of what is found, and the operator."""
