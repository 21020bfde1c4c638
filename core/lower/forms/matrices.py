"""Forms of products of matrices: FULLY_CONNECTED whose weights are computed is one of two, and
stacks of stacks are one stack."""

from __future__ import annotations

import numpy as np

from core.base.frozen import replace
from core.ir.network import Table
from core.lower.forms.form import Forms, formed, in_three, shaped
from core.lower.rewrites.batch_matmul import OF_FULLY_CONNECTED
from core.lower.source import SourceOp, values

_GREATEST_PRODUCT = 255 * 255
"""Of two distances from a zero point, in 8 bits."""


def multiplied(op: SourceOp) -> Forms:
    """Rows by rows of the weights; what is added is known, and sums with it fit into 32 bits."""
    ifm, weights, *bias = op.inputs
    if ifm is None or weights is None or weights.data is not None or len(weights.shape) != 2:
        return
    added = values(bias[0]) if bias else None
    outputs, depth = weights.shape
    if not depth or ifm.elements % depth or (any(bias) and added is None):
        return
    greatest = 0 if added is None else int(np.abs(added.astype(np.int64)).max(initial=0))
    if greatest + depth * _GREATEST_PRODUCT >= 1 << 31:
        return
    rows = ifm.elements // depth
    activation = op.option("fused_activation_function", 0)
    fields = (
        ("adj_y", True),
        (OF_FULLY_CONNECTED, True),
        ("fused_activation_function", activation),
    )
    options = Table(kind="BatchMatMulOptions", fields=fields)
    operator = replace(op.operator, kind="BATCH_MATMUL", options=options)
    yield replace(
        op,
        operator=operator,
        inputs=(shaped(ifm, (1, rows, depth)), shaped(weights, (1, outputs, depth)), *bias),
        outputs=(shaped(op.ofm, (1, rows, outputs)),),
    )


def stacked(op: SourceOp) -> Forms:
    """BATCH_MATMUL of two stacks of equally many matrices, each of them one stack."""
    one, other, *_ = op.inputs
    if one is None or other is None or one.shape[:-2] != other.shape[:-2]:
        return
    given = {at: shaped(each, in_three(each.shape)) for at, each in enumerate((one, other))}
    yield formed(op, given, [in_three(op.ofm.shape)])
