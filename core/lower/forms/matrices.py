"""The form of FULLY_CONNECTED whose weights are computed: a product of two matrices."""

from __future__ import annotations

from core.base.frozen import replace
from core.ir.network import Table
from core.lower.forms.form import Forms, shaped
from core.lower.rewrites.batch_matmul import OF_FULLY_CONNECTED
from core.lower.source import SourceOp, values


def multiplied(op: SourceOp) -> Forms:
    """Rows by rows of the weights, where nothing is added and nothing clamped."""
    ifm, weights, *bias = op.inputs
    if ifm is None or weights is None or weights.data is not None or len(weights.shape) != 2:
        return
    added = values(bias[0]) if bias and bias[0] is not None else None
    is_plain = not any(bias) or (added is not None and not added.any())
    outputs, depth = weights.shape
    if not is_plain or op.activation != "NONE" or not depth or ifm.elements % depth:
        return
    rows = ifm.elements // depth
    fields = (("adj_y", True), (OF_FULLY_CONNECTED, True))
    options = Table(kind="BatchMatMulOptions", fields=fields)
    operator = replace(
        op.operator, kind="BATCH_MATMUL", inputs=op.operator.inputs[:2], options=options
    )
    yield replace(
        op,
        operator=operator,
        inputs=(shaped(ifm, (1, rows, depth)), shaped(weights, (1, outputs, depth))),
        outputs=(shaped(op.ofm, (1, rows, outputs)),),
    )
