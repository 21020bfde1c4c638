"""A program as a network: plans as subgraphs, kernels as operators, delegates as `ethos-u`.

A runtime copies what a delegate is given into scratch memory and what it makes out of it, so that
each delegate has tensors of its own, and operators beside it that copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import Changing, NamedTuple, field, replace
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.executorch.blob import Blob, BlobTensor
from core.executorch.scales import scales_of
from core.ir.constdata import ConstData
from core.ir.executorch import (
    Call,
    DelegateCall,
    ExecutorchProgram,
    Items,
    KernelCall,
    Plan,
    PlanTensor,
)
from core.ir.network import Network, Operator, Quantization, Subgraph, Tensor
from core.ir.program import BoundTensor

_CUSTOM = "CUSTOM"
_BY_WIDTH = {1: DType.INT8, 2: DType.INT16, 4: DType.INT32, 8: DType.INT64}
_HANDED_OVER = frozenset({DType.BOOL, DType.INT8, DType.UINT8, DType.INT16, DType.INT32})
"""Types that the runtime copies into scratch memory."""
UNPLACED = -1


class DelegatePart(NamedTuple):
    """A delegate's turn, with the tensors of the network that it works on."""

    op: OpRef
    delegate: int
    """Its number in the plan."""
    blob: Blob
    shared: tuple[TensorId, TensorId, TensorId]
    """Constants, scratch memory, fast scratch memory."""
    inputs: tuple[BoundTensor, ...]
    outputs: tuple[BoundTensor, ...]


class NetworkOf(NamedTuple):
    """What a program is as a network."""

    network: Network
    parts: tuple[DelegatePart, ...]
    addresses: tuple[tuple[int, ...], ...]
    """By subgraph and tensor: where it is in a delegate's scratch memory."""
    misfits: tuple[str, ...]


def network_of(
    program: ExecutorchProgram, blobs: Sequence[Sequence[Blob | None]], custom_code: str
) -> NetworkOf:
    """A program with the blobs of each plan's delegates, None for those of other processors."""
    drafts = []
    for number, (plan, own) in enumerate(zip(program.plans, blobs, strict=True)):
        draft = _Draft(SubgraphId(number), plan, own, custom_code, scales_of(program, plan))
        draft.write()
        drafts.append(draft)
    return NetworkOf(
        network=Network(
            subgraphs=tuple(draft.subgraph() for draft in drafts),
            description="ExecuTorch",
            version=program.version,
        ),
        parts=tuple(part for draft in drafts for part in draft.parts),
        addresses=tuple(tuple(draft.addresses) for draft in drafts),
        misfits=tuple(misfit for draft in drafts for misfit in draft.misfits),
    )


def network_of_blob(blob: Blob, custom_code: str) -> NetworkOf:
    """A blob that stands alone: its inputs and outputs are the network's, of unknown types."""
    ends = [(f"input {at}", item) for at, item in enumerate(blob.inputs)]
    ends += [(f"output {at}", item) for at, item in enumerate(blob.outputs)]
    values = tuple(_as_value(item) for _, item in ends)
    count = len(blob.inputs)
    plan = Plan(
        name="",
        values=values,
        inputs=tuple(range(count)),
        outputs=tuple(range(count, len(values))),
        calls=(),
        delegates=(),
        buffer_bytes=(),
    )
    draft = _Draft(SubgraphId(0), plan, (blob,), custom_code, {})
    made = [draft.tensor(at) for at in range(len(values))]
    draft.run(0, blob, made[:count], made[count:])
    return NetworkOf(
        network=Network(subgraphs=(draft.subgraph(),), description="a delegate of ExecuTorch"),
        parts=tuple(draft.parts),
        addresses=(tuple(draft.addresses),),
        misfits=(),
    )


def _as_value(item: BlobTensor) -> PlanTensor:
    shape = _without_ones(item.shape)
    return PlanTensor(
        sizes=shape, dim_order=tuple(range(len(shape))), dtype=_BY_WIDTH[item.element_bytes]
    )


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without the ones that it begins with, but for the batch of an image."""
    first = next((at for at, size in enumerate(shape) if size != 1), len(shape) - 1)
    return shape[min(first, 2) if first >= 2 else first :]


class _Draft(Changing):
    """A plan that is becoming a subgraph."""

    number: SubgraphId
    plan: Plan
    blobs: Sequence[Blob | None]
    custom_code: str
    scales: dict[int, Quantization]
    """By value, where anything says it."""
    tensors: list[Tensor] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    parts: list[DelegatePart] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)
    _of_value: dict[int, TensorId] = field(default_factory=dict)
    _made: set[int] = field(default_factory=set)
    """Values that are there before the next call."""

    def write(self) -> None:
        """All values and calls."""
        self._made.update(self.plan.inputs)
        for value, held in enumerate(self.plan.values):
            if isinstance(held, PlanTensor):
                self.tensor(value)
                if held.data is not None:
                    self._made.add(value)
        for call in self.plan.calls:
            self._call(call)

    def subgraph(self) -> Subgraph:
        """What has been written."""
        ends = (self._tensors(self.plan.inputs), self._tensors(self.plan.outputs))
        return Subgraph(
            name=self.plan.name,
            tensors=tuple(self.tensors),
            operators=tuple(self.operators),
            inputs=ends[0],
            outputs=ends[1],
        )

    def tensor(self, value: int) -> TensorId:
        """The tensor that a value is."""
        found = self._of_value.get(value)
        if found is None:
            held = self.plan.values[value]
            assert isinstance(held, PlanTensor)
            found = self._of_value[value] = self._add(
                Tensor(
                    name=self._name(value),
                    shape=held.stored_shape,
                    dtype=held.dtype,
                    quantization=self.scales.get(value),
                    data=held.data,
                )
            )
        return found

    def run(
        self,
        delegate: int,
        blob: Blob,
        given: Sequence[TensorId],
        made: Sequence[TensorId],
    ) -> None:
        """An operator that runs a blob on tensors that are its own."""
        commands = np.frombuffer(blob.commands, np.uint8)
        weights = np.frombuffer(blob.weights, np.uint8)
        head = f"delegate {delegate}"
        shared = (
            self._add(_bytes(f"{head} constants", weights.size, ConstData.of(weights)), 0),
            self._add(_bytes(f"{head} scratch", blob.scratch_bytes), 0),
            self._add(_bytes(f"{head} fast scratch", 0)),
        )
        stream = self._add(_bytes(f"{head} commands", commands.size, ConstData.of(commands)))
        ref = OpRef(self.number, OpId(len(self.operators)))
        self._operator(self.custom_code, (stream, *shared, *given), made)
        self.parts.append(
            DelegatePart(
                op=ref,
                delegate=delegate,
                blob=blob,
                shared=shared,
                inputs=tuple(map(self._bound, given, blob.inputs)),
                outputs=tuple(map(self._bound, made, blob.outputs)),
            )
        )

    def _bound(self, number: TensorId, item: BlobTensor) -> BoundTensor:
        tensor = self.tensors[number]
        self.addresses[number] = item.offset_bytes
        return BoundTensor.of(number, tensor, item.size_bytes, item.offset_bytes)

    def _add(self, tensor: Tensor, address: int = UNPLACED) -> TensorId:
        self.tensors.append(tensor)
        self.addresses.append(address)
        return TensorId(len(self.tensors) - 1)

    def _name(self, value: int) -> str:
        for what, values in (("input", self.plan.inputs), ("output", self.plan.outputs)):
            if value in values:
                return f"{what} {values.index(value)}"
        return f"value {value}"

    def _tensors(self, values: Sequence[int]) -> tuple[TensorId, ...]:
        return tuple(self._of_value[value] for value in self._held(values))

    def _held(self, values: Sequence[int]) -> Iterator[int]:
        """The values among some that are tensors, also those in lists."""
        for value in values:
            held = self.plan.values[value]
            if isinstance(held, PlanTensor):
                yield value
            elif isinstance(held, Items):
                inside = (each for each in held.values if each < len(self.plan.values))
                yield from (
                    each for each in inside if isinstance(self.plan.values[each], PlanTensor)
                )

    def _operator(
        self, title: str, inputs: Sequence[TensorId], outputs: Sequence[TensorId]
    ) -> None:
        self.operators.append(
            Operator(kind=_CUSTOM, custom_code=title, inputs=tuple(inputs), outputs=tuple(outputs))
        )

    def _call(self, call: Call) -> None:
        match call:
            case KernelCall(kernel=kernel, args=args):
                self._kernel(kernel, args)
            case DelegateCall(delegate=number, args=args):
                blob = self.blobs[number]
                if blob is None:
                    self._kernel(f"{self.plan.delegates[number].backend} {number}", args)
                else:
                    self._delegate(number, blob, tuple(self._held(args)))
            case _:
                self._operator(call.kind, (), ())

    def _kernel(self, title: str, args: Sequence[int]) -> None:
        """A kernel writes the tensors among its arguments that nothing has made before it."""
        held = tuple(dict.fromkeys(self._held(args)))
        made = [value for value in held if value not in self._made] or list(held[-1:])
        given = [value for value in held if value not in made]
        self._operator(title, self._tensors(given), self._tensors(made))
        self._made.update(made)

    def _delegate(self, number: int, blob: Blob, args: tuple[int, ...]) -> None:
        count = len(blob.inputs)
        given, wanted = args[:count], args[count:]
        if len(given) < count:
            raise InputError(
                f"delegate {number} needs {count} inputs, where the program hands over"
                f" {len(args)} tensors",
                f"plan '{self.plan.name}'",
            )
        pairs = tuple(self._paired(number, wanted, blob.outputs))
        for at, (value, item) in enumerate(zip(given, blob.inputs, strict=True)):
            self._compare(f"input {at} of delegate {number}", value, item)
        own = [
            self._own(f"delegate {number} input {at}", *each)
            for at, each in enumerate(zip(given, blob.inputs, strict=True))
        ]
        made = [
            self._own(f"delegate {number} output {at}", value, item)
            for at, (value, item) in enumerate(zip(pairs, blob.outputs, strict=True))
        ]
        self._operator(f"copy into delegate {number}", self._tensors(given), own)
        self.run(number, blob, own, made)
        there = [
            (value, tensor) for value, tensor in zip(pairs, made, strict=True) if value is not None
        ]
        self._operator(
            f"copy out of delegate {number}",
            [tensor for _, tensor in there],
            self._tensors([value for value, _ in there]),
        )
        self._made.update(wanted)

    def _paired(
        self, number: int, wanted: tuple[int, ...], outputs: tuple[BlobTensor, ...]
    ) -> Iterator[int | None]:
        """For each output of a blob the value that it is: those of another size are passed over."""
        if len(wanted) == len(outputs):
            for at, (value, item) in enumerate(zip(wanted, outputs, strict=True)):
                self._compare(f"output {at} of delegate {number}", value, item)
            yield from wanted
            return
        self.misfits.append(
            f"delegate {number} makes {len(outputs)} of {len(wanted)} outputs that the program"
            " takes from it"
        )
        left = list(enumerate(wanted))
        for item in outputs:
            found = next((each for each in left if self._bytes(each[1]) == item.size_bytes), None)
            yield None if found is None else found[1]
            if found is not None:
                left.remove(found)
        for at, value in left:
            self.misfits.append(
                f"output {at} of delegate {number}, {self._told(value)}, is made by nobody"
            )

    def _bytes(self, value: int) -> int:
        held = self.plan.values[value]
        return held.size_bytes if isinstance(held, PlanTensor) else 0

    def _told(self, value: int) -> str:
        held = self.plan.values[value]
        assert isinstance(held, PlanTensor)
        shape = "x".join(map(str, held.sizes)) or "scalar"
        return f"{held.dtype.name.lower()} {shape}"

    def _compare(self, what: str, value: int, item: BlobTensor) -> None:
        """Hold a tensor of the program against what the blob says of it, as runtimes do."""
        held = self.plan.values[value]
        assert isinstance(held, PlanTensor)
        pairs = [
            ("", item.size_bytes, held.size_bytes),
            ("elements of ", item.element_bytes, held.dtype.size_bytes),
        ]
        for each, there, here in pairs:
            if there != here:
                told = f"{each}{there} B in the blob, and {each}{here} B in the program"
                self.misfits.append(f"{what} has {told}")
                return
        if held.dtype not in _HANDED_OVER:
            self.misfits.append(f"{what} is {held.dtype.name.lower()}, which no runtime hands over")

    def _own(self, name: str, value: int | None, item: BlobTensor) -> TensorId:
        """A tensor of a delegate's own: as the program has it where that agrees with the blob."""
        held = None if value is None else self.plan.values[value]
        known = _as_value(item)
        quantization = None
        if isinstance(held, PlanTensor) and held.size_bytes == item.size_bytes:
            # A truth value is one byte.
            dtype = DType.INT8 if held.dtype is DType.BOOL else held.dtype
            if dtype.size_bytes == item.element_bytes:
                known = replace(held, dtype=dtype)
            quantization = None if value is None else self.scales.get(value)
        return self._add(
            Tensor(
                name=name,
                shape=known.stored_shape,
                dtype=known.dtype,
                quantization=quantization,
            )
        )


def _bytes(name: str, size: int, data: ConstData | None = None) -> Tensor:
    return Tensor(name=name, shape=(size,), dtype=DType.UINT8, data=data)
