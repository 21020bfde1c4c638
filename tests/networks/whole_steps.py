"""Steps over whole numbers of 32 bits, which have no scale: what networks make of positions."""

from __future__ import annotations

import numpy as np

from core.synth.builder import Builder
from core.synth.draws import Integers
from core.synth.graph import Value

_KINDS = ("ADD", "SUB", "MUL")
_MOST_STEPS = 4
_MOST_DIMENSIONS = 4
_FAR = 1 << 20
"""Products of two such numbers leave 32 bits."""


def whole_numbers(b: Builder, x: Value) -> Value:
    """Where along the depth the greatest element is, and what is computed from that."""
    value = found = b.argmax(x)
    for _ in range(b.draws.integer(0, _MOST_STEPS)):
        value = _moved(b, value) if b.draws.chance(0.4) else _computed(b, value, found)
    return value


def _computed(b: Builder, value: Value, found: Value) -> Value:
    kind = b.draws.pick(_KINDS)
    if value.shape == found.shape and b.draws.chance(0.4):
        make = {"ADD": b.add, "SUB": b.sub, "MUL": b.mul}[kind]
        return make(value, found) if b.draws.chance(0.5) else make(found, value)
    return b.with_whole(kind, value, _numbers(b, value), first=b.draws.chance(0.5))


def _numbers(b: Builder, value: Value) -> Integers:
    shape = b.draws.pick(((), value.shape[-1:], value.shape))
    reach = _FAR if b.draws.chance(0.1) else 50
    return np.rint(b.draws.uniform(shape, -reach, reach)).astype(np.int32)


def _moved(b: Builder, value: Value) -> Value:
    shape, rank = value.shape, len(value.shape)
    around = [(b.draws.integer(0, 1), b.draws.integer(0, 1)) for _ in shape]
    match b.draws.integer(0, 4):
        case 0:
            return b.reshape(value, shape[::-1])
        case 1:
            return b.transpose(value, b.draws.shuffled(rank))
        case 2:
            return b.pad(value, around)
        case 3:
            return b.mirror_pad(value, around, "SYMMETRIC")
        case _:
            return b.expand_dims(value, 0) if rank < _MOST_DIMENSIONS else b.reshape(value, shape)
