"""Operators that take tensors apart and put them together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.ir.network import FieldValue
from core.synth.activations import fused
from core.synth.draws import Array
from core.synth.graph import Operand, Result, Value, integers, table
from core.synth.shaping import Shaping


class Joining(Shaping):
    """Builders of concatenation, splitting, slicing, packing and unpacking."""

    def concat(self, values: Sequence[Value], axis: int = -1) -> Value:
        """CONCATENATION of values that share their quantisation."""
        values = self.united(values)
        axis %= len(values[0].shape)
        options = table("ConcatenationOptions", {"axis": axis} | fused("NONE"))
        return self.apply(
            "CONCATENATION",
            values,
            lambda *arrays: np.concatenate(arrays, axis),
            options,
            tied=True,
        )

    def pack(self, values: Sequence[Value], axis: int) -> Value:
        """PACK: values of one shape side by side along a new axis."""
        values = self.united(values)
        options = table("PackOptions", {"values_count": len(values), "axis": axis})
        return self.apply(
            "PACK", values, lambda *arrays: np.stack(arrays, axis), options, tied=True
        )

    def unpack(self, value: Value, axis: int) -> tuple[Value, ...]:
        """UNPACK: one value for each position of an axis."""
        count = value.shape[axis]
        parts = [[np.take(array, at, axis) for array in self.samples(value)] for at in range(count)]
        options: dict[str, FieldValue] = {"num": count, "axis": axis}
        return self._parts("UNPACK", (value,), parts, options)

    def split(self, value: Value, count: int, axis: int) -> tuple[Value, ...]:
        """SPLIT into equal parts."""
        size = value.shape[axis] // count
        parts = self._cut(value, [size] * count, axis)
        operands = (integers("axis", axis), value)
        return self._parts("SPLIT", operands, parts, {"num_splits": count})

    def split_by(self, value: Value, sizes: Sequence[int], axis: int) -> tuple[Value, ...]:
        """SPLIT_V into parts of given sizes."""
        parts = self._cut(value, sizes, axis)
        operands = (value, integers("sizes", sizes), integers("axis", axis))
        return self._parts("SPLIT_V", operands, parts, {"num_splits": len(sizes)})

    def slice(self, value: Value, begin: Sequence[int], size: Sequence[int]) -> Value:
        """SLICE: a box of the value."""
        operands = (value, integers("begin", begin), integers("size", size))
        box = tuple(slice(at, at + each) for at, each in zip(begin, size, strict=True))
        options = table("SliceOptions")
        return self.apply("SLICE", operands, lambda array: array[box], options, tied=True)

    def strided_slice(
        self,
        value: Value,
        begin: Sequence[int],
        end: Sequence[int],
        strides: Sequence[int],
    ) -> Value:
        """STRIDED_SLICE with every bound given."""
        operands = (
            value,
            integers("begin", begin),
            integers("end", end),
            integers("strides", strides),
        )
        box = tuple(slice(*each) for each in zip(begin, end, strides, strict=True))
        masks: dict[str, FieldValue] = dict.fromkeys(
            ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0
        )
        options = table("StridedSliceOptions", masks)
        return self.apply("STRIDED_SLICE", operands, lambda array: array[box], options, tied=True)

    def _cut(self, value: Value, sizes: Sequence[int], axis: int) -> list[list[Array]]:
        borders = np.cumsum(sizes)[:-1]
        pieces = [np.split(array, borders, axis) for array in self.samples(value)]
        return [list(part) for part in zip(*pieces, strict=True)]

    def _parts(
        self,
        kind: str,
        operands: Sequence[Operand],
        parts: Sequence[Sequence[Array]],
        options: dict[str, FieldValue],
    ) -> tuple[Value, ...]:
        source = next(operand for operand in operands if isinstance(operand, Value))
        dtype = self.dtype_of(source)
        results = [Result(samples=tuple(part), dtype=dtype, like=source) for part in parts]
        name = {"SPLIT_V": "SplitVOptions"}.get(kind, f"{kind.capitalize()}Options")
        return self.emit(kind, operands, results, table(name, options))
