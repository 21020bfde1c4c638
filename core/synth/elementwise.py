"""Arithmetic of two operands, element by element, with broadcasting."""

from __future__ import annotations

import numpy as np

from core.ir.network import FieldValue
from core.synth.activations import clipped, fused
from core.synth.draws import Array, Integers
from core.synth.graph import Value, integers, table
from core.synth.shaping import Shaping

_ARITHMETIC = {"ADD": np.add, "SUB": np.subtract, "MUL": np.multiply}


class Elementwise(Shaping):
    """Builders of element-wise operators of two operands."""

    def add(self, left: Value, right: Value, activation: str = "NONE") -> Value:
        return self._arithmetic("ADD", left, right, activation)

    def sub(self, left: Value, right: Value, activation: str = "NONE") -> Value:
        return self._arithmetic("SUB", left, right, activation)

    def mul(self, left: Value, right: Value, activation: str = "NONE") -> Value:
        return self._arithmetic("MUL", left, right, activation)

    def with_whole(self, kind: str, value: Value, numbers: Integers, *, first: bool) -> Value:
        """ADD, SUB or MUL of whole numbers of 32 bits and constants, which come first or second."""
        held = integers("numbers", numbers)
        return self.apply(
            kind,
            (held, value) if first else (value, held),
            lambda array: _ARITHMETIC[kind](*((numbers, array) if first else (array, numbers))),
            table(f"{kind.capitalize()}Options", fused("NONE")),
        )

    def squared_difference(self, left: Value, right: Value) -> Value:

        def forward(first: Array, second: Array) -> Array:
            return np.asarray((first - second) ** 2)

        options = table("SquaredDifferenceOptions")
        return self.apply("SQUARED_DIFFERENCE", (left, right), forward, options)

    def minimum(self, left: Value, right: Value) -> Value:
        """MINIMUM of operands that share their quantisation."""
        options = table("MaximumMinimumOptions")
        return self.apply("MINIMUM", self.united((left, right)), np.minimum, options, tied=True)

    def maximum(self, left: Value, right: Value) -> Value:
        """MAXIMUM of operands that share their quantisation."""
        options = table("MaximumMinimumOptions")
        return self.apply("MAXIMUM", self.united((left, right)), np.maximum, options, tied=True)

    def _arithmetic(self, kind: str, left: Value, right: Value, activation: str) -> Value:
        fields: dict[str, FieldValue] = fused(activation)
        if kind != "MUL":
            # Without this a reader takes the scales of 16-bit operands for powers of two.
            fields["pot_scale_int16"] = False
        return self.apply(
            kind,
            (left, right),
            lambda first, second: clipped(_ARITHMETIC[kind](first, second), activation),
            table(f"{kind.capitalize()}Options", fields),
        )
