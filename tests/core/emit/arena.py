"""What a runtime without a heap makes of offline allocation: which tensors it keeps, and when.

The rules are those of TensorFlow Lite Micro's planner: an input is there from the start, an output
to the end, everything else from the operator that makes it to the last that reads it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from core.emit.conventions import CUSTOM_CODE
from core.emit.open import open_program
from core.ir.network import Network, Operator, Subgraph

BEFORE_ALL = -1
DRIVERS_OWN = 4
"""Inputs of an `ethos-u` operator that are no tensors of the network."""


class Kept(NamedTuple):
    """A tensor in the arena, from the first to the last operator that needs it."""

    name: str
    address: int
    size_bytes: int
    first: int
    last: int


def kept(network: Network) -> list[Kept]:
    """Everything that the file gives an address, but for scratch memory itself."""
    addresses = open_program(network).arena_addresses
    return [
        Kept(tensor.name, addresses[number][index], size, *lives[index])
        for number, graph in enumerate(network.subgraphs)
        for lives in [_lives(graph, is_called=number > 0)]
        for index, tensor in enumerate(graph.tensors)
        if index in lives and addresses[number][index] >= 0
        for size in [math.prod(tensor.shape) * tensor.dtype.size_bytes]
    ]


def _lives(graph: Subgraph, *, is_called: bool) -> dict[int, tuple[int, int]]:
    end = len(graph.operators)
    seen: dict[int, list[int]] = {number: [BEFORE_ALL] for number in graph.inputs}
    for position, op in enumerate(graph.operators):
        for number in (*_own_inputs(op), *op.outputs):
            seen.setdefault(number, []).append(position)
    for number in graph.outputs:
        seen.setdefault(number, []).append(end)
    always = {n for n in seen if is_called or graph.tensors[n].is_variable}
    return {
        number: (BEFORE_ALL, end) if number in always else (min(times), max(times))
        for number, times in seen.items()
    }


def _own_inputs(op: Operator) -> Sequence[int]:
    own = op.inputs[DRIVERS_OWN:] if op.custom_code == CUSTOM_CODE else op.inputs
    return [number for number in own if number is not None]


def collisions(network: Network) -> Iterator[tuple[Kept, Kept]]:
    """Tensors that share bytes while both are needed.

    An accelerator may write an output over an input that it has read: its own stream decides that.
    """
    islands = {
        position
        for position, op in enumerate(network.main.operators)
        if op.custom_code == CUSTOM_CODE
    }
    for one, other in combinations(sorted(kept(network), key=lambda item: item.address), 2):
        if other.address >= one.address + one.size_bytes:
            continue
        first, last = max(one.first, other.first), min(one.last, other.last)
        is_handed_on = first == last and first in islands and one.first != other.first
        if first <= last and not is_handed_on:
            yield one, other
