"""From a network with `ethos-u` operators to the program that they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.base.errors import InputError
from core.base.ids import OpRef, TensorId
from core.emit.conventions import (
    COMPILER_VERSIONS,
    CUSTOM_CODE,
    OFFLINE_ALLOCATION,
    PROGRAM,
    VERSION_METADATA,
)
from core.emit.disassemble import disassemble
from core.emit.instructions.known import instructions_of
from core.emit.payload import Payload, accelerator_of, read_payload
from core.emit.touched import regions_touched
from core.ir.network import Network, Operator, Subgraph, Tensor
from core.ir.program import (
    AcceleratorWord,
    BoundTensor,
    CommandStream,
    NpuOperation,
    Program,
    ProgramPart,
    RegionRole,
    RegionUse,
    StreamProblem,
)

_LEAST_INPUTS = 3
_ROLES = (RegionRole.CONSTANTS, RegionRole.SCRATCH, RegionRole.SCRATCH_FAST)
_FIRST_OWN_INPUT = 4
_HEADER_NUMBERS = 3


def is_compiled(network: Network) -> bool:
    """Whether any of its operators runs a command stream."""
    return any(op.custom_code == CUSTOM_CODE for _, op in network.operators())


def open_program(network: Network) -> Program:
    """The program in a compiled network; an InputError where a payload is none."""
    addresses = arena_addresses(network)
    parts = [
        _part(network, ref, op, addresses[ref.subgraph] if addresses else ())
        for ref, op in network.operators()
        if op.custom_code == CUSTOM_CODE
    ]
    return Program(
        parts=tuple(parts),
        compiler=_compiler(network),
        cpu_ops=tuple(op.title for _, op in network.operators() if op.custom_code != CUSTOM_CODE),
        arena_addresses=addresses,
    )


def _compiler(network: Network) -> str:
    """Whose file it is; descriptions alone do not always say it."""
    for item in network.metadata:
        if item.name not in COMPILER_VERSIONS or item.data is None:
            continue
        version = item.data.array.tobytes().rstrip(b"\0").decode(errors="backslashreplace")
        if item.name == VERSION_METADATA:
            return f"{PROGRAM} {version}"
        return f"{network.description} (vela {version})"
    return network.description


def arena_addresses(network: Network) -> tuple[tuple[int, ...], ...]:
    """By subgraph and tensor, where the file places tensors in the arena; nothing without it."""
    found = next((item.data for item in network.metadata if item.name == OFFLINE_ALLOCATION), None)
    if found is None:
        return ()
    data = found.array.tobytes()
    numbers = [int(number) for number in np.frombuffer(data[: len(data) & -4], np.dtype("<i4"))]
    counts = [len(graph.tensors) for graph in network.subgraphs]
    if len(numbers) < _HEADER_NUMBERS + sum(counts):
        needed = _HEADER_NUMBERS + sum(counts)
        raise InputError(
            f"has {len(numbers)} numbers, where {needed} are needed", OFFLINE_ALLOCATION
        )
    at, addresses = _HEADER_NUMBERS, []
    for count in counts:
        addresses.append(tuple(numbers[at : at + count]))
        at += count
    return tuple(addresses)


def demand_readable(network: Network) -> None:
    """Refuse command streams that nobody here can read, before there is work."""
    for ref, op in network.operators():
        if op.custom_code == CUSTOM_CODE:
            _payload(network, ref, op)


def read_stream(data: bytes) -> tuple[Payload, CommandStream]:
    """What a driver is told, and the commands among it as far as they can be read."""
    payload = read_payload(data)
    stream = disassemble(payload.stream, instructions_of(payload.architecture))
    stream = _for_cores(stream, payload.accelerator)
    return payload, _cut_off(stream) if payload.is_cut_off else stream


def _payload(network: Network, ref: OpRef, op: Operator) -> bytes:
    """What an operator has for the driver, which can be read."""
    graph, where = network.subgraphs[ref.subgraph], f"subgraph {ref.subgraph}, operator {ref.op}"
    ids = _inputs(op)
    if len(ids) < _LEAST_INPUTS:
        raise InputError(f"has {len(ids)} inputs, where it needs {_LEAST_INPUTS}", where)
    command = graph.tensors[ids[0]]
    if command.data is None:
        raise InputError("its command stream is not in the file", where)
    try:
        data = command.data.array.tobytes()
        instructions_of(read_payload(data).architecture)
    except InputError as error:
        within = f"{where}, {error.where}" if error.where else where
        raise InputError(f"its payload {error.message}", within) from error
    return data


def _inputs(op: Operator) -> list[TensorId]:
    return [number for number in op.inputs if number is not None]


def _part(network: Network, ref: OpRef, op: Operator, addresses: tuple[int, ...]) -> ProgramPart:
    payload, stream = read_stream(_payload(network, ref, op))
    graph, ids = network.subgraphs[ref.subgraph], _inputs(op)
    own, outputs = ids[_FIRST_OWN_INPUT:], op.outputs
    regions = _regions(graph, ids[1:_FIRST_OWN_INPUT], own, outputs)
    apart = _apart(regions, stream) if payload.has_own_regions else frozenset()

    def bound(number: TensorId) -> BoundTensor:
        return _bound(graph, number, () if number in apart else addresses)

    return ProgramPart(
        op=ref,
        accelerator=payload.accelerator,
        architecture=payload.architecture,
        stream=stream,
        regions=regions,
        constants=graph.tensors[ids[1]].data,
        inputs=tuple(bound(number) for number in own),
        outputs=tuple(bound(number) for number in outputs),
    )


def _apart(regions: Sequence[RegionUse], stream: CommandStream) -> frozenset[TensorId]:
    """Tensors that commands have in regions of their own: no place in the arena is theirs."""
    touched = regions_touched(stream)
    own = (RegionRole.INPUT, RegionRole.OUTPUT)
    return frozenset(
        use.tensor for at, use in enumerate(regions) if at in touched and use.role in own
    )


def _for_cores(stream: CommandStream, word: AcceleratorWord) -> CommandStream:
    """A stream as far as its accelerator has the cores for it."""
    accelerator = accelerator_of(word)
    if accelerator is None:
        return stream
    for at, command in enumerate(stream.commands):
        if isinstance(command, NpuOperation) and command.cores > accelerator.cores:
            reason = f"an operation is for {command.cores} cores, and {accelerator.name} has one"
            return CommandStream(
                commands=stream.commands[:at],
                problem=StreamProblem(stream.positions[at], reason),
                positions=stream.positions[:at],
                size_words=stream.size_words,
            )
    return stream


def _cut_off(stream: CommandStream) -> CommandStream:
    """A stream of which the payload holds less than it promises."""
    problem = stream.problem or StreamProblem(stream.size_words, "")
    reason = "the payload ends before the stream is as long as it says"
    return CommandStream(
        commands=stream.commands,
        problem=StreamProblem(problem.word, reason),
        positions=stream.positions,
        size_words=stream.size_words,
    )


def _regions(
    graph: Subgraph,
    shared: list[TensorId],
    inputs: list[TensorId],
    outputs: tuple[TensorId, ...],
) -> tuple[RegionUse, ...]:
    """Regions in the order in which a driver binds them."""
    roles = [
        *zip(_ROLES, shared, strict=False),
        *((RegionRole.INPUT, number) for number in inputs),
        *((RegionRole.OUTPUT, number) for number in outputs),
    ]
    return tuple(
        RegionUse(
            role=role,
            tensor=number,
            name=graph.tensors[number].name,
            size_bytes=size_bytes(graph.tensors[number]),
        )
        for role, number in roles
    )


def size_bytes(tensor: Tensor) -> int:
    """Bytes that a tensor takes; tensors of no known shape take none."""
    return math.prod(max(dim, 0) for dim in tensor.shape) * tensor.dtype.size_bytes


def _bound(graph: Subgraph, number: TensorId, addresses: tuple[int, ...]) -> BoundTensor:
    tensor = graph.tensors[number]
    address = addresses[number] if number < len(addresses) else -1
    return BoundTensor.of(number, tensor, size_bytes(tensor), address if address >= 0 else None)
