"""The natural logarithm of numbers of single precision, to the last bit as C libraries have it.

Those of GNU and newlib, which interpreters are linked with, share a method of Arm's (optimized
routines, `logf`; MIT), which is off by up to 0.818 of the last place: a correctly rounded logarithm
differs in one of 300 numbers, and so does then a table entry that lies near a half.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

_LEAST_MANTISSA = 0x3F330000
"""As bits of single precision: mantissas are from 0.699 to twice as much, around one."""
_PARTS_BITS = 4
_FRACTION_BITS = 23
_LN_2 = float.fromhex("0x1.62e42fefa39efp-1")
_SERIES = tuple(
    map(float.fromhex, ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2"))
)
"""Of log(1 + r): the factors of r to the fourth, third and second power."""
_CENTRES = np.array(
    [
        [float.fromhex(number) for number in row.split()]
        for row in """
            0x1.661ec79f8f3bep+0 -0x1.57bf7808caadep-2
            0x1.571ed4aaf883dp+0 -0x1.2bef0a7c06ddbp-2
            0x1.49539f0f010bp+0 -0x1.01eae7f513a67p-2
            0x1.3c995b0b80385p+0 -0x1.b31d8a68224e9p-3
            0x1.30d190c8864a5p+0 -0x1.6574f0ac07758p-3
            0x1.25e227b0b8eap+0 -0x1.1aa2bc79c81p-3
            0x1.1bb4a4a1a343fp+0 -0x1.a4e76ce8c0e5ep-4
            0x1.12358f08ae5bap+0 -0x1.1973c5a611cccp-4
            0x1.0953f419900a7p+0 -0x1.252f438e10c1ep-5
            0x1p+0 0x0p+0
            0x1.e608cfd9a47acp-1 0x1.aa5aa5df25984p-5
            0x1.ca4b31f026aap-1 0x1.c5e53aa362eb4p-4
            0x1.b2036576afce6p-1 0x1.526e57720db08p-3
            0x1.9c2d163a1aa2dp-1 0x1.bc2860d22477p-3
            0x1.886e6037841edp-1 0x1.1058bc8a07ee1p-2
            0x1.767dcf5534862p-1 0x1.4043057b6ee09p-2
        """.strip().split("\n")
    ]
)
"""By part of the mantissas: one over a number near its middle, and that number's logarithm."""


def single_log(values: Reals) -> Reals:
    """The logarithms of positive numbers, which single precision has exactly."""
    is_subnormal = values < np.finfo(np.float32).tiny
    shift = np.where(is_subnormal, _FRACTION_BITS, 0)
    bits = np.ldexp(values, shift).astype(np.float32).view(np.int32)
    above = bits - _LEAST_MANTISSA
    exponents = above >> _FRACTION_BITS
    parts = above >> (_FRACTION_BITS - _PARTS_BITS) & (1 << _PARTS_BITS) - 1
    mantissas = (bits - (exponents << _FRACTION_BITS)).view(np.float32).astype(np.float64)
    inverses, logarithms = _CENTRES[parts].T
    rest = mantissas * inverses - 1
    square = rest * rest
    fourth, third, second = _SERIES
    series = (fourth * square + (third * rest + second)) * square
    found: Reals = series + ((logarithms + (exponents - shift) * _LN_2) + rest)
    return found.astype(np.float32).astype(np.float64)
