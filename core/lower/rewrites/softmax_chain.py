"""What the two chains of operators that make a softmax have in common."""

from __future__ import annotations

from typing import Unpack

from core.base.dtype import DType
from core.base.frozen import Changing, replace
from core.base.geometry import Kernel, Shape4
from core.ir.npugraph import ExplicitScaling, OpKind, Quant, View
from core.lower.scaling import UNSCALED
from core.lower.scope import OpDetails, Scope

ONE_UNIT = Quant(scale=1.0)
TWO_UNITS = Quant(scale=2.0)

HIGH_HALF = ExplicitScaling(multiplier=1, shift=31)
"""The doubled product's high half, rounded. A product of 32-bit values is shifted, not scaled."""


class Chain(Changing):
    """Operators one after the other, over rows that each hold one distribution."""

    scope: Scope
    ifm: View
    ofm: View
    length: int = 0

    @classmethod
    def of(cls, scope: Scope) -> Chain:
        """An empty chain from the scope's input to its output, the batches one below another."""
        n, h, w, c = scope.ifm.shape
        shape = Shape4(1, n * h, w, c)
        return cls(scope, replace(scope.ifm, shape=shape), replace(scope.ofm, shape=shape))

    @property
    def single(self) -> Shape4:
        """The shape of one number for each row."""
        return self.ifm.shape.with_depth(1)

    def constant(self, value: int, quant: Quant = UNSCALED) -> View:
        """A 32-bit constant."""
        return self.scope.constant(f"constant{self.length}", value, DType.INT32, quant)

    def step(
        self,
        kind: OpKind,
        inputs: tuple[View, ...],
        quant: Quant = UNSCALED,
        dtype: DType = DType.INT32,
        **details: Unpack[OpDetails],
    ) -> View:
        """Add an operator over one or two inputs, whose result is as large as the larger."""
        shape = max((view.shape for view in inputs), key=lambda shape: shape.elements)
        return self.step_to(self.room(shape, quant, dtype), kind, inputs, **details)

    def room(self, shape: Shape4, quant: Quant = UNSCALED, dtype: DType = DType.INT32) -> View:
        """A feature map for the next operator's result."""
        return self.scope.temporary(f"step{self.length}", shape, dtype, quant)

    def step_to(
        self, ofm: View, kind: OpKind, inputs: tuple[View, ...], **details: Unpack[OpDetails]
    ) -> View:
        """Add an operator over one or two inputs that writes a given feature map."""
        name = f"{kind.value.replace(' ', '_')}{self.length}"
        self.length += 1
        if len(inputs) == 2:
            details["ifm2"] = inputs[1]
        return self.scope.emit(kind, inputs[0], ofm, name, **details)

    def greatest(self) -> View:
        """Add the search for each row's greatest element: a window as long as the row."""
        _, h, w, c = self.ifm.shape
        rows = Shape4(1, h * w, c, 1)
        dtype = self.scope.dtype(self.ifm)
        zero_point = 0 if self.ifm.quant is None else self.ifm.quant.zero_point
        quant = Quant(scale=None, zero_point=zero_point)
        found = self.room(Shape4(1, h * w, 1, 1), quant, dtype)
        window = Kernel(h=1, w=c)
        ifm = replace(self.ifm, shape=rows)
        found = self.step_to(found, OpKind.MAX_POOL, (ifm,), kernel=window)
        return replace(found, shape=self.single)

    def total(self, terms: View, **details: Unpack[OpDetails]) -> View:
        """Add the sum over each row."""
        return self.step_to(self.room(self.single), OpKind.REDUCE_SUM, (terms,), **details)
