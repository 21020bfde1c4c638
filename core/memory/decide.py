"""Whether ranges fit a capacity, with several orders of preference taking turns."""

from __future__ import annotations

from core.memory.budget import Budget, OutOfNodes
from core.memory.fit import fit
from core.memory.order import PREFERENCES
from core.memory.sections import Sections

_FIRST_TURN_PER_RANGE = 2
"""Nodes of the first turn; some order often succeeds without ever turning back."""


def decide(sections: Sections, capacity: int, budget: Budget) -> list[int] | None:
    """Addresses within the capacity, or None where there are none; the first order to know ends it.

    Raises `OutOfNodes` where none knows within the budget.
    """
    turn = _FIRST_TURN_PER_RANGE * sections.count
    while budget.nodes > 0:
        for preference in PREFERENCES:
            try:
                with budget.share(turn) as part:
                    return fit(sections, capacity, preference, part)
            except OutOfNodes:
                continue
        turn *= 2
    raise OutOfNodes
