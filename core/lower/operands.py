"""The first input of an element-wise operator is the one that it can be cascaded along.

SUB constant, x      becomes   SUB x, constant, marked as swapped
SUB row, x           becomes   SUB x, row, marked as swapped: only a second input can be spread
"""

from __future__ import annotations

from core.base.frozen import replace
from core.ir.npugraph import NpuOp, View
from core.lower.draft import Draft


def put_main_operand_first(draft: Draft) -> None:
    """Exchange the inputs wherever the second one is whole, and the first one fixed or spread."""
    for index, item in enumerate(draft.items):
        if isinstance(item, NpuOp) and item.kind.is_binary and item.ifm2 is not None:
            first, second = item.ifm, item.ifm2
            is_spread = first.touched != item.ofm.touched == second.touched
            if is_spread or (_is_fixed(draft, first) and _is_whole(draft, second, item.ofm)):
                draft.items[index] = replace(
                    item, ifm=second, ifm2=first, operands_swapped=not item.operands_swapped
                )


def _is_fixed(draft: Draft, view: View) -> bool:
    return draft.is_constant(view.fm) or draft.feature_maps[view.fm].is_scalar


def _is_whole(draft: Draft, view: View, ofm: View) -> bool:
    same = draft.feature_maps[view.fm].shape == draft.feature_maps[ofm.fm].shape
    return same and not _is_fixed(draft, view)
