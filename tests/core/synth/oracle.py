"""LiteRT's reference kernels as the oracle for networks that the builder makes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from core.base.frozen import Frozen
from core.ir.network import Network, Tensor
from core.tflite.writer import write

Stored = npt.NDArray[np.int64]


class Execution(Frozen, kw_only=False):
    """A network, and what each of its tensors holds after a run."""

    network: Network
    stored: Mapping[int, npt.NDArray]

    def real(self, index: int) -> npt.NDArray[np.float64]:
        """What a tensor holds, dequantised."""
        tensor = self.network.main.tensors[index]
        values = self.stored[index].astype(np.float64)
        if tensor.quantization is None:
            return values
        return (values - tensor.quantization.zero_points[0]) * tensor.quantization.scales[0]

    def activations(self) -> list[tuple[Tensor, npt.NDArray]]:
        """Every quantised tensor that is neither constant nor a state."""
        return [
            (tensor, self.stored[index])
            for index, tensor in enumerate(self.network.main.tensors)
            if index in self.stored and tensor.quantization and tensor.data is None
        ]

    def outputs(self) -> list[npt.NDArray]:
        return [self.stored[index] for index in self.network.main.outputs]


def execute(
    network: Network,
    feeds: list[npt.NDArray],
    resolver: OpResolverType = OpResolverType.BUILTIN_REF,
) -> Execution:
    """Write the network, let LiteRT load and run it, and keep every activation."""
    interpreter = Interpreter(
        model_content=write(network),
        experimental_op_resolver_type=resolver,
        experimental_preserve_all_tensors=True,
    )
    interpreter.allocate_tensors()
    for detail, feed in zip(interpreter.get_input_details(), feeds, strict=True):
        interpreter.set_tensor(detail["index"], feed)
    interpreter.invoke()
    graph = network.main
    made = {index for operator in graph.operators for index in operator.outputs}
    kept = sorted(made | set(graph.inputs))
    return Execution(network, {index: interpreter.get_tensor(index) for index in kept})


def noise(network: Network, seed: int) -> list[npt.NDArray]:
    """Random elements over the whole range of each input's type."""
    rng = np.random.default_rng(seed)
    tensors = [network.main.tensors[index] for index in network.main.inputs]
    return [
        rng.integers(*tensor.dtype.limits, tensor.shape, dtype=tensor.dtype.numpy, endpoint=True)
        for tensor in tensors
    ]


def assert_well_formed(network: Network) -> None:
    """Each tensor is made once, before it is read, and names are unique."""
    graph = network.main
    known = {index for index, tensor in enumerate(graph.tensors) if tensor.data is not None}
    known |= {index for index, tensor in enumerate(graph.tensors) if tensor.is_variable}
    known |= set(graph.inputs)
    for operator in graph.operators:
        assert {index for index in operator.inputs if index is not None} <= known
        assert not known & set(operator.outputs)
        known |= set(operator.outputs)
    assert set(graph.outputs) <= known
    names = [tensor.name for tensor in graph.tensors]
    assert len(set(names)) == len(names)
