"""What the peer makes for ExecuTorch: blocks with a name each, one of which is a payload."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.emit.disassemble import disassemble
from core.emit.instructions.known import instructions_of
from core.emit.payload import Payload, read_payload
from core.ir.constdata import ConstData
from core.ir.program import BoundTensor, ProgramPart, RegionRole, RegionUse

Array = npt.NDArray[np.generic]

HEAD = struct.Struct("<16sI12x")
ALIGNMENT = 16
TENSOR_NUMBERS = 9
FIRST_TENSOR = 3
"""Constants, scratch and fast scratch have numbers of their own."""


def blocks(path: Path) -> dict[str, bytes]:
    """The blocks of a blob by their names."""
    data, at, found = path.read_bytes(), 0, {}
    while at < len(data):
        name, size = HEAD.unpack_from(data, at)
        at += HEAD.size
        found[name.rstrip(b"\0").decode()] = data[at : at + size]
        at += -(-size // ALIGNMENT) * ALIGNMENT
    return found


def payload_of(path: Path) -> Payload:
    """The commands in a blob, and what they are for."""
    return read_payload(blocks(path)["cmd_data"])


def part_of(path: Path, inputs: Sequence[Array], outputs: Sequence[Array]) -> ProgramPart:
    """A blob as a part of a program whose tensors have the types of these values."""
    found, payload = blocks(path), payload_of(path)
    graph, _, accelerator = path.stem.rpartition("_")
    fast_bytes = json.loads((path.parent / "fast_scratch.json").read_text())[graph][accelerator]
    given = tuple(bound(found["inputs"], inputs, FIRST_TENSOR))
    made = tuple(bound(found["outputs"], outputs, FIRST_TENSOR + len(given)))
    (scratch_bytes,) = struct.unpack("<I", found["scratch_size"])
    weights = np.frombuffer(found["weight_data"], np.uint8)
    uses = (
        (RegionRole.CONSTANTS, 0, weights.size),
        (RegionRole.SCRATCH, 1, scratch_bytes),
        (RegionRole.SCRATCH_FAST, 2, fast_bytes),
        *((RegionRole.INPUT, each.tensor, each.size_bytes) for each in given),
        *((RegionRole.OUTPUT, each.tensor, each.size_bytes) for each in made),
    )
    return ProgramPart(
        op=OpRef(SubgraphId(0), OpId(0)),
        accelerator=payload.accelerator,
        architecture=payload.architecture,
        stream=disassemble(payload.stream, instructions_of(payload.architecture)),
        regions=tuple(
            RegionUse(role=role, tensor=TensorId(number), name="", size_bytes=size)
            for role, number, size in uses
        ),
        constants=ConstData.of(weights),
        inputs=given,
        outputs=made,
    )


def bound(block: bytes, values: Sequence[Array], first: int) -> Iterator[BoundTensor]:
    """Tensors as a block places them in scratch memory."""
    count, *numbers = struct.unpack(f"<{len(block) // 4}i", block)
    assert count == len(values)
    for at, value in enumerate(values):
        *_, offset, region = numbers[at * TENSOR_NUMBERS : (at + 1) * TENSOR_NUMBERS]
        assert region == 1
        yield BoundTensor(
            tensor=TensorId(first + at),
            name=str(at),
            shape=value.shape,
            dtype=DType[value.dtype.name.upper()],
            size_bytes=value.nbytes,
            arena_address=offset,
        )
