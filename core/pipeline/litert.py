"""Networks computed by LiteRT's reference kernels; where it has no wheel, that is said."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError, OptionError
from core.base.ids import TensorId
from core.ir.network import Network, Tensor
from core.tflite import writer

Array = npt.NDArray[Any]
Values = Mapping[TensorId, Array]

_MODULE = "ai_edge_litert.interpreter"


def is_available() -> bool:
    """Whether LiteRT is installed."""
    return importlib.util.find_spec(_MODULE.partition(".")[0]) is not None


def demand() -> None:
    """Refuse what cannot be done without LiteRT, and say how to get it."""
    if not is_available():
        raise OptionError(
            "this needs LiteRT, which is not installed: python -m pip install ai-edge-litert"
        )


def compute(network: Network, inputs: Values, *, keep_all: bool = False) -> dict[TensorId, Array]:
    """The outputs of the main subgraph, or every tensor that LiteRT can show."""
    interpreter = _interpreter(network, keep_all=keep_all)
    graph = network.main
    try:
        interpreter.allocate_tensors()
        for number in graph.inputs:
            interpreter.set_tensor(number, inputs[number].reshape(graph.tensors[number].shape))
        interpreter.invoke()
    except (RuntimeError, ValueError) as error:
        raise InputError(f"LiteRT refuses it: {str(error).strip()}") from error
    numbers = range(len(graph.tensors)) if keep_all else graph.outputs
    shown = ((TensorId(number), _value(interpreter, number)) for number in numbers)
    return {number: value for number, value in shown if value is not None}


def _interpreter(network: Network, *, keep_all: bool) -> Any:
    demand()
    module = importlib.import_module(_MODULE)
    try:
        return module.Interpreter(
            model_content=writer.write(mended(network)),
            experimental_op_resolver_type=module.OpResolverType.BUILTIN_REF,
            experimental_preserve_all_tensors=keep_all,
        )
    except (RuntimeError, ValueError) as error:
        raise InputError(f"LiteRT refuses it: {str(error).strip()}") from error


def _value(interpreter: Any, number: int) -> Array | None:
    """A copy of what a tensor holds; None where LiteRT has not kept it."""
    try:
        return np.array(interpreter.get_tensor(number))
    except ValueError:
        return None


def mended(network: Network) -> Network:
    """A network without metadata, and without axes of quantisation that newer LiteRT refuses."""
    graphs = tuple(
        replace(graph, tensors=tuple(_mended(tensor) for tensor in graph.tensors))
        for graph in network.subgraphs
    )
    return replace(network, subgraphs=graphs, metadata=())


def _mended(tensor: Tensor) -> Tensor:
    """Old converters gave biases the axis of the weights that they belong to."""
    given, rank = tensor.quantization, len(tensor.shape)
    if given is None or given.axis < max(rank, 1):
        return tensor
    return replace(tensor, quantization=replace(given, axis=max(rank - 1, 0)))
