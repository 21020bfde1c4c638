"""A graph of TOSA as its file describes it: operators over tensors, each made once."""

from __future__ import annotations

import enum

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.ir.constdata import ConstData
from core.ir.network import Table


class Element(enum.Enum):
    """An element type of the integer profile; the others have no numbers here."""

    BOOL = 1
    INT4 = 4
    INT8 = 8
    INT16 = 16
    INT32 = 32
    INT48 = 48
    SHAPE = 64

    @property
    def numpy(self) -> npt.DTypeLike:
        """The numpy type that holds an element."""
        return _NUMPY[self]

    @property
    def limits(self) -> tuple[int, int]:
        """Least and greatest number."""
        if self is Element.BOOL:
            return 0, 1
        half = 1 << (self.value - 1)
        return -half, half - 1


_NUMPY = {
    Element.BOOL: np.dtype(np.bool_),
    Element.INT4: np.dtype(np.int8),
    Element.INT8: np.dtype(np.int8),
    Element.INT16: np.dtype("<i2"),
    Element.INT32: np.dtype("<i4"),
    Element.INT48: np.dtype("<i8"),
    Element.SHAPE: np.dtype("<i8"),
}


class TosaTensor(Frozen):
    """A tensor, or a shape that operators are given; constant when it has data."""

    name: str
    shape: tuple[int, ...]
    element: Element
    data: ConstData | None = None


class TosaOperator(Frozen):
    """An operator; `kind` is the specification's name for it, such as CONV2D."""

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    """Numbers of tensors."""
    attribute: Table


class TosaGraph(Frozen):
    """A whole graph; operators stand in an order in which they can be computed."""

    tensors: tuple[TosaTensor, ...]
    operators: tuple[TosaOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    version: tuple[int, int, int]

    def title(self, number: int) -> str:
        """What a user calls an operator."""
        op = self.operators[number]
        name = self.tensors[op.outputs[0]].name if op.outputs else ""
        return f"{op.kind} {number} ('{name}')"
