"""An ExecuTorch program as its file describes it: plans of calls over values, and delegates."""

from __future__ import annotations

import math

from core.base.dtype import DType
from core.base.frozen import Frozen, NamedTuple
from core.ir.constdata import ConstData


class PlannedPlace(NamedTuple):
    """Where a tensor is in the memory that the program plans."""

    memory: int
    """Which of the plan's buffers; 0 stands for constants."""
    offset_bytes: int


class PlanTensor(Frozen):
    """A tensor value; its elements are stored in the order of `dim_order`, the outermost first."""

    sizes: tuple[int, ...]
    dim_order: tuple[int, ...]
    dtype: DType
    data: ConstData | None = None
    """Of a constant, as it is stored."""
    place: PlannedPlace | None = None

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The sizes in the order in which elements are stored."""
        return tuple(self.sizes[axis] for axis in self.dim_order)

    @property
    def size_bytes(self) -> int:
        """Bytes of all elements."""
        return math.prod(self.sizes) * self.dtype.size_bytes


class Items(Frozen):
    """A list of numbers or of values, by the name that the format has for it."""

    kind: str
    items: tuple[int, ...] | tuple[float, ...] | tuple[bool, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """The values that a list of tensors names; none in other lists, and none for no tensor."""
        if self.kind not in {"TensorList", "OptionalTensorList"}:
            return ()
        return tuple(int(item) for item in self.items if item >= 0)


PlanValue = None | int | bool | float | str | PlanTensor | Items


class KernelCall(Frozen):
    """An operator that the CPU runs."""

    kernel: str
    """Its name, with the overload after a dot."""
    args: tuple[int, ...]
    """Numbers of values: inputs, parameters, outputs."""


class DelegateCall(Frozen):
    """A delegate's turn."""

    delegate: int
    args: tuple[int, ...]
    """Numbers of values: inputs, then outputs."""


class OtherCall(Frozen):
    """What is neither: a move, a jump, a value that is freed."""

    kind: str
    numbers: tuple[int, ...]


Call = KernelCall | DelegateCall | OtherCall


class Delegate(Frozen):
    """What was compiled for another processor."""

    backend: str
    blob: bytes
    specs: tuple[tuple[str, bytes], ...]
    """What it was compiled with, by key."""


class Plan(Frozen):
    """One method of the module that was exported."""

    name: str
    values: tuple[PlanValue, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    calls: tuple[Call, ...]
    """Of all chains, one after the other."""
    delegates: tuple[Delegate, ...]
    buffer_bytes: tuple[int, ...]
    """Of each planned memory, by its number; the first stands for constants."""


class ExecutorchProgram(Frozen):
    """A whole program; a runtime runs one of its plans at a time."""

    plans: tuple[Plan, ...]
    version: int = 0
