"""A graph of TOSA as an original: inputs for it, what it makes of them, and what is first wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from core.base.frozen import NamedTuple
from core.ir.program import BoundTensor, ProgramPart
from core.ir.tosa import Element, TosaGraph, TosaOperator
from core.pipeline.proof.layer_outputs import Difference, LayerOutputs
from core.pipeline.proof.litert import Array
from core.pipeline.proof.random_inputs import (
    LEAST_INPUTS,
    MOST_INPUTS,
    PLAIN_INTEGERS,
    as_integers,
    drawn,
)

_MOST_WORK = 32_000_000
_PRODUCTS_PER_ELEMENT = 64
_PRODUCTS = frozenset({"CONV2D", "TRANSPOSE_CONV2D"})
_SHIFTS = frozenset({"ARITHMETIC_RIGHT_SHIFT", "LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT"})


class TosaOriginal(NamedTuple):
    """A graph, and what its file is called."""

    name: str
    graph: TosaGraph


def usual_count(graph: TosaGraph) -> int:
    """How many inputs are tried where nobody says it: many of a small graph."""
    work = sum(_work(graph, op) for op in graph.operators)
    return min(max(_MOST_WORK // max(work, 1), LEAST_INPUTS), MOST_INPUTS)


def _work(graph: TosaGraph, op: TosaOperator) -> int:
    elements = math.prod(graph.tensors[op.outputs[0]].shape)
    if op.kind not in _PRODUCTS:
        return elements
    weights = graph.tensors[op.inputs[1]].shape
    return elements + elements * math.prod(weights[1:]) // _PRODUCTS_PER_ELEMENT


def random_inputs(graph: TosaGraph, seed: int, number: int) -> list[Array]:
    """The `number`-th inputs of a seed."""
    draw = drawn(seed, number)
    found = []
    for at in graph.inputs:
        tensor = graph.tensors[at]
        least, most = _range(graph, at)
        values = as_integers(draw(tensor.shape), least, most)
        found.append(values.astype(tensor.element.numpy))
    return found


def _range(graph: TosaGraph, number: int) -> tuple[int, int]:
    """All numbers of a type, or those that what reads them has a meaning for."""
    least, most = graph.tensors[number].element.limits
    if graph.tensors[number].element in {Element.INT32, Element.INT48}:
        least, most = PLAIN_INTEGERS
    for op in graph.operators:
        if number not in op.inputs[1:2]:
            continue
        if op.kind in {"GATHER", "SCATTER"}:
            return 0, max(graph.tensors[op.inputs[0]].shape[1] - 1, 0)
        if op.kind in _SHIFTS:
            return 0, graph.tensors[op.inputs[0]].element.value - 1
    return least, most


def size_bytes(graph: TosaGraph, number: int) -> int:
    """Bytes of a tensor as a blob has it."""
    tensor = graph.tensors[number]
    return math.prod(tensor.shape) * np.dtype(tensor.element.numpy).itemsize


def pairs_of(part: ProgramPart, graph: TosaGraph) -> tuple[tuple[BoundTensor, int], ...] | None:
    """By output of a part the tensor of a graph that it is; None where the graph is another's.

    A part may lack outputs; those that it has are in the graph's order.
    """
    wanted = [size_bytes(graph, number) for number in graph.inputs]
    if [item.size_bytes for item in part.inputs] != wanted:
        return None
    left, found = list(graph.outputs), []
    if len(part.outputs) > len(left):
        return None
    is_whole = len(part.outputs) == len(left)
    for item in part.outputs:
        while left and size_bytes(graph, left[0]) != item.size_bytes:
            if is_whole:
                return None
            left.pop(0)
        if not left:
            return None
        found.append((item, left.pop(0)))
    return tuple(found)


def first_wrong(
    graph: TosaGraph, values: Mapping[int, Array], seen: LayerOutputs, output: int
) -> str:
    """The first operator on the way to an output whose result is nowhere, in words.

    What no stream writes as a whole, because operators were fused or only move values, is taken
    for right where an operator that reads it is right. One number all over proves nothing, as
    saturated results are equal whatever came before.
    """
    needed = _ancestors(graph, output)
    right = {
        at
        for at in needed
        if (out := graph.operators[at].outputs[0]) != output
        and values[out].min() != values[out].max()
        and seen.equal(_stored(values[out])) is not None
    }
    for at in reversed(needed):
        out = graph.operators[at].outputs[0]
        readers = [other for other in needed if out in graph.operators[other].inputs]
        if not right.isdisjoint(readers):
            right.add(at)
    wrong = [at for at in needed if at not in right]
    if not wrong:
        # A graph may hand on an input or a constant where the stream computes something.
        return "on the way to it, no operator that depends on an input is seen to be wrong"
    for at in wrong:
        made = graph.operators[at].outputs[0]
        expected = _stored(values[made])
        near = seen.most_alike(expected, lambda _: True)
        if near is None:
            continue
        found = Difference.between(near.values, expected)
        told = f"{graph.title(at)}, of which {found} ({near.place})"
        # What is on another way is not to blame for what is seen here.
        first = next(other for other in _ancestors(graph, made) if other in wrong)
        if at == first:
            return f"first at {told}"
        return f"first between {graph.title(first)} and {told}"
    return f"first at {graph.title(wrong[0])} or after it, where no output can be seen"


def _ancestors(graph: TosaGraph, output: int) -> list[int]:
    """Operators on the way from inputs to an output; what follows from constants is none."""
    varying = set(graph.inputs)
    for op in graph.operators:
        if not varying.isdisjoint(op.inputs):
            varying.update(op.outputs)
    tensors, found = {output}, []
    for at in reversed(range(len(graph.operators))):
        op = graph.operators[at]
        if tensors.intersection(op.outputs) and not varying.isdisjoint(op.outputs):
            found.append(at)
            tensors.update(op.inputs)
    return found[::-1]


def stored(values: Iterator[Array]) -> list[Array]:
    """Values as a blob has them: a truth value is a byte."""
    return [_stored(each) for each in values]


def _stored(values: Array) -> Array:
    return values.astype(np.int8) if values.dtype == np.bool_ else values
