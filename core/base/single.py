"""Functions of single precision, to the last bit as C libraries have them.

Tables are made by interpreters with the functions of the library that they are linked with, and
those are not rounded correctly: by up to two of the last place. A table entry that lies near a half
is then another one. GNU's library (up to 2.40) and newlib share their methods: logarithm and
exponential are Arm's (optimized routines, MIT), the others Sun's (fdlibm, freely granted). Each
step below is one of theirs, in their order and their precision.

Numbers are given and returned in double precision, of which single precision has all exactly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
_Numbers = tuple[np.float32, ...]


def _numbers(text: str) -> _Numbers:
    return tuple(map(np.float32, text.split()))


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
    """The natural logarithm of positive numbers."""
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


_PARTS = 32
_POWERS = np.exp2(np.arange(_PARTS) / _PARTS)
_PARTS_PER_UNIT = float.fromhex("0x1.71547652b82fep+0") * _PARTS
_EXP_SERIES = (
    float.fromhex("0x1.62e42ff0c52d6p-1") / _PARTS,
    float.fromhex("0x1.ebfce50fac4f3p-3") / _PARTS**2,
    float.fromhex("0x1.c6af84b912394p-5") / _PARTS**3,
)
_EXP_ENDS = (-200.0, 200.0)
"""Beyond these the result is 0 or infinite, in any precision that is asked for here."""


def single_exp(values: Reals) -> Reals:
    """The exponential function."""
    scaled = np.clip(values, *_EXP_ENDS) * _PARTS_PER_UNIT
    whole = np.rint(scaled)
    rest, (exponents, parts) = scaled - whole, np.divmod(whole.astype(np.int64), _PARTS)
    first, second, third = _EXP_SERIES
    series = (third * rest + second) * (rest * rest) + (first * rest + 1)
    with np.errstate(over="ignore", under="ignore"):
        return _reals((series * np.ldexp(_POWERS[parts], exponents)).astype(np.float32))


_ONE, _TWO, _HALF = np.float32(1), np.float32(2), np.float32(0.5)
_LN_2_HIGH, _LN_2_LOW = np.float32(0.69313812256), np.float32(9.0580006145e-06)
_INVERSE_LN_2 = np.float32(1.4426950216)
_HALF_LN_2, _LN_2_AND_HALF = np.float32(0.3465735912), np.float32(1.0397207737)
"""From the second on the exponent is a quotient, to the first it is 0."""
_EXPM1_ENDS = np.float32(-18.714973), np.float32(88.722839)
"""From these on, minus 1 and infinity."""
_EXPM1_SERIES = _numbers(
    "1 -3.3333335072e-02 1.5873016091e-03 -7.9365076090e-05 4.0082177293e-06 -2.0109921195e-07"
)
_LONGEST_FRACTION, _LONGEST_ONE = 23, 56
"""Exponents from which 1 is lost beside the power, and from which that is so in any order."""


def single_expm1(values: Reals) -> Reals:
    """The exponential function less 1."""
    single = values.astype(np.float32)
    lowest, highest = _EXPM1_ENDS
    with np.errstate(over="ignore"):
        found = _expm1_within(np.clip(single, lowest, highest))
    return _reals(np.select([single <= lowest, single >= highest], [-_ONE, np.inf], found))


def _expm1_within(given: Singles) -> Singles:
    exponents = _exponents(given)
    times = exponents.astype(np.float32)
    high, low = given - times * _LN_2_HIGH, times * _LN_2_LOW
    x = high - low
    lost = (high - x) - low
    half = _HALF * x
    square = x * half
    series = _polynomial(square, _EXPM1_SERIES)
    t = np.float32(3) - series * half
    error = square * ((series - t) / (np.float32(6) - x * t))
    below = x - (x * error - square)
    error = (x * (error - lost) - lost) - square
    power = np.ldexp(_ONE, -exponents)
    sum_first = np.ldexp((_ONE - power) - (error - x), exponents)
    sum_last = np.ldexp((x - (error + power)) + _ONE, exponents)
    of_one = np.where(
        x < np.float32(-0.25), -_TWO * (error - (x + _HALF)), _ONE + _TWO * (x - error)
    )
    far = np.ldexp(_ONE - (error - x), exponents) - _ONE
    found: Singles = np.select(
        [
            exponents == 0,
            exponents == -1,
            exponents == 1,
            (exponents < 0) | (exponents > _LONGEST_ONE),
            exponents < _LONGEST_FRACTION,
        ],
        [below, _HALF * (x - error) - _HALF, of_one, far, sum_first],
        sum_last,
    ).astype(np.float32)
    return found


def _exponents(given: Singles) -> npt.NDArray[np.int32]:
    """How many times ln 2 is taken off each number."""
    size, sign = np.abs(given), np.sign(given)
    quotient = np.trunc(_INVERSE_LN_2 * given + np.copysign(_HALF, given))
    times = np.where(size < _LN_2_AND_HALF, sign, quotient)
    return np.where(size <= _HALF_LN_2, 0, times).astype(np.int32)


_TANH_IS_ONE = np.float32(22)


def single_tanh(values: Reals) -> Reals:
    """The hyperbolic tangent."""
    single = values.astype(np.float32)
    size = np.minimum(np.abs(single), _TANH_IS_ONE)
    is_far = size >= 1
    power = single_expm1(np.where(is_far, _TWO, -_TWO) * size).astype(np.float32)
    found = np.where(is_far, _ONE - _TWO / (power + _TWO), -power / (power + _TWO))
    return _reals(np.copysign(np.where(size < _TANH_IS_ONE, found, _ONE), single))


_ERROR_AT_ONE = np.float32(0.84506291151)
_NEAR, _MIDDLE, _END = np.float32(0.84375), np.float32(1.25), np.float32(28)
_OUTER = np.float32(2.857142687)
"""One over 0.35, from which on another pair of polynomials is closer."""
_TWO_FROM = np.float32(-6)
_HIGH_BITS = np.uint32(0xFFFFE000)
_AT_NEAR = (
    _numbers(
        """
            1.2837916613e-01 -3.2504209876e-01 -2.8481749818e-02 -5.7702702470e-03 -2.3763017452e-05
        """
    ),
    _numbers(
        """
            1 3.9791721106e-01 6.5022252500e-02 5.0813062117e-03 1.3249473704e-04 -3.9602282413e-06
        """
    ),
)
_AT_MIDDLE = (
    _numbers(
        """
            -2.3621185683e-03 4.1485610604e-01 -3.7220788002e-01 3.1834661961e-01 -1.1089469492e-01
            3.5478305072e-02 -2.1663755178e-03
        """
    ),
    _numbers(
        """
            1 1.0642088205e-01 5.4039794207e-01 7.1828655899e-02 1.2617121637e-01 1.3637083583e-02
            1.1984500103e-02
        """
    ),
)
_AT_INNER = (
    _numbers(
        """
            -9.8649440333e-03 -6.9385856390e-01 -1.0558626175e+01 -6.2375331879e+01
            -1.6239666748e+02 -1.8460508728e+02 -8.1287437439e+01 -9.8143291473e+00
        """
    ),
    _numbers(
        """
            1 1.9651271820e+01 1.3765776062e+02 4.3456588745e+02 6.4538726807e+02 4.2900814819e+02
            1.0863500214e+02 6.5702495575e+00 -6.0424413532e-02
        """
    ),
)
_AT_OUTER = (
    _numbers(
        """
            -9.8649431020e-03 -7.9928326607e-01 -1.7757955551e+01 -1.6063638306e+02
            -6.3756646729e+02 -1.0250950928e+03 -4.8351919556e+02
        """
    ),
    _numbers(
        """
            1 3.0338060379e+01 3.2579251099e+02 1.5367296143e+03 3.1998581543e+03 2.5530502930e+03
            4.7452853394e+02 -2.2440952301e+01
        """
    ),
)
"""Numerator and denominator, from the constant on."""


def single_erfc(values: Reals) -> Reals:
    """What is missing from the error function to 1."""
    x = np.clip(values.astype(np.float32), -_END, _END)
    size = np.abs(x)
    bend = x * _quotient(np.minimum(x * x, _ONE), _AT_NEAR)
    near = np.where(x < np.float32(0.25), _ONE - (x + bend), _HALF - (bend + (x - _HALF)))
    beyond = _quotient(np.clip(size, _NEAR, _MIDDLE) - _ONE, _AT_MIDDLE)
    middle = np.where(x > 0, (_ONE - _ERROR_AT_ONE) - beyond, _ONE + (_ERROR_AT_ONE + beyond))
    tail = _erfc_tail(np.maximum(size, _MIDDLE))
    far = np.where(x > 0, tail, np.where(x > _TWO_FROM, _TWO - tail, _TWO))
    found = np.select(
        [size < _NEAR, size < _MIDDLE, size < _END], [near, middle, far], _ONE - np.sign(x)
    )
    return _reals(found)


def _erfc_tail(x: Singles) -> Singles:
    """Of positive numbers, by two exponentials, of which the first is of few bits."""
    inverse = _ONE / (x * x)
    quotient = np.where(x < _OUTER, _quotient(inverse, _AT_INNER), _quotient(inverse, _AT_OUTER))
    high = (x.view(np.uint32) & _HIGH_BITS).view(np.float32)
    first = single_exp(_reals(-high * high - np.float32(0.5625))).astype(np.float32)
    second = single_exp(_reals((high - x) * (high + x) + quotient)).astype(np.float32)
    with np.errstate(under="ignore"):
        return first * second / x


def _quotient(x: Singles, polynomials: tuple[_Numbers, _Numbers]) -> Singles:
    above, below = polynomials
    return _polynomial(x, above) / _polynomial(x, below)


def _polynomial(x: Singles, factors: _Numbers) -> Singles:
    """By Horner's scheme, of factors from the constant on."""
    *others, last = factors
    found = np.full_like(x, last)
    for factor in reversed(others):
        found = found * x + factor
    return found


def _reals(singles: Singles) -> Reals:
    return singles.astype(np.float64)
