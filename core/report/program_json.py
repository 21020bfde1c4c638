"""A compiled model as JSON: every command with all that it runs with."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any

from core.base.dtype import DType
from core.base.frozen import Frozen, members
from core.base.harmless import to_json
from core.cost.cycles import OpCycles
from core.emit.study import PartStudy
from core.ir.network import Network
from core.ir.program import Command, MapUse, NpuOperation, Program
from core.report.board.room import Room
from core.report.calls import calls_json, calls_of
from core.report.inspect_json import Json, describe_target
from core.report.json_forms.stamp import stamp
from core.report.pools import pools_json
from core.report.program_advice import program_advice
from core.report.untold import untold

_LINE = "\n    "
"""Begins each line of a command: in the list of a stream, which is in the list of a report."""
_GAP = "\0"
_COMMANDS = "commands"
"""They are most of the text, and put in when the rest is written."""


def render(
    name: str,
    network: Network,
    program: Program,
    studies: Sequence[PartStudy],
    room: Room | None = None,
) -> str:
    """Everything that is known of a compiled model, a value to a line."""
    report = {
        **stamp("compiled model"),
        "model": name,
        "compiler": program.compiler,
        "cpu_ops": list(program.cpu_ops),
        "calls": calls_json(calls_of(network, program)),
        "misfits": list(program.misfits),
        "advice": program_advice(network, program, studies),
        "room": None if room is None else room.plain(),
        "ram": pools_json(program.pools, studies[0].target),
        "arena_addresses": [list(graph) for graph in program.arena_addresses],
        "command_streams": [_part(study) for study in studies],
        "untold": [_plain(each) for each in untold(program, studies)],
    }
    # No name can look like this: quotes inside of strings are escaped.
    start, *rest = to_json(report, indent=1).split(f'"{_COMMANDS}": null')
    parts = (
        f'"{_COMMANDS}": {_list_of(_commands(study))}{more}'
        for study, more in zip(studies, rest, strict=True)
    )
    return "".join((start, *parts, "\n"))


def _part(study: PartStudy) -> Json:
    part, stream = study.part, study.part.stream
    return {
        "operator": {"subgraph": part.op.subgraph, "index": part.op.op},
        "target": None if study.target is None else describe_target(study.target, None),
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
        _COMMANDS: None,
        "layers": [_plain(layer) for layer in study.structure.layers],
        "cascades": [_plain(cascade) for cascade in study.structure.cascades],
        "live_ranges": [_plain(life) for life in study.lives],
    }


def _list_of(items: Iterator[str]) -> str:
    text = f",{_LINE}".join(items)
    return f"[{_LINE}{text}{_LINE[:-1]}]" if text else "[]"


def _commands(study: PartStudy) -> Iterator[str]:
    """Operations that are alike in all but addresses are written once, with gaps for these."""
    stream = study.part.stream
    gapped: dict[int, str] = {}
    for number, (command, form) in enumerate(zip(stream.commands, study.forms, strict=True)):
        if not isinstance(command, NpuOperation):
            yield _written(_command(study, number, command))
            continue
        if form not in gapped:
            gapped[form] = _with_gaps(_command(study, number, command))
        yield gapped[form] % (to_json(_word(study, number)), *_places(command))


def _written(command: Json) -> str:
    return to_json(command, indent=1).replace("\n", _LINE)


def _with_gaps(op: Json) -> str:
    """An operation that has a format in place of each number of `_places`, and of its word."""
    gaps = {
        role: op[role] | {"bases": [_GAP for _ in op[role]["bases"]]}
        for role in ("ifm", "ofm", "ifm2")
        if op[role] and "bases" in op[role]
    } | {
        role: [each | {"address": _GAP, "size_bytes": _GAP} for each in op[role]]
        for role in ("weights", "scales")
    }
    text = _written(op | {"word": _GAP} | gaps)
    return text.replace("%", "%%").replace(to_json(_GAP), "%s")


def _places(op: NpuOperation) -> Iterator[int]:
    """What operations of one form differ in, in the order in which it is written."""
    for use in (op.ifm, op.ofm, op.ifm2):
        if isinstance(use, MapUse):
            yield from use.bases
    for part in (*op.weights, *op.scales):
        yield part.address
        yield part.size_bytes


def _word(study: PartStudy, number: int) -> int | None:
    positions = study.part.stream.positions
    return positions[number] if positions else None


def _command(study: PartStudy, number: int, command: Command) -> Json:
    cycles = study.cycles[number]
    estimate = {"cycles": cycles}
    if isinstance(cycles, OpCycles):
        estimate = _plain(cycles)
    return {
        "word": _word(study, number),
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
    if isinstance(value, Frozen):
        return {name: _plain(item) for name, item in members(value).items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
