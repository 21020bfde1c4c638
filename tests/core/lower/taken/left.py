"""Operators that the ecosystem's compiler has on the NPU and we leave on the CPU, and why."""

from __future__ import annotations

_NOT_RUN = "no reference: LiteRT does not run it"
_PLAIN = "wrong there: the reference computes with 32 bits as they are stored"
_ROUND = "wrong there: the reference goes round where results leave 32 bits"

LEFT = {
    "ADD: 32 bits": _PLAIN,
    "ADD: 32 bits without a scale": _ROUND,
    "CONCATENATION: other scales": _NOT_RUN,
    "CONV_2D: int16 with a 32-bit bias": "wrong there: LiteRT reads biases of 64 bits",
    "CONV_2D: sums beyond 32 bits in steps of the output": (
        "wrong there: the reference goes round where sums leave 32 bits"
    ),
    "EXP: uint8": _NOT_RUN,
    "FULLY_CONNECTED: an output of int16": (
        "wrong there: LiteRT takes its bytes for such without a sign"
    ),
    "MUL: 32 bits": _PLAIN,
    "MUL: 32 bits without a scale": _ROUND,
    "MUL: an output of int16": "no reference: the output has the input's type",
    "NEG: 32 bits without a scale": "wrong there: the reference goes round at the least value",
    "NEG: int16": "wrong there: the reference goes round at the least value",
    "NEG: uint8": _NOT_RUN,
    "PRELU: int16": "wrong there: LiteRT reads slopes of 8 bits",
    "SUB: 32 bits without a scale": _ROUND,
    "SUM: 32 bits without a scale": "wrong there: executed, it gives other sums than the reference",
}
"""By name in the table of variants."""
