"""Element-wise arithmetic that the hardware has.

a, b -> ADD -> c        becomes   the hardware's ADD, with the fused activation

Those of 32 bits are computed as they are stored: nothing is scaled. Where both inputs are spread,
parts are made one by one, in each of which one is full.
"""

from __future__ import annotations

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.npugraph import OpKind
from core.lower.operands import parts_of
from core.lower.rewrites.absorbed import scalar_slope
from core.lower.rewrites.leaky_relu import emit_leaky_product
from core.lower.scaling import NO_SCALING
from core.lower.scope import IDENTITY, Scope

KINDS = {
    "ADD": OpKind.ADD,
    "SUB": OpKind.SUB,
    "MUL": OpKind.MUL,
    "MINIMUM": OpKind.MINIMUM,
    "MAXIMUM": OpKind.MAXIMUM,
}


def lower_binary(scope: Scope) -> None:
    """Lower an operator of two inputs."""
    first, second = scope.operands()
    kind, made, activation = KINDS[scope.op.kind], scope.ofm, scope.fused_activation
    scaling = None
    if scope.dtype(first) is DType.INT32:
        first, second, made = (replace(view, quant=IDENTITY) for view in (first, second, made))
        scaling, activation = NO_SCALING, None
    for name, one, other, part in parts_of(first, second, made):
        scope.emit(kind, one, part, name, ifm2=other, activation=activation, scaling=scaling)


def lower_abs(scope: Scope) -> None:
    """Lower ABS."""
    scope.emit(OpKind.ABS, scope.ifm, scope.ofm)


def lower_maximum(scope: Scope) -> None:
    """Lower MAXIMUM, which with a product of its own input is a function of that alone.

    x -> MUL c -> MAXIMUM x      becomes   a table of max(x, c x), or ABS of x where c is -1
    """
    product = scope.absorbed
    if product is None:
        lower_binary(scope)
        return
    inputs = scope.op.operator.inputs[:2]
    shared = next(index for index, tensor in enumerate(inputs) if tensor in product.operator.inputs)
    if scalar_slope(product, inputs[shared]) == -1.0:
        scope.emit(OpKind.ABS, scope.input(shared), scope.ofm)
    else:
        emit_leaky_product(scope, scope.input(shared), product)
