"""Reductions, cells, and what waits for its rewrite, that break one rule each."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from tests.core.lower.legality.cases import (
    GOOD,
    INT8,
    INT16,
    UINT8,
    Case,
    const,
    fm,
    scaled,
)
from tests.core.lower.legality.shaped import (
    LSTM,
    MATMUL,
    MEANS,
    lstm,
    reduced,
)

TYPED = "Weights have 8 bits, biases the type that interpreters read"

REDUCTIONS: tuple[tuple[str, str, Case], ...] = (
    # Reductions.
    ("The input of a mean has some dimensions", "'x' is 8", MEANS.input(0, shape=(8,))),
    ("The list of axes is known beforehand", "'axes' is computed", MEANS.input(1, data=None)),
    ("The reduced axes are some of the input's", "axes (-5,)", MEANS.input(1, values=(-5,))),
    ("The reduced axes are some of the input's", "axes (1, 4)", MEANS.input(1, values=(1, 4))),
    (
        "The pixels of a depth that is reduced alone fit one dimension",
        "axes (3,) of 1x300x300x2",
        reduced(MEANS, (3,), 1, 300, 300, 2),
    ),
    (
        "A sum does not overflow the accumulator",
        "65792 elements of int16",
        reduced(MEANS, (1, 2), 1, 257, 256, 2, dtype=INT16),
    ),
    (
        "The input of a mean is not too wide",
        "width 4097 of 1x2x4097x2",
        reduced(MEANS, (1,), 1, 2, 4097, 2),
    ),
    (
        "A depth that is reduced is not too large",
        "axes (3,) of 1x1x2x4097",
        reduced(MEANS, (3,), 1, 1, 2, 4097),
    ),
    ("The output has the dimensions that are left", "not 1x1x1x8", MEANS.option(keep_dims=True)),
    (
        "The greatest element is searched along the depth",
        "axes (2,) of 1x4x6x8",
        GOOD["ARG_MAX"].input(1, values=2),
    ),
    (
        "The position of the greatest element fits 7 bits",
        "depth 128",
        GOOD["ARG_MAX"].input(0, shape=(1, 4, 6, 128)),
    ),
    ("There is a position for each pixel", "'y' is 1x4x7", GOOD["ARG_MAX"].output(shape=(1, 4, 7))),
    (
        "A softmax makes what it is given, or 16 of 8 signed bits",
        "'x' is int8; 'y' has scale",
        GOOD["SOFTMAX"].output(dtype=INT16),
    ),
    ("The steepness of a softmax is not negative", "beta -1", GOOD["SOFTMAX"].option(beta=-1.0)),
    (
        "The pixels of a softmax fit one dimension",
        "65792 pixels",
        GOOD["SOFTMAX"].both(shape=(257, 256, 4)),
    ),
    # LSTM.
    (
        "The file gives the scales inside the cell",
        "4 intermediate tensors",
        replace(LSTM, intermediates=LSTM.intermediates[:4]),
    ),
    ("States outlive a run", "'hidden' is not a variable", lstm(18, is_variable=False)),
    ("States outlive a run", "input 19 is left out", LSTM.without(19)),
    ("The input gate is not derived from the forget gate", "no weights", LSTM.without(1, 5)),
    (
        "The cell has no peephole",
        "'p'",
        replace(LSTM, inputs=(*LSTM.inputs[:10], fm("p", 4), *LSTM.inputs[11:])),
    ),
    (
        "The cell has no projection",
        "'p'",
        replace(LSTM, inputs=(*LSTM.inputs[:16], fm("p", 4), *LSTM.inputs[17:])),
    ),
    (
        "The cell has no normalisation",
        "'p'",
        replace(LSTM, inputs=(*LSTM.inputs[:23], fm("p", 4))),
    ),
    ("Every gate has its weights", "input 6 is left out", LSTM.without(6)),
    ("Every gate has its biases", "input 13 is left out", LSTM.without(13)),
    (
        "The weights of each gate are a matrix",
        "'weights' is 4x4x1",
        lstm(7, values=np.ones((4, 4, 1))),
    ),
    (
        "Weights, biases and states fit input and output",
        "'weights' is 4x2",
        lstm(2, values=np.ones((4, 2))),
    ),
    ("Weights, biases and states fit input and output", "'hidden' is 2x4", lstm(18, shape=(2, 4))),
    ("Weights and biases are known beforehand", "'weights' is computed", lstm(8, data=None)),
    (TYPED, "'weights' is uint8", lstm(8, dtype=UINT8)),
    (TYPED, "'bias' is int64", lstm(12, dtype=DType.INT64)),
    (
        "Weights of gates are symmetric",
        "'weights' has scale 0.5 and zero point 3",
        lstm(3, quantization=scaled(0.5, zero_points=(3,))),
    ),
    (
        "The cell's state has 16 bits, the hidden state those of the input",
        "'cell' is int8",
        lstm(19, dtype=INT8),
    ),
    ("Weights, states and what lies between are quantised", "'cell'", lstm(19, quantization=None)),
    (
        "Weights, states and what lies between are quantised",
        "'cell'",
        lstm(19, quantization=scaled(float("inf"))),
    ),
    # Kinds that wait for their rewrite.
    (
        "What the padding is filled with is known beforehand",
        "'fill' is 1 and not one constant",
        GOOD["PADV2"].input(2, shape=(1,), data=None),
    ),
    (
        "What the padding is filled with is known beforehand",
        "'fill' has scale 0.25",
        GOOD["PADV2"].input(2, quantization=scaled(0.25)),
    ),
    (
        "A reduction goes over the plane or over the depth",
        "axes (2, 3) of 1x4x6x8",
        GOOD["REDUCE_MIN"].input(1, values=(2, 3)),
    ),
    (
        "What is reduced fits a pooling window",
        "257 elements of 257 rows",
        reduced(GOOD["REDUCE_MAX"], (1,), 1, 257, 2, 8),
    ),
    (
        "The pixels of a reduction over the depth fit one dimension",
        "65792 pixels",
        reduced(GOOD["REDUCE_MIN"], (3,), 1, 257, 256, 2),
    ),
    ("The list of multiples is known beforehand", "'times'", GOOD["TILE"].input(1, data=None)),
    ("The output is the input, repeated", "multiples (2, 1)", GOOD["TILE"].input(1, values=(2, 1))),
    ("The output is the input, repeated", "not 2x4x12", GOOD["TILE"].input(1, values=(2, 1, 2))),
    (
        "The output holds one picture",
        "'y' is 2x4x6x8",
        replace(
            GOOD["TILE"],
            inputs=(fm("x", 1, 4, 6, 8), const("times", (2, 1, 1, 1))),
            outputs=(fm("y", 2, 4, 6, 8),),
        ),
    ),
    (
        "No step of a repetition is too long",
        "a step of 90000",
        replace(
            GOOD["TILE"],
            inputs=(fm("x", 1, 300, 300, 2, 2), const("times", (1, 1, 1, 2, 1))),
            outputs=(fm("y", 1, 300, 300, 4, 2),),
        ),
    ),
    ("Rows or columns are reversed", "axes (3,)", GOOD["REVERSE_V2"].input(1, values=(3,))),
    ("Reversing keeps the shape", "'y' is 1x6x4x8", GOOD["REVERSE_V2"].output(shape=(1, 6, 4, 8))),
    (
        "A product of matrices has no bias",
        "3 inputs",
        replace(MATMUL, inputs=(*MATMUL.inputs, fm("bias", 3))),
    ),
    ("A product of matrices has 8 bits", "'y' is int16", MATMUL.output(dtype=INT16)),
    ("The matrices multiply to the output", "'a' is 1x2x5x7", MATMUL.option(adj_x=True)),
    ("The matrices multiply to the output", "'b' is 1x2x7x3", MATMUL.option(adj_y=True)),
    ("The matrices multiply to the output", "'b' is 3", MATMUL.input(1, shape=(3,))),
    (
        "There are few products of rows and matrices",
        "4098 products",
        MATMUL.input(0, shape=(1, 1366, 5, 7))
        .input(1, shape=(1, 1366, 7, 3))
        .output(shape=(1, 1366, 5, 3)),
    ),
    (
        "A sum of products fits into 32 bits",
        "33026 products in a sum",
        MATMUL.input(0, shape=(1, 2, 5, 33026)).input(1, shape=(1, 2, 33026, 3)),
    ),
)
