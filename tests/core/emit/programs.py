"""Programs around streams, and compiled files around payloads."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.emit.conventions import CUSTOM_CODE
from core.emit.payload import write_payload
from core.ir.constdata import ConstData
from core.ir.network import Network, Operator, Subgraph, Tensor
from core.ir.program import (
    AcceleratorWord,
    Architecture,
    CommandStream,
    ProgramPart,
    RegionRole,
    RegionUse,
)
from core.tflite.writer import write
from tests.core.emit.streams import U55

ARCHITECTURE = Architecture(1, 0, 6)
SCRATCH_BYTES = 1 << 16


def region(role: RegionRole, number: int, size_bytes: int = SCRATCH_BYTES) -> RegionUse:
    return RegionUse(role=role, tensor=TensorId(number), name=role.value, size_bytes=size_bytes)


def part_of(stream: CommandStream, accelerator: AcceleratorWord = U55) -> ProgramPart:
    """A part with the three usual regions."""
    roles = (RegionRole.CONSTANTS, RegionRole.SCRATCH, RegionRole.SCRATCH_FAST)
    return ProgramPart(
        op=OpRef(SubgraphId(0), OpId(0)),
        accelerator=accelerator,
        architecture=ARCHITECTURE,
        stream=stream,
        regions=tuple(region(role, number + 1) for number, role in enumerate(roles)),
        constants=None,
        inputs=(),
        outputs=(),
    )


def tensor(name: str, size: int, data: bytes | None = None) -> Tensor:
    values = None if data is None else ConstData.of(np.frombuffer(data, np.uint8))
    return Tensor(name=name, shape=(size,), dtype=DType.UINT8, data=values)


def compiled(payload: bytes, constants: bytes = bytes(16)) -> Network:
    """A network of one `ethos-u` operator with one input and one output."""
    tensors = (
        tensor("out", 64),
        tensor("commands", len(payload), payload),
        tensor("flash", len(constants), constants),
        tensor("scratch", SCRATCH_BYTES),
        tensor("fast", SCRATCH_BYTES),
        tensor("in", 128),
    )
    op = Operator(
        kind="CUSTOM",
        custom_code=CUSTOM_CODE,
        custom_options=b"\x01\x04\x01",
        inputs=tuple(TensorId(number) for number in (1, 2, 3, 4, 5)),
        outputs=(TensorId(0),),
    )
    graph = Subgraph(
        name="main",
        tensors=tensors,
        operators=(op,),
        inputs=(TensorId(5),),
        outputs=(TensorId(0),),
    )
    return Network(subgraphs=(graph,), description="made by a test")


def compiled_file(words: tuple[int, ...]) -> bytes:
    """A file around the words of a stream."""
    return write(compiled(write_payload(U55, ARCHITECTURE, words)))
