"""Where in a compiled model operators of the original run, by the commands that make them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from core.base.frozen import NamedTuple
from core.base.ids import NpuOpId, OpRef
from core.cost.cycles import OpCycles
from core.emit.payload import accelerator_of
from core.emit.recover.streamops import stream_ops
from core.emit.study import study
from core.ir.operator_error import Span
from core.ir.program import Program
from core.ir.settings import Settings
from core.pipeline.proof.layer_outputs import Shown


class Place(NamedTuple):
    """Commands of one stream, as others speak of them."""

    span: Span
    npu_ops: tuple[NpuOpId, ...]
    """As they are numbered where the program is read back."""


class _Stream(NamedTuple):
    begins: list[int]
    """Of each command, in cycles from the start of an inference, and of the end."""
    op_of: dict[int, NpuOpId]
    """By command that computes."""


def places_of(program: Program, found: Mapping[int, Shown]) -> dict[int, Place]:
    """By operator whose output was seen; operations count, each on its own, one after the other.

    The memories are those that the accelerator has by default.
    """
    streams: dict[OpRef, _Stream] = {}
    start, first_op = 0, 0
    for part in program.parts:
        accelerator = accelerator_of(part.accelerator)
        if accelerator is None:
            return {}
        seen = study(part, Settings(accelerator=accelerator.name).target())
        cycles = [each.cycles if isinstance(each, OpCycles) else 0 for each in seen.cycles]
        ops = stream_ops(seen)
        streams[part.op] = _Stream(
            list(accumulate(cycles, initial=start)),
            {
                command: NpuOpId(first_op + at)
                for at, op in enumerate(ops)
                for command in op.commands
            },
        )
        start, first_op = streams[part.op].begins[-1], first_op + len(ops)
    return {
        op: _place(streams[shown.part], shown)
        for op, shown in found.items()
        if shown.part in streams
    }


def _place(stream: _Stream, shown: Shown) -> Place:
    first, last = min(shown.commands), max(shown.commands)
    span = Span(begin_cycles=stream.begins[first], end_cycles=stream.begins[last + 1])
    made_by = {stream.op_of[at] for at in shown.commands if at in stream.op_of}
    return Place(span, tuple(sorted(made_by)))
