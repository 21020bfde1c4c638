"""Small parts of programs, made for tests: maps one after the other in one scratch region."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import Multiplier
from core.base.frozen import replace
from core.base.geometry import Block, Shape4, round_up
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.ir.constdata import ConstData
from core.ir.program import (
    AcceleratorWord,
    ActivationUse,
    Architecture,
    BoundTensor,
    BufferUse,
    Command,
    CommandStream,
    Job,
    MapUse,
    NpuOperation,
    ProgramPart,
    RegionRole,
    RegionUse,
    Strides,
    Tiles,
)
from core.simulate.run import Outcome, Simulator
from core.target.format import Format
from core.target.registry import accelerator_named
from core.target.shram import Accumulator
from core.weights.decode import decode_stream

SCRATCH = 1
INPUT, OUTPUT = TensorId(3), TensorId(4)
SIZE = 1 << 16


def map_at(
    address: int,
    shape: Sequence[int],
    dtype: DType = DType.INT8,
    *,
    bricks: bool = False,
    zero_point: int = 0,
) -> MapUse:
    rows, columns, depth = shape
    size = dtype.size_bytes
    if bricks:
        stored = round_up(depth, 16)
        strides = Strides(columns * stored * size, 16 * size, columns * 16 * size)
    else:
        strides = Strides(columns * depth * size, depth * size, size)
    return MapUse(
        region=SCRATCH,
        bases=(address, 0, 0, 0),
        tiles=Tiles(rows, rows, columns),
        strides=strides,
        shape=Shape4(1, rows, columns, depth),
        dtype=dtype,
        zero_point=zero_point,
        format=Format.BRICKS if bricks else Format.LINEAR,
    )


def operation(job: Job, ifm: MapUse, ofm: MapUse, **changes: object) -> NpuOperation:
    low, high = ofm.dtype.limits
    plain = NpuOperation(
        job=job,
        ifm=ifm,
        ofm=ofm,
        ofm_scale=Multiplier(1, 0),
        activation=ActivationUse(minimum=max(low, -(1 << 15)), maximum=min(high, (1 << 16) - 1)),
        block=Block(2, 2, 8),
        accumulator=Accumulator.ACC32,
        buffer=BufferUse(0, 0),
    )
    return replace(plain, **changes)


def part(commands: Sequence[Command], constants: bytes, inputs: int, result: MapUse) -> ProgramPart:
    """The first bytes of the scratch region are the input; the output lies where `result` is."""
    size = result.shape.elements * result.dtype.size_bytes
    shape = tuple(result.shape)
    given = BoundTensor(
        tensor=INPUT,
        name="input",
        shape=(inputs,),
        dtype=DType.UINT8,
        size_bytes=inputs,
        arena_address=0,
    )
    made = BoundTensor(
        tensor=OUTPUT,
        name="output",
        shape=shape,
        dtype=result.dtype,
        size_bytes=size,
        arena_address=result.bases[0],
    )
    roles = (
        (RegionRole.CONSTANTS, 0, len(constants)),
        (RegionRole.SCRATCH, 1, SIZE),
        (RegionRole.SCRATCH_FAST, 2, SIZE),
        (RegionRole.INPUT, INPUT, inputs),
        (RegionRole.OUTPUT, OUTPUT, size),
    )
    return ProgramPart(
        op=OpRef(SubgraphId(0), OpId(0)),
        accelerator=AcceleratorWord(256, 48, 0),
        architecture=Architecture(1, 0, 0),
        stream=CommandStream(commands=tuple(commands)),
        regions=tuple(
            RegionUse(role=role, tensor=TensorId(tensor), name="", size_bytes=size)
            for role, tensor, size in roles
        ),
        constants=ConstData.of(np.frombuffer(constants, np.uint8)),
        inputs=(given,),
        outputs=(made,),
    )


def run(
    commands: Sequence[Command],
    given: bytes,
    result: MapUse,
    *,
    constants: bytes = b"",
    accelerator: str = "ethos-u55-256",
) -> Outcome:
    """Run commands on bytes of input."""
    simulator = Simulator.of(accelerator_named(accelerator), decode_stream)
    program = part(commands, constants, len(given), result)
    return simulator.run(program, {INPUT: np.frombuffer(given, np.uint8)})


def result_of(outcome: Outcome) -> np.ndarray:
    """The output of a run without faults."""
    assert outcome.faults == ()
    return outcome.outputs[OUTPUT][0]
