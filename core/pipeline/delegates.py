"""From a program of ExecuTorch, or a blob of one of its delegates, to what its streams do."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.errors import InputError
from core.base.frozen import replace
from core.emit.conventions import CUSTOM_CODE
from core.emit.open import read_stream
from core.emit.payload import read_payload
from core.emit.touched import written_bytes
from core.executorch import reader
from core.executorch.beside import Beside, own_first
from core.executorch.blob import Blob, BlobTensor, read_blob
from core.executorch.flags import Flags, flags_of
from core.executorch.network import DelegatePart, NetworkOf, network_of, network_of_blob
from core.executorch.schema import BACKEND, is_blob
from core.executorch.tables import inputs_bytes, tables_bytes
from core.ir.constdata import ConstData
from core.ir.executorch import Delegate, ExecutorchProgram, Plan
from core.ir.network import Network, Tensor
from core.ir.pools import DelegatePools, Pools
from core.ir.program import Program, ProgramPart, RegionRole, RegionUse

_SCRATCH, _FAST = 1, 2
_ROLES = (RegionRole.CONSTANTS, RegionRole.SCRATCH, RegionRole.SCRATCH_FAST)
_LATER = 2
"""The first major version of an architecture whose commands are others."""


class LaterAcceleratorError(InputError):
    """A delegate is for an accelerator of which no commands are read here."""

    def __init__(self, message: str, where: str, blob: Blob) -> None:
        super().__init__(message, where)
        self.input_bytes = [item.size_bytes for item in blob.inputs]
        self.output_bytes = [item.size_bytes for item in blob.outputs]


def open_delegates(data: bytes, beside: Beside) -> tuple[Network, Program]:
    """The network and the program in a file of ExecuTorch."""
    if is_blob(data):
        blob = read_blob(data, beside)
        _demand_readable("", blob)
        return _opened(network_of_blob(blob, CUSTOM_CODE), "", Flags())
    program, beside = reader.read(data), own_first(data, beside)
    blobs = [
        [_blob(number, delegate, beside) for number, delegate in enumerate(plan.delegates)]
        for plan in program.plans
    ]
    if not any(blob is not None for own in blobs for blob in own):
        raise InputError(_without_delegates(program))
    flags = _flags(program)
    made_by = f"ExecuTorch{f', {flags.specification}' if flags.specification else ''}"
    return _opened(network_of(program, blobs, CUSTOM_CODE), made_by, flags, program.plans)


def _blob(number: int, delegate: Delegate, beside: Beside) -> Blob | None:
    """What a delegate for Ethos-U was compiled to."""
    if delegate.backend != BACKEND:
        return None
    where = f"delegate {number}"
    try:
        blob = read_blob(delegate.blob, beside)
    except InputError as error:
        within = f"{where}, {error.where}" if error.where else where
        raise InputError(error.message, within) from error
    _demand_readable(where, blob)
    return blob


def _demand_readable(where: str, blob: Blob) -> None:
    """Refuse, with all that is known of it, what is for an accelerator of which none is read."""
    try:
        payload = read_payload(blob.commands)
    except InputError as error:
        within = f"{where}, {error.where}" if where and error.where else where or error.where
        raise InputError(f"its payload {error.message}", within) from error
    if payload.architecture.major < _LATER:
        return
    macs = payload.accelerator.macs
    version = ".".join(str(number) for number in payload.architecture[:3])
    ends = [
        f"{what} {number} of {_told(item)}"
        for what, items in (("input", blob.inputs), ("output", blob.outputs))
        for number, item in enumerate(items)
    ]
    raise LaterAcceleratorError(
        f"is for an Ethos-U85 of {macs} MACs (architecture {version}), whose commands cannot be"
        f" read here; it has {len(payload.stream)} words of commands, {len(blob.weights):,} bytes"
        f" of weights, {blob.scratch_bytes:,} of scratch memory, {', '.join(ends)}",
        where,
        blob,
    )


def _told(item: BlobTensor) -> str:
    shape = "x".join(map(str, item.shape)).removeprefix("1x1x")
    return f"{item.element_bytes} x {shape} bytes"


def _without_delegates(program: ExecutorchProgram) -> str:
    others = sorted({each.backend for plan in program.plans for each in plan.delegates})
    told = f"; its delegates are for {', '.join(others)}" if others else ""
    return f"the program has no delegate for Ethos-U{told}"


def _flags(program: ExecutorchProgram) -> Flags:
    """What the first delegate for Ethos-U was compiled with."""
    return next(
        flags_of(each.specs)
        for plan in program.plans
        for each in plan.delegates
        if each.backend == BACKEND
    )


def _opened(
    made: NetworkOf, compiler: str, flags: Flags, plans: Sequence[Plan] = ()
) -> tuple[Network, Program]:
    if not made.parts:
        raise InputError("no plan of the program ever calls its delegates for Ethos-U")
    parts = tuple(_part(made.network, part) for part in made.parts)
    program = Program(
        parts=parts,
        compiler=compiler,
        cpu_ops=tuple(
            op.title for _, op in made.network.operators() if op.custom_code != CUSTOM_CODE
        ),
        arena_addresses=made.addresses,
        system_config=flags.system_config,
        memory_mode=flags.memory_mode,
        misfits=made.misfits,
        pools=tuple(_pools(plan, made.parts, parts, number) for number, plan in enumerate(plans)),
    )
    return _with_fast_scratch(made.network, parts), program


def _pools(
    plan: Plan, delegates: Sequence[DelegatePart], parts: Sequence[ProgramPart], number: int
) -> Pools:
    """What a plan takes, with the delegates that it calls."""
    own = [pair for pair in zip(delegates, parts, strict=True) if pair[1].op.subgraph == number]
    return Pools(
        plan=plan.name,
        planned=plan.buffer_bytes[1:],
        tables_bytes=tables_bytes(plan),
        inputs_bytes=inputs_bytes(plan),
        delegates=tuple(
            DelegatePools(
                delegate=made.delegate,
                scratch_bytes=part.regions[_SCRATCH].size_bytes,
                fast_scratch_bytes=part.regions[_FAST].size_bytes,
                copied_bytes=sum(item.size_bytes for item in (*part.inputs, *part.outputs)),
            )
            for made, part in own
        ),
    )


def _part(network: Network, part: DelegatePart) -> ProgramPart:
    payload, stream = read_stream(part.blob.commands)
    graph = network.subgraphs[part.op.subgraph]
    # No file says how much fast scratch memory it needs: as much as its commands fill, since what
    # they read there they have written before.
    sizes = (len(part.blob.weights), part.blob.scratch_bytes, written_bytes(stream, _FAST))
    constants = graph.tensors[part.shared[0]].data
    assert isinstance(constants, ConstData)
    return ProgramPart(
        op=part.op,
        accelerator=payload.accelerator,
        architecture=payload.architecture,
        stream=stream,
        regions=tuple(
            RegionUse(role=role, tensor=tensor, name=graph.tensors[tensor].name, size_bytes=size)
            for role, tensor, size in zip(_ROLES, part.shared, sizes, strict=True)
        ),
        constants=constants,
        inputs=part.inputs,
        outputs=part.outputs,
        title=f"delegate {part.delegate}",
    )


def _with_fast_scratch(network: Network, parts: tuple[ProgramPart, ...]) -> Network:
    """The network with the sizes that were found."""
    graphs = [list(graph.tensors) for graph in network.subgraphs]
    for part in parts:
        use = part.regions[_FAST]
        tensors: list[Tensor] = graphs[part.op.subgraph]
        tensors[use.tensor] = replace(tensors[use.tensor], shape=(use.size_bytes,))
    subgraphs = zip(network.subgraphs, graphs, strict=True)
    return replace(
        network,
        subgraphs=tuple(replace(graph, tensors=tuple(own)) for graph, own in subgraphs),
    )
