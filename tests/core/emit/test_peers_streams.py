"""Every stream that is at hand of another compiler is read to its last bit, and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.emit.instructions.instruction_set import Reg
from core.emit.open import is_compiled
from core.emit.payload import Payload, read_payload
from core.ir.program import AcceleratorWord, Command, CommandStream
from core.tflite import reader
from tests.core.emit.blobs import payload_of
from tests.core.emit.streams import assemble, disassemble, writes
from tests.shared import files, need

BLOBS = [
    path
    for folder in ("executorch", "executorch/*")
    for path in files(f"{folder}/*.vela_bin")
    if "_u85" not in path.name
]
FILES = [
    path
    for pattern in ("measured/programs", "peer/compiled", "regressions/trust")
    for path in files(f"{pattern}/*.tflite")
    if pattern != "regressions/trust" or path.stem.startswith("peer_")
]


def payloads(path: Path) -> Iterator[Payload]:
    if path.suffix == ".vela_bin":
        yield payload_of(need(path))
        return
    network = reader.read(need(path).read_bytes())
    assert is_compiled(network)
    for ref, op in network.operators():
        if op.custom_code:
            command = network.subgraphs[ref.subgraph].tensors[op.inputs[0] or 0].data
            assert command is not None
            yield read_payload(command.array.tobytes())


def at_launches(stream: Sequence[int]) -> Iterator[dict[Reg, int]]:
    """The registers that have been set until something is started, each time."""
    registers: dict[Reg, int] = {}
    for each in writes(stream):
        if isinstance(each.name, Reg):
            registers[each.name] = each.value
        else:
            yield registers


def registers_of(command: Command, accelerator: AcceleratorWord) -> dict[Reg, int]:
    """All registers that a command depends on: those that are set for it where it is alone."""
    alone = writes(assemble(CommandStream(commands=(command,)), accelerator))
    return {each.name: each.value for each in alone if isinstance(each.name, Reg)}


@pytest.mark.parametrize("path", [*BLOBS, *FILES], ids=lambda path: path.stem)
def test_a_stream_of_the_peer_is_read_to_its_end_and_kept(path: Path):
    for payload in payloads(path):
        found = disassemble(payload.stream)
        assert found.problem is None
        again = assemble(found, payload.accelerator)
        assert disassemble(again) == found
        theirs, ours = at_launches(payload.stream), at_launches(again)
        for command, before, after in zip(found.commands, theirs, ours, strict=True):
            needed = registers_of(command, payload.accelerator)
            assert needed.items() <= before.items()
            assert needed.items() <= after.items()
