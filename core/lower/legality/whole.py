"""The rule for sums, differences and products of 32 bits, which are computed as they are stored.

Where a result leaves 32 bits, the hardware stops at the end and the reference goes round.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from core.base.dtype import DType
from core.base.ids import TensorId
from core.lower.bounds import Bounds, computed_bounds, known_bounds
from core.lower.legality.rule import Rule
from core.lower.source import SourceGraph, SourceOp


def whole_numbers_fit(graph: SourceGraph) -> Rule:
    """The rule, for operators of that graph; it looks at the graph once, where it is asked."""

    @cache
    def known() -> Mapping[TensorId, Bounds]:
        return known_bounds(graph)

    def check(op: SourceOp) -> str | None:
        if op.activation != "NONE":
            return f"{op.activation} behind 32 bits"
        bounds = computed_bounds(op, known())
        if bounds is None or bounds.are_within(DType.INT32):
            return None
        return f"{bounds.least} to {bounds.most}"

    return Rule(
        text="Results of 32 bits stay within them",
        accepted="inputs that are small for certain, such as what ARG_MAX gives, and no activation",
        check=check,
    )
