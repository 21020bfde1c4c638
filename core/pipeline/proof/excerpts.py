"""Parts of a network as networks of their own, and what is in states before the first inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.frozen import replace
from core.ir.network import Network, Operator, Tensor

Array = npt.NDArray[Any]


def first_state(tensor: Tensor) -> Array:
    """What an interpreter fills a variable tensor with: real zeros, as far as they have 8 bits."""
    zero = 0
    if tensor.dtype.bits == 8 and tensor.quantization and tensor.quantization.zero_points:
        zero = tensor.quantization.zero_points[0]
    return np.full(tensor.shape, zero, tensor.dtype.numpy)


def cut_out(
    network: Network, operators: tuple[Operator, ...], *, keeps_states: bool = False
) -> Network:
    """A network of some operators of the main subgraph, which shows all that they make.

    States are inputs of it, or are kept by who runs it.
    """
    graph = network.main
    made = [number for op in operators for number in op.outputs]
    read = {number for op in operators for number in op.inputs if number is not None}
    given = sorted(
        number
        for number in read - set(made)
        if graph.tensors[number].data is None
        and not (keeps_states and graph.tensors[number].is_variable)
    )
    part = replace(graph, operators=operators, inputs=tuple(given), outputs=tuple(made))
    return replace(network, subgraphs=(part, *network.subgraphs[1:]), signatures=())
