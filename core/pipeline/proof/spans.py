"""When operators of the original run in the compiled model, by the commands that make them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from core.base.ids import OpRef
from core.cost.cycles import OpCycles
from core.emit.payload import accelerator_of
from core.emit.study import study
from core.ir.operator_error import Span
from core.ir.program import Program
from core.ir.settings import Settings
from core.pipeline.proof.layer_outputs import Shown


def spans_of(program: Program, found: Mapping[int, Shown]) -> dict[int, Span]:
    """By operator whose output was seen; operations count, each on its own, one after the other.

    The memories are those that the accelerator has by default.
    """
    begins: dict[OpRef, list[int]] = {}
    start = 0
    for part in program.parts:
        accelerator = accelerator_of(part.accelerator)
        if accelerator is None:
            return {}
        target = Settings(accelerator=accelerator.name).target()
        estimates = study(part, target).cycles
        cycles = [each.cycles if isinstance(each, OpCycles) else 0 for each in estimates]
        begins[part.op] = list(accumulate(cycles, initial=start))
        start = begins[part.op][-1]
    return {
        op: Span(
            begin_cycles=begins[shown.part][min(shown.commands)],
            end_cycles=begins[shown.part][max(shown.commands) + 1],
        )
        for op, shown in found.items()
        if shown.part in begins
    }
