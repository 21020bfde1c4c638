"""Functions of one element, softmax, and the activations that other operators fuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from core.base.dtype import DType
from core.ir.network import FieldValue, Quantization
from core.synth.draws import Array
from core.synth.graph import Graph, Result, Value, enum_value, table
from core.synth.ranges import for_signed_unit_interval, for_unit_interval

_LIMITS = MappingProxyType(
    {
        "NONE": (-math.inf, math.inf),
        "RELU": (0.0, math.inf),
        "RELU6": (0.0, 6.0),
        "RELU_N1_TO_1": (-1.0, 1.0),
        "RELU_0_TO_1": (0.0, 1.0),
    }
)
"""What each clipping activation leaves; the last one exists as an operator only."""


def clipped(values: Array, activation: str) -> Array:
    """What a fused activation lets through."""
    low, high = _LIMITS[activation]
    return np.clip(values, low, high)


def fused(activation: str) -> dict[str, FieldValue]:
    """The option that fuses an activation into an operator."""
    code = enum_value("ActivationFunctionType", activation)
    return {"fused_activation_function": code}


class Activations(Graph):
    """Builders of operators that apply a function to each element, and of softmax."""

    def relu(self, value: Value, kind: str = "RELU") -> Value:
        """RELU, RELU6, RELU_N1_TO_1 or RELU_0_TO_1 as an operator of its own."""
        return self.apply(kind, (value,), lambda array: clipped(array, kind))

    def logistic(self, value: Value) -> Value:
        fixed = for_unit_interval(self.dtype_of(value))
        return self._unary("LOGISTIC", value, lambda x: 1.0 / (1.0 + np.exp(-x)), fixed)

    def tanh(self, value: Value) -> Value:
        fixed = for_signed_unit_interval(self.dtype_of(value))
        return self._unary("TANH", value, np.tanh, fixed)

    def hard_swish(self, value: Value) -> Value:
        options = table("HardSwishOptions")
        return self.apply(
            "HARD_SWISH", (value,), lambda x: x * np.clip(x + 3.0, 0.0, 6.0) / 6.0, options
        )

    def leaky_relu(self, value: Value, alpha: float = 0.1) -> Value:
        """LEAKY_RELU with a slope below zero."""
        options = table("LeakyReluOptions", {"alpha": float(np.float32(alpha))})
        return self.apply(
            "LEAKY_RELU", (value,), lambda x: np.where(x < 0.0, x * alpha, x), options
        )

    def prelu(self, value: Value) -> Value:
        """PRELU with a slope of its own for each channel."""
        slopes = self.constant(
            self.draws.uniform((1, 1, value.shape[-1]), -0.2, 0.5), self.dtype_of(value)
        )
        return self.apply("PRELU", (value, slopes), lambda x, slope: np.where(x < 0, x * slope, x))

    def elu(self, value: Value) -> Value:
        return self._unary("ELU", value, lambda x: np.where(x < 0.0, np.expm1(x), x))

    def gelu(self, value: Value) -> Value:
        """GELU by its approximation with tanh."""
        options = table("GeluOptions", {"approximate": True})
        root = math.sqrt(2.0 / math.pi)
        return self.apply(
            "GELU",
            (value,),
            lambda x: 0.5 * x * (1.0 + np.tanh(root * (x + 0.044715 * x**3))),
            options,
        )

    def exp(self, value: Value) -> Value:
        return self.apply("EXP", (value,), np.exp, table("ExpOptions"))

    def log(self, value: Value) -> Value:
        """LOG of a value that is positive everywhere."""
        return self._unary("LOG", value, np.log)

    def rsqrt(self, value: Value) -> Value:
        """RSQRT of a value that is positive everywhere."""
        return self._unary("RSQRT", value, lambda x: 1.0 / np.sqrt(x))

    def abs(self, value: Value) -> Value:
        return self.apply("ABS", (value,), np.abs, table("AbsOptions"))

    def softmax(self, value: Value, beta: float = 1.0, to: DType | None = None) -> Value:
        """SOFTMAX over the last axis, into an element type of its own where one is given."""

        def forward(logits: Array) -> Array:
            powers = np.exp(beta * (logits - logits.max(axis=-1, keepdims=True)))
            return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float64)

        options = table("SoftmaxOptions", {"beta": float(np.float32(beta))})
        made = to or self.dtype_of(value)
        samples = tuple(map(forward, self.samples(value)))
        result = Result(samples=samples, dtype=made, fixed=for_unit_interval(made))
        return self.emit("SOFTMAX", (value,), (result,), options)[0]

    def _unary(
        self,
        kind: str,
        value: Value,
        forward: Callable[[Array], Array],
        fixed: Quantization | None = None,
    ) -> Value:
        return self.apply(kind, (value,), forward, fixed=fixed)
