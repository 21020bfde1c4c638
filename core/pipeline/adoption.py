"""Decisions of another file: a schedule as JSON, or a compiled model of any compiler."""

from __future__ import annotations

from core.base.errors import InputError
from core.base.forms import Form
from core.base.frozen import replace
from core.base.plain_json import read_json
from core.base.progress import SILENT, Progress
from core.edits.adopt import Adopted, adopt, places
from core.edits.told import ToldMap, ToldOp, told_maps, told_ops
from core.edits.whole import whole
from core.executorch.beside import Beside, nothing_beside
from core.ir.npugraph import NpuGraph
from core.ir.settings import Settings
from core.ir.shown import Shown
from core.report import schedule_json
from core.target.accelerator import Accelerator
from core.target.target import Target

_HEAD_BYTES = 1 << 10


def adopted(
    data: bytes,
    graph: NpuGraph,
    target: Target,
    progress: Progress = SILENT,
    *,
    with_addresses: bool = False,
    beside: Beside = nothing_beside,
) -> Adopted:
    """What a file decides for the operators that are those of a graph, as edits.

    Compiled models are read with the same memories, where they are for the same accelerator;
    `beside` knows what files of data hold, where weights are elsewhere.
    """
    told, _ = told_by(data, target, progress, beside)
    return adopt(graph, told, has_two=target.is_spilling, with_addresses=with_addresses)


def shown_in(
    data: bytes,
    graph: NpuGraph,
    target: Target,
    progress: Progress = SILENT,
    *,
    beside: Beside = nothing_beside,
) -> tuple[Shown, Adopted]:
    """What a file shows of a schedule of a graph, for edits around it; what of it is none here."""
    told, maps = told_by(data, target, progress, beside)
    found = adopt(graph, told, has_two=target.is_spilling)
    return Shown(decisions=found.edits, places=places(graph, told, maps)), found


def told_by(
    data: bytes, target: Target, progress: Progress, beside: Beside
) -> tuple[tuple[ToldOp, ...], tuple[ToldMap, ...]]:
    """Operators and maps of a schedule in a file."""

    def target_of(accelerator: Accelerator) -> Target:
        if accelerator == target.accelerator:
            return target
        return Settings(accelerator=accelerator.name).target()

    if Form.JSON.begins(data[:_HEAD_BYTES]):
        plain = read_json(data)
        return told_ops(plain), told_maps(plain)
    # With all that reads commands, for which no other search waits.
    from core.pipeline.compiled import read_back, read_program, study_program

    read = read_program(data, progress, beside)
    if read is None:
        raise InputError("is neither a compiled model nor a schedule as JSON")
    found = read_back(study_program(read, target_of, progress))
    plain = schedule_json.describe(found.scheduled)
    # Commands that bring weights of a cascade stand early, whoever was meant to wait for them.
    told = (
        op if op.cascade is None else replace(op, is_prefetched=None, lead_steps=None)
        for op in whole(told_ops(plain))
    )
    return tuple(told), told_maps(plain)
