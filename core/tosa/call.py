"""One operator with what it is given, and what its definition says of numbers that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError
from core.base.frozen import Frozen
from core.ir.network import Table
from core.ir.tosa import Element

Array = npt.NDArray[Any]


class Unpredictable(Exception):  # noqa: N818 - the specification's word
    """Numbers for which the specification does not say what an operator makes of them."""


class Call(Frozen):
    """An operator's inputs, and what the graph says of its output."""

    kind: str
    inputs: tuple[Array, ...]
    elements: tuple[Element, ...]
    """Of inputs."""
    attribute: Table
    shape: tuple[int, ...]
    element: Element

    def refuse(self, why: str) -> InputError:
        """What is wrong with the graph."""
        return InputError(why, self.kind)

    def given(self, count: int) -> tuple[Array, ...]:
        """So many inputs, none more."""
        if len(self.inputs) != count:
            raise self.refuse(f"has {len(self.inputs)} inputs, where it needs {count}")
        return self.inputs

    def one(self, position: int) -> int:
        """An input that is a single number."""
        if position >= len(self.inputs) or self.inputs[position].size != 1:
            raise self.refuse(f"its input {position} is not one number")
        return int(self.inputs[position].reshape(-1)[0])

    def whole(self, position: int) -> tuple[int, ...]:
        """An input that is a list of numbers, as a shape is."""
        if position >= len(self.inputs):
            raise self.refuse(f"has no input {position}")
        return tuple(int(each) for each in self.inputs[position].reshape(-1))

    def numbers(self, name: str, count: int, least: int = 0) -> tuple[int, ...]:
        """An attribute that is a list of so many numbers."""
        found = self.attribute.get(name, ())
        if not isinstance(found, tuple) or len(found) != count:
            raise self.refuse(f"its {name} is {found!r:.60}, where {count} numbers are needed")
        numbers = tuple(each for each in found if isinstance(each, int))
        if len(numbers) != count or min(numbers) < least or max(numbers) > _MOST:
            raise self.refuse(f"its {name} is {numbers}, where none is below {least}")
        return numbers

    def axis(self) -> int:
        """The axis that the attribute names, of the first input."""
        axis = self.attribute.integer("axis")
        if not self.inputs or not 0 <= axis < self.inputs[0].ndim:
            raise self.refuse(f"there is no axis {axis}")
        return axis

    def demand_rank(self, *ranks: int) -> None:
        """Refuse inputs of other ranks; those that are not named may have any."""
        for position, rank in enumerate(ranks):
            if self.inputs[position].ndim != rank:
                found = self.inputs[position].ndim
                raise self.refuse(f"input {position} has {found} dimensions, where it needs {rank}")

    def demand_shape(self, *shape: int) -> None:
        """Refuse a graph that gives the output another shape, before room is made for it."""
        if self.shape != shape:
            told = ["x".join(map(str, each)) or "scalar" for each in (shape, self.shape)]
            raise self.refuse(f"makes {told[0]}, where the graph has {told[1]}")


_MOST = 1 << 24
"""No kernel, stride or padding is larger."""

Rule = Callable[[Call], Array]
"""What an operator makes of its inputs."""


def fitting(values: Array, element: Element) -> Array:
    """Numbers as they are stored, where all fit; what becomes of others is said nowhere."""
    low, high = element.limits
    if values.size and (int(values.min()) < low or int(values.max()) > high):
        raise Unpredictable(f"a result does not fit into {element.name.lower()}")
    return values.astype(element.numpy)


def clipped(values: Array, element: Element, *, is_unsigned: bool = False) -> Array:
    """Numbers as they are stored, those beyond the limits at these."""
    low, high = element.limits
    if is_unsigned:
        low, high = 0, high - low
    kept = np.clip(values, low, high)
    if is_unsigned:
        # The same bits as a signed number.
        kept = np.where(kept > element.limits[1], kept - (high + 1), kept)
    return kept.astype(element.numpy)
