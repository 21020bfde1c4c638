"""LiteRT with its reference kernels: the oracle of what a file computes."""

from __future__ import annotations

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def computed(data: bytes, seed: int, tensor_count: int) -> dict[int, np.ndarray]:
    """The first tensors of the main subgraph, which are the file's own, for random inputs."""
    interpreter = Interpreter(
        model_content=data,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
    )
    interpreter.allocate_tensors()
    random = np.random.default_rng(seed)
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], _random(random, detail["shape"], detail["dtype"]))
    interpreter.invoke()
    return {index: interpreter.get_tensor(index) for index in range(tensor_count)}


def _random(random: np.random.Generator, shape: np.ndarray, dtype: type) -> np.ndarray:
    if np.issubdtype(dtype, np.floating):
        return random.uniform(-1, 1, shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
