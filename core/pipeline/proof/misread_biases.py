"""Biases that interpreters read as different types, so that the original has two meanings.

LiteRT goes by an option of the operator, and reads 64 bits where the bias has 32: what it sums then
lies behind the bias. TensorFlow Lite Micro goes by the type of the bias.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.base.dtype import DType
from core.ir.network import Network, Operator

_BIAS = {"CONV_2D": 2, "FULLY_CONNECTED": 2, "TRANSPOSE_CONV": 3}
"""By kind whose options can name the type of a bias, the place of that among the inputs."""


def misread_biases(network: Network) -> Iterator[str]:
    """A sentence for each bias of 32 bits beside 16 that the options do not name."""
    for number, op in enumerate(network.main.operators):
        place = _BIAS.get(op.kind, len(op.inputs))
        given = op.inputs[place] if place < len(op.inputs) else None
        if given is not None and _is_undeclared(network, op, network.main.tensors[given].dtype):
            name = network.main.tensors[given].name
            yield (
                f"{op.kind} {number}: LiteRT reads its bias '{name}' of 32 bits as one of 64, since"
                " the options do not name its type; TensorFlow Lite Micro reads 32"
            )


def _is_undeclared(network: Network, op: Operator, bias: DType) -> bool:
    made = network.main.tensors[op.outputs[0]].dtype
    named = op.own_options.integer("quantized_bias_type")
    return made is DType.INT16 and bias is DType.INT32 and named != DType.INT32.code
