"""A compiled model as JSON: every command with all that it runs with."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from core.base.dtype import DType
from core.cost.cycles import OpCycles
from core.emit.study import PartStudy
from core.ir.program import Command, Program
from core.report.inspect_json import Json, describe_target
from core.report.untold import untold


def describe(name: str, program: Program, studies: Sequence[PartStudy]) -> Json:
    """Everything that is known of a compiled model."""
    return {
        "model": name,
        "compiler": program.compiler,
        "cpu_ops": list(program.cpu_ops),
        "arena_addresses": [list(graph) for graph in program.arena_addresses],
        "command_streams": [_part(study) for study in studies],
        "untold": [_plain(each) for each in untold(program, studies)],
    }


def _part(study: PartStudy) -> Json:
    part, stream = study.part, study.part.stream
    return {
        "operator": {"subgraph": part.op.subgraph, "index": part.op.op},
        "target": None if study.target is None else describe_target(study.target),
        "accelerator": _plain(part.accelerator),
        "architecture": _plain(part.architecture),
        "regions": [_plain(region) for region in part.regions],
        "traffic": [{"region": number, **_plain(used)} for number, used in study.traffic],
        "inputs": [_plain(item) for item in part.inputs],
        "outputs": [_plain(item) for item in part.outputs],
        "words": stream.size_words,
        "problem": _plain(stream.problem),
        "macs": study.macs,
        "npu_cycles": study.npu_cycles,
        "dma_cycles": study.dma_cycles,
        "commands": [_command(study, number, item) for number, item in enumerate(stream.commands)],
        "layers": [_plain(layer) for layer in study.structure.layers],
        "cascades": [_plain(cascade) for cascade in study.structure.cascades],
        "live_ranges": [_plain(life) for life in study.lives],
    }


def _command(study: PartStudy, number: int, command: Command) -> Json:
    cycles = study.cycles[number]
    estimate = {"cycles": cycles}
    if isinstance(cycles, OpCycles):
        estimate = _plain(cycles)
    positions = study.part.stream.positions
    return {
        "word": positions[number] if positions else None,
        "command": type(command).__name__,
        **_plain(command),
        **{f"estimated_{key}": value for key, value in estimate.items() if value is not None},
    }


def _plain(value: Any) -> Any:
    """A value in the types that JSON has."""
    if isinstance(value, DType):
        return value.name.lower()
    if isinstance(value, enum.Enum):
        return value.value
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
