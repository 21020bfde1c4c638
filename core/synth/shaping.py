"""Operators that move elements without computing: shapes, parts, joins and borders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.dtype import DType
from core.synth.draws import Array
from core.synth.graph import Graph, Result, Value, enum_value, integers, table


class Shaping(Graph):
    """Builders of reshapes, permutations, copies and conversions of whole tensors."""

    def convert(self, kind: str, value: Value, dtype: DType) -> Value:
        """QUANTIZE or DEQUANTIZE: the same numbers in another element type or other steps."""
        options = table(f"{kind.capitalize()}Options")
        result = Result(samples=self.samples(value), dtype=dtype)
        return self.emit(kind, (value,), (result,), options)[0]

    def quantize(self, value: Value, dtype: DType | None = None) -> Value:
        """QUANTIZE to parameters, and maybe an element type, of its own."""
        return self.convert("QUANTIZE", value, dtype or self.dtype_of(value))

    def united(self, values: Sequence[Value]) -> tuple[Value, ...]:
        """The values in one common quantisation; what has a dictated one is converted first."""
        if any(self.is_fixed(value) for value in values):
            values = [
                self.convert("QUANTIZE", value, self.dtype_of(value))
                if self.is_fixed(value)
                else value
                for value in values
            ]
        self.tie(*values)
        return tuple(values)

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        options = table("ReshapeOptions", {"new_shape": tuple(shape)})
        operands = (value, integers("shape", shape))
        return self.apply(
            "RESHAPE", operands, lambda array: array.reshape(tuple(shape)), options, tied=True
        )

    def expand_dims(self, value: Value, axis: int) -> Value:
        options = table("ExpandDimsOptions")
        operands = (value, integers("axis", axis))
        return self.apply(
            "EXPAND_DIMS", operands, lambda array: np.expand_dims(array, axis), options, tied=True
        )

    def squeeze(self, value: Value, axes: Sequence[int]) -> Value:
        """SQUEEZE of axes of length one."""
        options = table("SqueezeOptions", {"squeeze_dims": tuple(axes)})
        return self.apply(
            "SQUEEZE", (value,), lambda array: np.squeeze(array, tuple(axes)), options, tied=True
        )

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        operands = (value, integers("order", order))
        options = table("TransposeOptions")
        return self.apply(
            "TRANSPOSE", operands, lambda array: array.transpose(tuple(order)), options, tied=True
        )

    def tile(self, value: Value, multiples: Sequence[int]) -> Value:
        operands = (value, integers("multiples", multiples))
        options = table("TileOptions")
        return self.apply(
            "TILE", operands, lambda array: np.tile(array, tuple(multiples)), options, tied=True
        )

    def reverse(self, value: Value, axes: Sequence[int]) -> Value:
        """REVERSE_V2."""
        operands = (value, integers("axes", axes))
        options = table("ReverseV2Options")
        return self.apply(
            "REVERSE_V2", operands, lambda array: np.flip(array, tuple(axes)), options, tied=True
        )

    def pad(self, value: Value, before_after: Sequence[tuple[int, int]]) -> Value:
        """PAD with zeros."""
        operands = (value, integers("paddings", np.array(before_after).tolist()))
        return self.apply(
            "PAD", operands, lambda array: np.pad(array, before_after), table("PadOptions"),
            tied=True,
        )  # fmt: skip

    def pad_with(self, value: Value, before_after: Sequence[tuple[int, int]], fill: float) -> Value:
        """PADV2 with a number."""
        (value, border) = self.united((value, self.constant(np.array(fill), self.dtype_of(value))))
        paddings = integers("paddings", np.array(before_after).tolist())

        def forward(array: Array, around: Array) -> Array:
            return np.pad(array, before_after, constant_values=float(around))

        options = table("PadV2Options")
        return self.apply("PADV2", (value, paddings, border), forward, options, tied=True)

    def mirror_pad(
        self, value: Value, before_after: Sequence[tuple[int, int]], mode: str = "REFLECT"
    ) -> Value:
        """MIRROR_PAD, REFLECT without the edge or SYMMETRIC with it."""
        operands = (value, integers("paddings", np.array(before_after).tolist()))

        def forward(array: Array) -> Array:
            if mode == "REFLECT":
                return np.pad(array, before_after, mode="reflect")
            return np.pad(array, before_after, mode="symmetric")

        options = table("MirrorPadOptions", {"mode": enum_value("MirrorPadMode", mode)})
        return self.apply("MIRROR_PAD", operands, forward, options, tied=True)

    def space_to_depth(self, image: Value, block: int = 2) -> Value:
        """SPACE_TO_DEPTH: squares of elements become channels."""

        def forward(array: Array) -> Array:
            batch, height, width, depth = array.shape
            cut = array.reshape(batch, height // block, block, width // block, block, depth)
            ordered = cut.transpose(0, 1, 3, 2, 4, 5)
            return ordered.reshape(batch, height // block, width // block, -1)

        options = table("SpaceToDepthOptions", {"block_size": block})
        return self.apply("SPACE_TO_DEPTH", (image,), forward, options, tied=True)

    def depth_to_space(self, image: Value, block: int = 2) -> Value:
        """DEPTH_TO_SPACE: channels become squares of elements."""

        def forward(array: Array) -> Array:
            batch, height, width, depth = array.shape
            cut = array.reshape(batch, height, width, block, block, -1)
            ordered = cut.transpose(0, 1, 3, 2, 4, 5)
            return ordered.reshape(batch, height * block, width * block, depth // block**2)

        options = table("DepthToSpaceOptions", {"block_size": block})
        return self.apply("DEPTH_TO_SPACE", (image,), forward, options, tied=True)
