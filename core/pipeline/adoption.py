"""Decisions of another file: a schedule as JSON, or a compiled model of any compiler."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from core.base.errors import InputError
from core.base.forms import Form
from core.base.progress import SILENT, Progress
from core.edits.adopt import Adopted, adopt
from core.edits.told import ToldOp, told_ops
from core.ir.npugraph import NpuGraph
from core.ir.settings import Settings
from core.pipeline.compiled import read_back, read_program, study_program
from core.report import schedule_json
from core.target.accelerator import Accelerator
from core.target.target import Target

_HEAD_BYTES = 1 << 10
_MOST_BETWEEN = 12
"""Operators of a cascade after which its rows are still looked for."""


def adopted(
    data: bytes,
    graph: NpuGraph,
    target: Target,
    progress: Progress = SILENT,
    *,
    with_addresses: bool = False,
) -> Adopted:
    """What a file decides for the operators that are those of a graph, as edits.

    Compiled models are read with the same memories, where they are for the same accelerator.
    """
    told = told_by(data, target, progress)
    return adopt(graph, told, has_two=target.is_spilling, with_addresses=with_addresses)


def told_by(data: bytes, target: Target, progress: Progress = SILENT) -> tuple[ToldOp, ...]:
    """What a file tells of a schedule."""

    def target_of(accelerator: Accelerator) -> Target:
        if accelerator == target.accelerator:
            return target
        return Settings(accelerator=accelerator.name).target()

    if Form.JSON.begins(data[:_HEAD_BYTES]):
        try:
            return told_ops(json.loads(data.decode("utf-8")))
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON ({error})") from error
    read = read_program(data, progress)
    if read is None:
        raise InputError("is neither a compiled model nor a schedule as JSON")
    found = read_back(study_program(read, target_of, progress))
    told = whole(told_ops(schedule_json.describe(found.scheduled)))
    # Commands that bring weights of a cascade stand early, whoever was meant to wait for them.
    return tuple(op if op.cascade is None else replace(op, is_prefetched=None) for op in told)


def whole(told: Sequence[ToldOp]) -> tuple[ToldOp, ...]:
    """Operators with the rows that they make when others of their cascade are done.

    In a stream these stand apart, where fewer of them are left than a stripe has.
    """
    found: list[ToldOp] = []
    for op in told:
        near = range(len(found) - 1, max(len(found) - _MOST_BETWEEN, 0) - 1, -1)
        at = next((at for at in near if _goes_on(found[at], op)), None)
        if at is None:
            found.append(op)
        else:
            found[at] = _joined(found[at], op)
    return tuple(found)


def _goes_on(op: ToldOp, rest: ToldOp) -> bool:
    """Whether some rows may be the last of an operator in a cascade."""
    one, other = op.sign, rest.sign
    return (
        op.cascade is not None
        and rest.cascade is None
        and op.island == rest.island
        and (one.kernel, one.has_weights, op.depths)
        == (other.kernel, other.has_weights, rest.depths)
        and one.ofm[0][2:] == other.ofm[0][2:]
        and one.ifm[0][2:] == other.ifm[0][2:]
        and other.ofm[0].h < op.stripe_rows
    )


def _joined(op: ToldOp, rest: ToldOp) -> ToldOp:
    """An operator with some more rows; a buffer that seemed to hold the whole map may be higher."""
    ifm, ofm = op.sign.ifm[0], op.sign.ofm[0]
    whole_ifm = ifm.with_hw(ifm.h + rest.sign.ifm[0].h, ifm.w)
    whole_ofm = ofm.with_hw(ofm.h + rest.sign.ofm[0].h, ofm.w)
    return replace(
        op,
        sign=replace(op.sign, ifm=(whole_ifm,), ofm=(whole_ofm,)),
        rolling_rows=whole_ofm.h if op.rolling_rows == ofm.h else op.rolling_rows,
    )
