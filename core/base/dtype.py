"""Element types of tensors, with the numbers that TensorFlow Lite files use for them."""

from __future__ import annotations

import enum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen


class _Facts(Frozen, kw_only=False):
    code: int
    bits: int
    numpy: str


class DType(enum.Enum):
    """An element type; `STRING`, `RESOURCE` and `VARIANT` have no fixed width."""

    FLOAT32 = _Facts(0, 32, "<f4")
    FLOAT16 = _Facts(1, 16, "<f2")
    INT32 = _Facts(2, 32, "<i4")
    UINT8 = _Facts(3, 8, "u1")
    INT64 = _Facts(4, 64, "<i8")
    STRING = _Facts(5, 0, "")
    BOOL = _Facts(6, 8, "?")
    INT16 = _Facts(7, 16, "<i2")
    COMPLEX64 = _Facts(8, 64, "<c8")
    INT8 = _Facts(9, 8, "i1")
    FLOAT64 = _Facts(10, 64, "<f8")
    COMPLEX128 = _Facts(11, 128, "<c16")
    UINT64 = _Facts(12, 64, "<u8")
    RESOURCE = _Facts(13, 0, "")
    VARIANT = _Facts(14, 0, "")
    UINT32 = _Facts(15, 32, "<u4")
    UINT16 = _Facts(16, 16, "<u2")
    INT4 = _Facts(17, 4, "")
    BFLOAT16 = _Facts(18, 16, "")

    @property
    def code(self) -> int:
        """The number of this type in a TensorFlow Lite file."""
        return self.value.code

    @cached_property
    def bits(self) -> int:
        """Width of one element; 0 where it varies."""
        return self.value.bits

    @cached_property
    def size_bytes(self) -> int:
        """Bytes that one element takes in memory of its own."""
        return (self.bits + 7) // 8

    @property
    def numpy(self) -> npt.DTypeLike | None:
        """The numpy type of the elements, or None where numpy has none."""
        return np.dtype(self.value.numpy) if self.value.numpy else None

    @property
    def is_integer(self) -> bool:
        """Whether quantised values of this type can reach the NPU's integer arithmetic."""
        return self in _SIGNED or self in _UNSIGNED

    @property
    def is_signed(self) -> bool:
        """Whether this is an integer type with negative values."""
        return self in _SIGNED

    @property
    def limits(self) -> tuple[int, int]:
        """Least and greatest integer of this type."""
        if self.is_signed:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1

    @classmethod
    def from_code(cls, code: int) -> DType | None:
        """The type with this number in a TensorFlow Lite file, if there is one."""
        return _BY_CODE.get(code)


_SIGNED = frozenset({DType.INT4, DType.INT8, DType.INT16, DType.INT32, DType.INT64})
_UNSIGNED = frozenset({DType.UINT8, DType.UINT16, DType.UINT32, DType.UINT64})
_BY_CODE = {dtype.value.code: dtype for dtype in DType}
