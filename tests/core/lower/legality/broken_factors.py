"""Operators with factors that 32 bits do not hold, or with curves that are stored otherwise."""

from __future__ import annotations

from core.base.dtype import DType
from core.base.frozen import replace
from tests.core.lower.legality.cases import GOOD, INT16, UINT8, Case, scaled
from tests.core.lower.legality.shaped import CONV, DENSE, DEPTHWISE, MATMUL, TRANSPOSED

HELD = "Values are within 32 bits when they are brought to the output's scale"
SUMMED = "Sums with their bias are within the accumulator, and 32 bits at the output's scale"
STORED = "A curve of unsigned bytes is stored as the reference stores it"
MISREAD = "The bias, if any, has the type that LiteRT reads, whatever others make of it"
LEAKY, LSTM = GOOD["LEAKY_RELU"], GOOD["UNIDIRECTIONAL_SEQUENCE_LSTM"]
JOINED = replace(
    GOOD["CONCATENATION"],
    inputs=tuple(replace(item, dtype=UINT8) for item in GOOD["CONCATENATION"].inputs if item),
).output(dtype=UINT8)


def finer(case: Case, bits: int) -> Case:
    """The same with an output scale that is so many powers of two below the input's."""
    return case.output(quantization=scaled(0.5 / (1 << bits)))


def stored(kind: str, scale: float, zero_point: int) -> Case:
    case = GOOD[kind].both(dtype=UINT8)
    return case.output(quantization=scaled(scale, zero_points=(zero_point,)))


FACTORS: tuple[tuple[str, str, Case], ...] = (
    *(
        (HELD, "values up to ", finer(GOOD[kind], 24))
        for kind in ("ABS", "RELU", "QUANTIZE", "LEAKY_RELU", "PRELU", "GELU", "MUL", "MEAN")
    ),
    (HELD, "values up to 32768 times 6.55e+04", finer(GOOD["RELU"].both(dtype=INT16), 16)),
    (HELD, "values up to 128 times 1e+09", LEAKY.option(alpha=1e9)),
    (HELD, "values up to 128 times 1e+09", LEAKY.option(alpha=-1e9)),
    (HELD, "values up to ", finer(GOOD["SUM"], 24)),
    (HELD, "values up to ", finer(MATMUL, 24)),
    (HELD, "values up to ", finer(JOINED, 24)),
    (HELD, "values up to 65535 times ", GOOD["SOFTMAX"].both(dtype=INT16).option(beta=30.0)),
    *((SUMMED, "values up to ", finer(case, 30)) for case in (CONV, DENSE, DEPTHWISE, TRANSPOSED)),
    (SUMMED, "values up to 2147", CONV.input(2, values=(0,) * 5 + (-(1 << 31),))),
    (
        SUMMED,
        "values up to 5497",
        CONV.both(dtype=INT16).input(2, values=((1 << 39) - 1,) * 6, dtype=DType.INT64),
    ),
    (SUMMED, "times 256", finer(CONV.both(dtype=INT16).without(2), 9)),
    (
        MISREAD,
        "'bias' is int32, LiteRT reads int64",
        CONV.both(dtype=INT16),
    ),
    (
        MISREAD,
        "'bias' is int64, LiteRT reads int32",
        CONV.both(dtype=INT16)
        .input(2, dtype=DType.INT64)
        .option(quantized_bias_type=DType.INT32.code),
    ),
    (MISREAD, "'bias' is int64, LiteRT reads int32", DENSE.input(2, dtype=DType.INT64)),
    (MISREAD, "'bias' is int32, LiteRT reads int64", DEPTHWISE.both(dtype=INT16)),
    (
        "The options name a type that a bias can have, or none",
        "type 9",
        DENSE.both(dtype=INT16).without(2).option(quantized_bias_type=DType.INT8.code),
    ),
    (
        SUMMED,
        "values up to 2149",
        CONV.both(dtype=INT16)
        .input(2, values=(0,) * 5 + (-(1 << 31),))
        .option(quantized_bias_type=DType.INT32.code),
    ),
    (HELD, "values up to 21474", LSTM.input(12, values=(-(1 << 31),) * 4)),
    (HELD, "times 2.05e+09", LSTM.input(5, quantization=scaled(1e6))),
    (STORED, "zero point 1", stored("SOFTMAX", 1 / 256, 1)),
    (STORED, "scale 0.0078125", stored("LOGISTIC", 1 / 128, 0)),
    (STORED, "zero point 0", stored("TANH", 1 / 128, 0)),
    (
        "An exponential of 16 bits, in steps of the output, is a 32-bit real",
        "e to the power of 132",
        GOOD["EXP"].both(dtype=INT16).input(0, quantization=scaled(1 / 250)),
    ),
    (
        "Neighbours in the 16-bit table of a logarithm are near each other",
        "a jump in a table for 'x' has scale 0.5",
        GOOD["LOG"].both(dtype=INT16).output(quantization=scaled(1e-4)),
    ),
    *(
        (
            "The 16-bit input of a curve is more than nothing, and within 32 bits, in its steps",
            f"a scale of {scale:g}",
            GOOD[kind].both(dtype=INT16).input(0, quantization=scaled(scale)),
        )
        for kind in ("LOGISTIC", "TANH")
        for scale in (3.7e-14, 5.34)
    ),
    (
        "The 16-bit values of a HARD_SWISH are not shifted out of their bits",
        "a factor of 3.81e-06",
        GOOD["HARD_SWISH"].output(quantization=scaled(1024.0)),
    ),
    (
        "Inverse roots are within 32 bits before and after they are brought to the output's scale",
        "a factor of 0.00014",
        GOOD["RSQRT"].output(quantization=scaled(10000.0)),
    ),
)
