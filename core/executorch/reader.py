"""From the bytes of an ExecuTorch program to its plans."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.base.dtype import DType
from core.executorch.container import Container, held_by, open_program, unbundled
from core.executorch.schema import EXECUTORCH
from core.flatbuf.view import TableView
from core.ir.constdata import ConstData
from core.ir.executorch import (
    Call,
    Delegate,
    DelegateCall,
    ExecutorchProgram,
    Items,
    KernelCall,
    OtherCall,
    Plan,
    PlannedPlace,
    PlanTensor,
    PlanValue,
)

_MAX_RANK = 16
"""As many dimensions as the runtime's tensors can have."""
_SCALARS = {"Int": "int_val", "Bool": "bool_val", "Double": "double_val"}


def read(data: bytes) -> ExecutorchProgram:
    """The program that the bytes describe, bundled or not."""
    container = open_program(unbundled(data))
    root = container.root
    if not root.count("execution_plan"):
        root.fail("execution_plan", "the file has none")
    return ExecutorchProgram(
        version=root.scalar("version"),
        plans=tuple(_plan(view, container) for view in root.tables("execution_plan")),
    )


def _plan(view: TableView, container: Container) -> Plan:
    constants = _Constants(container)
    values = tuple(_value(item, constants) for item in view.tables("values"))
    names = tuple(_kernel_name(item) for item in view.tables("operators"))
    delegates = tuple(_delegate(item, container) for item in view.tables("delegates"))
    read = _Calls(len(values), names, len(delegates))
    return Plan(
        name=view.string("name"),
        values=values,
        inputs=_among(view, "inputs", len(values), "value"),
        outputs=_among(view, "outputs", len(values), "value"),
        calls=tuple(
            read.call(item)
            for chain in view.tables("chains")
            for item in chain.tables("instructions")
        ),
        delegates=delegates,
        buffer_bytes=view.numbers("non_const_buffer_sizes"),
    )


def _kernel_name(view: TableView) -> str:
    name, overload = view.string("name"), view.string("overload")
    return f"{name}.{overload}" if overload else name


def _among(view: TableView, name: str, count: int, what: str) -> tuple[int, ...]:
    numbers = view.numbers(name)
    for number in numbers:
        if not 0 <= number < count:
            view.fail(name, f"there is no {what} {number}; the plan has {count}")
    return numbers


class _Calls:
    """Reads calls of a plan of which is known what they can name."""

    def __init__(self, values: int, kernels: tuple[str, ...], delegates: int) -> None:
        self._values, self._kernels, self._delegates = values, kernels, delegates

    def call(self, view: TableView) -> Call:
        """One call."""
        args = view.union("instr_args")
        if args is None:
            view.fail("instr_args", "says nothing of what is to be done")
        match args.schema.kind:
            case "KernelCall":
                number = args.scalar("op_index")
                if not 0 <= number < len(self._kernels):
                    args.fail("op_index", f"there is no operator {number} in the plan")
                return KernelCall(kernel=self._kernels[number], args=self._args(args))
            case "DelegateCall":
                number = args.scalar("delegate_index")
                if not 0 <= number < self._delegates:
                    args.fail("delegate_index", f"there is no delegate {number} in the plan")
                return DelegateCall(delegate=number, args=self._args(args))
            case kind:
                numbers = tuple(int(args.scalar(field.name)) for field in args.schema.fields)
                return OtherCall(kind=kind, numbers=numbers)

    def _args(self, view: TableView) -> tuple[int, ...]:
        return _among(view, "args", self._values, "value")


def _delegate(view: TableView, container: Container) -> Delegate:
    place = held_by(view, container).place
    return Delegate(
        backend=view.string("id"),
        blob=container.root.copied_from(*place, "delegates"),
        specs=tuple(
            (item.string("key"), item.copied("value")) for item in view.tables("compile_specs")
        ),
    )


class _Constants:
    """The bytes of constant tensors, which are in the flatbuffer or in a segment."""

    def __init__(self, container: Container) -> None:
        self._root = container.root
        self._segments = container.segments
        self._inline = tuple(container.root.tables("constant_buffer"))
        where = container.root.table("constant_segment")
        self._segment = 0 if where is None else where.scalar("segment_index")
        self._offsets = () if where is None else where.numbers("offsets")

    def bytes_of(self, view: TableView, number: int, size: int) -> bytes | None:
        """So many bytes of a constant; None where they are in another file."""
        if self._inline:
            if number >= len(self._inline):
                view.fail("data_buffer_idx", f"there is no constant {number}")
            data = self._inline[number].copied("storage")
            if len(data) < size:
                view.fail("data_buffer_idx", f"has {len(data)} bytes, where {size} are needed")
            return data[:size]
        if not self._offsets:
            return None
        if number >= len(self._offsets) or self._segment >= len(self._segments):
            view.fail("data_buffer_idx", f"there is no constant {number}")
        start, segment_bytes = self._segments[self._segment]
        if self._offsets[number] + size > segment_bytes:
            view.fail("data_buffer_idx", "reaches beyond the end of the constants")
        return self._root.copied_from(start + self._offsets[number], size, "constant_segment")


def _value(view: TableView, constants: _Constants) -> PlanValue:
    held = view.union("val")
    if held is None:
        return None
    kind = held.schema.kind
    if kind in _SCALARS:
        value: PlanValue = held.scalar(_SCALARS[kind])
        return value
    if kind == "Tensor":
        return _tensor(held, constants)
    if "items" in held.schema.by_name:
        return Items(kind=kind, items=held.numbers("items"))
    return held.string("string_val") if kind == "String" else None


def _tensor(view: TableView, constants: _Constants) -> PlanTensor:
    sizes, order = view.numbers("sizes"), tuple(view.copied("dim_order"))
    if len(sizes) > _MAX_RANK or any(size < 0 for size in sizes):
        view.fail("sizes", f"{sizes} are no dimensions of a tensor")
    if not order:
        order = tuple(range(len(sizes)))
    if sorted(order) != list(range(len(sizes))):
        view.fail("dim_order", f"{order} is no order of {len(sizes)} dimensions")
    dtype = _dtype(view)
    number, where = view.scalar("data_buffer_idx"), view.table("allocation_info")
    data = None
    if number and where is None:
        shape = tuple(sizes[axis] for axis in order)
        data = _constant(view, constants, number, dtype, shape)
    return PlanTensor(
        sizes=sizes,
        dim_order=order,
        dtype=dtype,
        data=data,
        place=None if where is None else _place(where),
    )


def _place(view: TableView) -> PlannedPlace:
    offset = view.scalar("memory_offset_high") << 32 | view.scalar("memory_offset_low")
    return PlannedPlace(view.scalar("memory_id"), offset)


def _dtype(view: TableView) -> DType:
    code = view.scalar("scalar_type")
    name = EXECUTORCH.names_of("ScalarType").get(code)
    if name is None:
        view.fail("scalar_type", f"{code} is no known element type")
    return DType[name]


def _constant(
    view: TableView, constants: _Constants, number: int, dtype: DType, shape: tuple[int, ...]
) -> ConstData | None:
    size = math.prod(shape) * dtype.size_bytes
    data = constants.bytes_of(view, number, size)
    if data is None:
        return None
    array: Any = np.frombuffer(data, np.uint8)
    if dtype.numpy is not None:
        array = array.view(np.dtype(dtype.numpy)).reshape(shape)
    return ConstData.of(array)
