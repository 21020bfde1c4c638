"""Operators that break a rule of every operator, of types, or of shapes."""

from __future__ import annotations

import math

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.network import Quantization
from tests.core.lower.legality.cases import (
    GOOD,
    INT8,
    INT16,
    INT32,
    UINT8,
    Case,
    const,
    options,
    scaled,
)
from tests.core.lower.legality.shaped import (
    ADD,
    CONV,
    RELU,
)

RULES: tuple[tuple[str, str, Case], ...] = (
    # Every operator.
    ("The operator has its outputs", "0 outputs", replace(RELU, outputs=())),
    ("The operator has its outputs", "2 outputs", replace(RELU, outputs=RELU.outputs * 2)),
    ("The operator has its inputs", "0 inputs", replace(RELU, inputs=())),
    ("The operator has its inputs", "input 1 is left out", CONV.without(1)),
    ("The operator has its inputs", "no inputs", replace(GOOD["PACK"], inputs=())),
    ("The operator has its inputs", "input 1 is left out", GOOD["PACK"].without(1)),
    ("The file gives the operator's options", "no options", replace(ADD, options=None)),
    ("The file gives the operator's options", "no options", replace(ADD, options=options("Sub"))),
    (
        "The file gives the operator's options",
        "no squeeze_dims",
        replace(GOOD["SQUEEZE"], options=options("Squeeze")),
    ),
    ("Every tensor that is computed has a shape", "'a' has no shape", ADD.input(0, shape=())),
    ("Every tensor that is computed has a shape", "'y' has no shape", ADD.output(shape=())),
    (
        "Inputs have dimensions",
        "'x' is a scalar",
        replace(RELU, inputs=(const("x", 3, INT8, scaled(0.5)),)),
    ),
    ("No tensor has too many dimensions", "'x' is 1x1x1x1x8", RELU.both(shape=(1, 1, 1, 1, 8))),
    ("Inputs, weights and outputs are quantised", "'x'", RELU.input(0, quantization=None)),
    (
        "Inputs, weights and outputs are quantised",
        "'x'",
        RELU.input(0, quantization=Quantization(minimum=(0.0,), maximum=(6.0,), zero_points=(0,))),
    ),
    (
        "Scales are finite, and above zero",
        "'weights' has a scale that is not finite",
        CONV.input(1, quantization=scaled(float("inf"))),
    ),
    (
        "Scales are finite, and above zero",
        "'x' has scale 0",
        RELU.input(0, quantization=scaled(0.0)),
    ),
    (
        "The output's scale, and the input's divided by it, are ordinary 32-bit reals",
        "'y' has scale 1e-40",
        RELU.output(quantization=scaled(1e-40)),
    ),
    (
        "The output's scale, and the input's divided by it, are ordinary 32-bit reals",
        "'y' divides 1000 by 1e-37",
        RELU.input(0, quantization=scaled(1e3)).output(quantization=scaled(1e-37)),
    ),
    (
        "Zero points can be stored",
        "zero point 128, but holds -128 to 127",
        RELU.input(0, quantization=scaled(0.5, zero_points=(128,))),
    ),
    (
        "Elements are of a type that the NPU has",
        "'x' is float32; 'y' is float32",
        RELU.both(dtype=DType.FLOAT32),
    ),
    (
        "Elements have 8 or 16 bits",
        "'x' is int32; 'y' is int32",
        RELU.both(dtype=INT32),
    ),
    ("Elements have 8 or 16 bits", "'x' is int32", GOOD["PAD"].both(dtype=INT32)),
    (
        "Every dimension fits the NPU's counters",
        "'x' is 1x65536x1x1",
        RELU.both(shape=(1, 65536, 1, 1)),
    ),
    ("Every dimension fits the NPU's counters", "'x' is 1x-1x4", RELU.both(shape=(1, -1, 4))),
    ("Every dimension fits the NPU's counters", "'x' is 1x0x4", RELU.both(shape=(1, 0, 4))),
    (
        "One scale serves the whole tensor",
        "'x' has 8 scales",
        RELU.input(0, quantization=scaled(*(0.5,) * 8)),
    ),
    ("The batch holds one picture", "'x' is 2x4x6x8", RELU.both(shape=(2, 4, 6, 8))),
    (
        "The fused activation is one that the NPU applies",
        "SIGN_BIT",
        ADD.option(fused_activation_function=5),
    ),
    (
        "The fused activation is one that the NPU applies",
        "TANH",
        ADD.option(fused_activation_function=4),
    ),
    # Types and shapes that several kinds ask for.
    ("Input and output have one element type", "'y' is int16", RELU.output(dtype=INT16)),
    ("Input and output have one shape", "'y' is 4x6x8", RELU.output(shape=(4, 6, 8))),
    ("All inputs have one element type", "'b' is uint8", ADD.input(1, dtype=UINT8)),
    (
        "Inputs and outputs have one scale and zero point",
        "'a' has scale 0.25 and zero point 0; 'y' has scale 0.5 and zero point 0",
        GOOD["MINIMUM"].input(0, quantization=scaled(0.25)),
    ),
    (
        "Input and output have as many elements",
        "'y' is 24x9",
        GOOD["RESHAPE"].output(shape=(24, 9)),
    ),
    ("The input has a suitable element type", "'x' is uint8", GOOD["EXP"].both(dtype=UINT8)),
    ("The input has a suitable element type", "'x' is uint8", GOOD["RSQRT"].both(dtype=UINT8)),
    ("The input has a suitable element type", "'x' is int16", GOOD["HARD_SWISH"].both(dtype=INT16)),
    ("The output has a suitable element type", "'y' is int8", GOOD["ARG_MAX"].output(dtype=INT8)),
    # Arithmetic on elements.
    (
        "Only one of the inputs is spread, or few parts are made one by one",
        "'a' is 1x40x1x2000; 'b' is 1x1x2000x1; 'y' is 1x40x2000x2000",
        ADD.input(0, shape=(1, 40, 1, 2000))
        .input(1, shape=(1, 1, 2000, 1))
        .output(shape=(1, 40, 2000, 2000)),
    ),
    (
        "Only one of the inputs is spread",
        "'a' is 1x4x6x1; 'b' is 1x1x8; 'y' is 1x4x6x8",
        GOOD["PRELU"].input(0, shape=(1, 4, 6, 1)).input(1, shape=(1, 1, 8)),
    ),
    (
        "An input is spread along dimensions where it has one element",
        "'b' is 1x2x6x8",
        ADD.input(1, shape=(1, 2, 6, 8)),
    ),
    (
        "An input is spread along dimensions where it has one element",
        "'b' is 7",
        GOOD["PRELU"].input(1, shape=(7,)),
    ),
    (
        "A sum is brought to the output's scale by a factor below one",
        "a factor of 1.91",
        ADD.output(quantization=scaled(5e-7)),
    ),
    ("Input and output have one element type", "'y' is int16", ADD.output(dtype=INT16)),
    (
        "Input and output have one element type",
        "'y' is uint8",
        GOOD["FULLY_CONNECTED"].output(dtype=UINT8),
    ),
    ("The slope is a number", "a slope of nan", GOOD["LEAKY_RELU"].option(alpha=math.nan)),
    *(
        (
            "Inputs and outputs have one scale and zero point",
            "has scale 0.25 and zero point 0",
            GOOD[kind].input(0, quantization=scaled(0.25)),
        )
        for kind in ("CONCATENATION", "PACK", "UNPACK", "MIRROR_PAD")
    ),
)
