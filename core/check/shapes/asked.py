"""An operator as shape inference asks about it; what is not known before execution is Unknown."""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import Frozen
from core.ir.network import Operator, Table, Tensor

Shape = tuple[int, ...]


class Unknown(Exception):  # noqa: N818 - an answer, and no fault
    """What decides about the shape is computed at run time, left out, or not of this operator."""


class Asked(Frozen, kw_only=False):
    """An operator with its tensors at hand."""

    operator: Operator
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]

    @property
    def options(self) -> Table:
        """Its options, empty where the file gives none."""
        return self.operator.own_options

    def tensor(self, index: int) -> Tensor:
        """An input that is there."""
        tensor = self.inputs[index] if index < len(self.inputs) else None
        if tensor is None:
            raise Unknown
        return tensor

    def shape(self, index: int = 0) -> Shape:
        """The shape of an input; one that is computed and has none may have any."""
        tensor = self.tensor(index)
        if tensor.shape == () and tensor.data is None:
            raise Unknown
        return tensor.shape

    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of all inputs."""
        return tuple(self.shape(index) for index in range(len(self.inputs)))

    def image(self, index: int = 0) -> tuple[int, int, int, int]:
        """The shape of an input of four dimensions."""
        shape = self.shape(index)
        if len(shape) != 4:
            raise Unknown
        n, h, w, c = shape
        return n, h, w, c

    def integers(self, index: int) -> tuple[int, ...]:
        """The constant integers of an input."""
        tensor = self.tensor(index)
        if tensor.data is None or not tensor.dtype.is_integer or tensor.dtype.numpy is None:
            raise Unknown
        return tuple(int(value) for value in tensor.data.array.reshape(-1).tolist())

    def integer(self, index: int) -> int:
        """The constant integer of an input; of several, interpreters read the first."""
        values = self.integers(index)
        if not values:
            raise Unknown
        return values[0]


Infer = Callable[[Asked], tuple[Shape, ...]]
"""The shapes of an operator's outputs, or Unknown."""


def axis_within(axis: int, rank: int) -> int:
    """An axis counted from the start."""
    if not -rank <= axis < rank:
        raise Unknown
    return axis % rank


def axes_within(axes: tuple[int, ...], rank: int) -> frozenset[int]:
    """Axes counted from the start."""
    return frozenset(axis_within(axis, rank) for axis in axes)


def with_dimension(shape: Shape, axis: int, size: int) -> Shape:
    """The shape with another size along an axis."""
    return (*shape[:axis], size, *shape[axis + 1 :])
