"""From the bytes of a TOSA file to its graph: version 1, one block, the integer types."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.base.errors import InputError
from core.flatbuf.decode import decode_union
from core.flatbuf.view import Source, TableView
from core.ir.constdata import ConstData
from core.ir.network import NO_OPTIONS
from core.ir.tosa import Element, TosaGraph, TosaOperator, TosaTensor
from core.tosa.call import Array
from core.tosa.schema import TOSA, is_graph

_MAJOR = 1
_MOST_ELEMENTS = 1 << 27
"""Of a tensor: more than any delegate could hold."""
_MAX_RANK = 8
_CONSTANTS = frozenset({"CONST", "CONST_SHAPE"})
_WIDE_BYTES = 6
"""Of a number of 48 bits."""


def read(data: bytes) -> TosaGraph:
    """The graph that the bytes describe."""
    if not is_graph(data):
        raise InputError(f"this is no graph of TOSA: its identifier is {data[4:8]!r}")
    root = Source(data, TOSA).root("TosaGraph")
    version = _version(root)
    block = _only(_only(root, "regions"), "blocks")
    tensors = (*_tensors(block), *_shapes(block))
    ids = _ids(tensors)
    operators = tuple(_operator(view, ids) for view in block.tables("operators"))
    inputs, outputs = (_numbers(block, name, ids) for name in ("inputs", "outputs"))
    made = {at for at, tensor in enumerate(tensors) if tensor.data is not None} | set(inputs)
    working = tuple(op for op in operators if op.kind not in _CONSTANTS)
    graph = TosaGraph(
        tensors=tensors,
        operators=tuple(_in_order(working, tensors, made)),
        inputs=inputs,
        outputs=outputs,
        version=version,
    )
    missing = [at for at in outputs if at not in _known(graph)]
    if missing:
        raise InputError(f"output '{tensors[missing[0]].name}' is made by nobody")
    return graph


def _version(root: TableView) -> tuple[int, int, int]:
    view = root.table("version")
    if view is None:
        root.fail("version", "the file has none")
    major, minor, patch = (int(view.scalar(name)) for name in ("major", "minor", "patch"))
    if major != _MAJOR:
        view.fail("", f"{major}.{minor} cannot be read, only {_MAJOR}.x")
    return major, minor, patch


def _only(view: TableView, name: str) -> TableView:
    if view.count(name) != 1:
        view.fail(name, f"there are {view.count(name)}, where graphs without control flow have 1")
    return next(view.tables(name))


def _tensors(block: TableView) -> Iterator[TosaTensor]:
    for view in block.tables("tensors"):
        shape, element = view.numbers("shape"), _element(view)
        if len(shape) > _MAX_RANK or any(size < 1 for size in shape) or view.scalar("is_unranked"):
            view.fail("shape", f"{shape} are no dimensions that are known beforehand")
        if math.prod(shape) > _MOST_ELEMENTS:
            view.fail("shape", f"{math.prod(shape)} elements are more than any delegate holds")
        if view.scalar("variable"):
            view.fail("variable", "variables are not known here")
        data = view.copied("data")
        constant = _constant(view, data, element, shape) if data else None
        yield TosaTensor(name=view.string("name"), shape=shape, element=element, data=constant)


def _shapes(block: TableView) -> Iterator[TosaTensor]:
    for view in block.tables("shapes"):
        rank, data = view.scalar("rank"), view.copied("data")
        if len(data) != rank * Element.SHAPE.value // 8:
            view.fail("data", f"{len(data)} bytes are no shape of {rank} dimensions")
        values = np.frombuffer(data, Element.SHAPE.numpy)
        yield TosaTensor(
            name=view.string("name"),
            shape=(rank,),
            element=Element.SHAPE,
            data=ConstData.of(values),
        )


def _element(view: TableView) -> Element:
    code = view.scalar("type")
    name = TOSA.names_of("DType").get(code, str(code))
    if name not in Element.__members__:
        view.fail("type", f"{name} is no type of the integer profile")
    return Element[name]


def _constant(view: TableView, data: bytes, element: Element, shape: Sequence[int]) -> ConstData:
    count = math.prod(shape)
    needed = count * np.dtype(element.numpy).itemsize
    if element is Element.INT48:
        needed = _WIDE_BYTES * count
    elif element is Element.INT4:
        needed = (count + 1) // 2
    if len(data) < needed:
        view.fail("data", f"{len(data)} bytes, where {needed} are needed")
    return ConstData.of(_values(data[:needed], element)[:count].reshape(shape))


def _values(data: bytes, element: Element) -> Array:
    if element is Element.INT48:
        return _wide(data)
    if element is Element.INT4:
        return _halves(data)
    if element is Element.BOOL:
        return np.asarray(np.frombuffer(data, np.uint8) != 0)
    return np.frombuffer(data, element.numpy)


def _wide(data: bytes) -> Array:
    """Numbers of 48 bits, by the sign of their last byte."""
    parts = np.frombuffer(data, np.uint8).reshape(-1, _WIDE_BYTES)
    whole = np.zeros((len(parts), 8), np.uint8)
    whole[:, :_WIDE_BYTES] = parts
    whole[:, _WIDE_BYTES:] = np.where(parts[:, -1:] >= 0x80, 0xFF, 0)
    return whole.reshape(-1).view("<i8")


def _halves(data: bytes) -> Array:
    """Numbers of four bits, the lower half of a byte first."""
    packed = np.frombuffer(data, np.int8)
    return np.stack([packed << 4 >> 4, packed >> 4], axis=-1).reshape(-1)


def _ids(tensors: Sequence[TosaTensor]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for number, tensor in enumerate(tensors):
        if found.setdefault(tensor.name, number) != number:
            raise InputError(f"two tensors have the name '{tensor.name}'")
    return found


def _numbers(view: TableView, name: str, ids: Mapping[str, int]) -> tuple[int, ...]:
    names = view.strings(name)
    for each in names:
        if each not in ids:
            view.fail(name, f"there is no tensor '{each}'")
    return tuple(ids[each] for each in names)


def _operator(view: TableView, ids: Mapping[str, int]) -> TosaOperator:
    code = view.scalar("op")
    return TosaOperator(
        kind=TOSA.names_of("Op").get(code, f"operator of number {code}"),
        inputs=_numbers(view, "inputs", ids),
        outputs=_numbers(view, "outputs", ids),
        attribute=decode_union(view, "attribute") or NO_OPTIONS,
    )


def _in_order(
    operators: Sequence[TosaOperator], tensors: Sequence[TosaTensor], made: set[int]
) -> Iterator[TosaOperator]:
    """Operators so that each comes after those whose outputs it reads; by the file's order else."""
    _demand_made_once(operators, tensors, made)
    needs = [set(op.inputs) - made for op in operators]
    readers: dict[int, list[int]] = {}
    for at, missing in enumerate(needs):
        for tensor in missing:
            readers.setdefault(tensor, []).append(at)
    ready = [at for at, missing in enumerate(needs) if not missing]
    done = 0
    while ready:
        op = operators[heapq.heappop(ready)]
        done += 1
        yield op
        for out in op.outputs:
            for at in readers.get(out, ()):
                needs[at].discard(out)
                if not needs[at]:
                    heapq.heappush(ready, at)
    if done < len(operators):
        at = next(at for at, missing in enumerate(needs) if missing)
        name = tensors[min(needs[at])].name
        raise InputError(f"{operators[at].kind} reads tensor '{name}', which nothing has made")


def _demand_made_once(
    operators: Sequence[TosaOperator], tensors: Sequence[TosaTensor], made: set[int]
) -> None:
    seen = set(made)
    for op in operators:
        for out in op.outputs:
            if out in seen:
                raise InputError(f"tensor '{tensors[out].name}' is made twice")
            seen.add(out)


def _known(graph: TosaGraph) -> set[int]:
    made = {at for at, tensor in enumerate(graph.tensors) if tensor.data is not None}
    return made.union(graph.inputs, *(op.outputs for op in graph.operators))
