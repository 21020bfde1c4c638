"""Element-wise arithmetic that the hardware has.

a, b -> ADD -> c        becomes   the hardware's ADD, with the fused activation
"""

from __future__ import annotations

from core.ir.npugraph import OpKind
from core.lower.rewrites.absorbed import scalar_slope
from core.lower.rewrites.leaky_relu import emit_leaky_product
from core.lower.scope import Scope

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
    kind, activation = KINDS[scope.op.kind], scope.fused_activation
    scope.emit(kind, first, scope.ofm, ifm2=second, activation=activation)


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
