"""Operators that the ecosystem's compiler has on the NPU and we leave on the CPU, and why."""

from __future__ import annotations

_NOT_RUN = "no reference: LiteRT does not run it"
_PLAIN = "wrong there: the reference computes with 32 bits as they are stored"
_LATER = "not yet"

LEFT = {
    "ADD: 32 bits": _PLAIN,
    "BATCH_MATMUL: 16 heads of 256x64": _LATER,
    "CONCATENATION: other scales": _NOT_RUN,
    "CONV_2D: int16 with a 32-bit bias": "wrong there: LiteRT reads biases of 64 bits",
    "CONV_2D: sums beyond 32 bits in steps of the output": _LATER,
    "EXP: uint8": _NOT_RUN,
    "FULLY_CONNECTED: an output of int16": _LATER,
    "FULLY_CONNECTED: computed weights": _LATER,
    "MUL: 32 bits": _PLAIN,
    "MUL: an output of int16": "no reference: the output has the input's type",
    "NEG: int16": "wrong there: the reference goes round at the least value",
    "NEG: uint8": _NOT_RUN,
    "PRELU: int16": "wrong there: LiteRT reads slopes of 8 bits",
    "REDUCE_MAX: a window of 300x300": _LATER,
    "REDUCE_MIN: int16": "wrong there, not yet here",
    "RESHAPE: 32 bits": _LATER,
    "RSQRT: int16": _LATER,
    "SUM: the depth and the rows": _LATER,
    "TRANSPOSE: 32 bits": _LATER,
}
"""By name in the table of variants."""
