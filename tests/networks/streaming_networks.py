"""Networks that keep what they have seen in variables, as wake words do; they are given frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Kernel
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Network, Operator, Subgraph, Table, Tensor
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import Window


def wake_word(seed: int, *, layers: int = 3, frames: int = 3, depth: int = 16) -> Network:
    """Convolutions over the last frames, each with a variable for those before this one."""
    b = Builder(seed, DType.INT8)
    held: list[tuple[Value, Value]] = []
    value = b.input((1, 1, 1, depth), -1.0, 2.0)
    for layer in range(layers):
        before = frames + layer % 2
        old = b.input((1, before, 1, value.shape[3]), -1.0, 2.0)
        joined = b.concat([old, value], axis=1)
        new = b.strided_slice(joined, (0, 1, 0, 0), joined.shape, (1, 1, 1, 1))
        held.append((old, new))
        value = b.conv(joined, depth, Window(kernel=Kernel(h=before + 1), same=False))
    value = b.softmax(b.fully_connected(b.reshape(value, (1, depth)), 4))
    network = b.build([value, *(new for _, new in held)], "wake_word")
    pairs = [(TensorId(old.index), TensorId(new.index)) for old, new in held]
    return with_variables(network, pairs)


def with_variables(
    network: Network, pairs: Sequence[tuple[TensorId, TensorId]], *, is_filled: bool = True
) -> Network:
    """The network with variables in place of inputs; each is given the value of an output.

    Where these are filled, a subgraph that is called once assigns real zeros to them.
    """
    graph = network.main
    tensors = list(graph.tensors)
    first, last = [], []
    for number, (old, new) in enumerate(pairs):
        handle = TensorId(len(tensors))
        tensors.append(_handle(number))
        tensors[new] = replace(tensors[new], quantization=tensors[old].quantization)
        first += [_var_handle(number, handle), _operator("READ_VARIABLE", (handle,), (old,))]
        last.append(_operator("ASSIGN_VARIABLE", (handle, new)))
    own = {old for old, _ in pairs}, {new for _, new in pairs}
    once = [_operator("CALL_ONCE", init_subgraph_index=1)] if is_filled else []
    main = replace(
        graph,
        tensors=tuple(tensors),
        operators=(*once, *first, *graph.operators, *last),
        inputs=tuple(number for number in graph.inputs if number not in own[0]),
        outputs=tuple(number for number in graph.outputs if number not in own[1]),
    )
    states = [graph.tensors[old] for old, _ in pairs]
    return replace(network, subgraphs=(main, _filling(states)) if is_filled else (main,))


def _filling(states: Sequence[Tensor]) -> Subgraph:
    """What assigns real zeros to all variables."""
    tensors = [item for number, state in enumerate(states) for item in _zeros(number, state)]
    handles = [TensorId(at) for at in range(0, len(tensors), 2)]
    operators = [
        op
        for number, handle in enumerate(handles)
        for op in (
            _var_handle(number, handle),
            _operator("ASSIGN_VARIABLE", (handle, TensorId(handle + 1))),
        )
    ]
    return Subgraph(
        name="once", tensors=tuple(tensors), operators=tuple(operators), inputs=(), outputs=()
    )


def _zeros(number: int, state: Tensor) -> Iterator[Tensor]:
    yield _handle(number)
    _, zero = state.one_scale
    data = np.full(state.shape, zero, state.dtype.numpy)
    yield replace(state, name=f"zeros_{number}", data=ConstData.of(data))


def _handle(number: int) -> Tensor:
    return Tensor(name=f"handle_{number}", shape=(), dtype=DType.RESOURCE)


def _var_handle(number: int, handle: TensorId) -> Operator:
    return _operator("VAR_HANDLE", (), (handle,), container="", shared_name=f"state_{number}")


def _operator(
    kind: str,
    inputs: tuple[TensorId, ...] = (),
    outputs: tuple[TensorId, ...] = (),
    **options: FieldValue,
) -> Operator:
    words = "".join(word.capitalize() for word in kind.split("_"))
    table = Table(kind=f"{words}Options", fields=tuple(options.items()))
    return Operator(kind=kind, inputs=inputs, outputs=outputs, options=table)
