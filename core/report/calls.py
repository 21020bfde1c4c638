"""The calls of a compiled model, in their order: who runs them, and what is handed over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, zip_longest
from typing import Any

from core.base.frozen import NamedTuple
from core.ir.calls import Call, Handed
from core.ir.network import Network, Tensor
from core.ir.program import BoundTensor, Program
from core.report.tables import Listing, Row
from core.report.words import Count, shape_text

TITLE = "Calls, in their order"
HEADERS = ("#", "method", "runs on", "call", "takes", "bytes", "gives", "bytes")


def calls_of(network: Network, program: Program) -> tuple[Call, ...]:
    """Every operator of the file as a call, in the order in which they run."""
    streams = {part.op: number for number, part in enumerate(program.parts)}
    on_cpu = count()
    calls = []
    for ref, op in network.operators():
        graph = network.subgraphs[ref.subgraph]
        name = graph.name or f"subgraph {ref.subgraph}"
        stream = streams.get(ref)
        if stream is not None:
            part = program.parts[stream]
            title = part.title or f"command stream {stream}"
            takes, gives = map(tuple, (map(_bound, part.inputs), map(_bound, part.outputs)))
            calls.append(Call(method=name, title=title, takes=takes, gives=gives, stream=stream))
            continue
        given = (graph.tensors[each] for each in op.inputs if each is not None)
        calls.append(
            Call(
                method=name,
                title=op.title,
                takes=tuple(_handed(each) for each in given if each.data is None),
                gives=tuple(_handed(graph.tensors[each]) for each in op.outputs),
                cpu_op=next(on_cpu),
            )
        )
    return tuple(calls)


def _bound(item: BoundTensor) -> Handed:
    return Handed(item.name, item.shape, item.dtype, item.size_bytes)


def _handed(tensor: Tensor) -> Handed:
    size_bytes = (tensor.elements * tensor.dtype.bits + 7) // 8
    return Handed(tensor.name, tensor.shape, tensor.dtype, size_bytes)


class CallRow(NamedTuple):
    """A line of the table: what is handed over takes as many as it has tensors."""

    call: int
    cells: Row


def listing_of(calls: Sequence[Call]) -> Listing:
    """Who runs what, and each tensor that is handed over."""
    return Listing(HEADERS, [row.cells for row in rows_of(calls)]).of_used()


def rows_of(calls: Sequence[Call]) -> Iterator[CallRow]:
    """The lines of the table; only the first of a call says whose it is."""
    has_one = len({call.method for call in calls}) == 1
    for number, call in enumerate(calls):
        runner = "CPU" if call.stream is None else "NPU"
        about: Row = (number, None if has_one else call.method, runner, call.title)
        for taken, given in zip_longest(call.takes or (None,), call.gives):
            yield CallRow(number, (*about, *_cells(taken), *_cells(given)))
            about = (None,) * len(about)


def _cells(item: Handed | None) -> Row:
    if item is None:
        return None, None
    told = f"{item.name}, {shape_text(item.shape)} {item.dtype.name.lower()}"
    return told, Count(item.size_bytes)


def calls_json(calls: Sequence[Call]) -> list[dict[str, Any]]:
    """The same as JSON has it."""
    return [
        {
            "method": call.method,
            "call": call.title,
            "command_stream": call.stream,
            "takes": list(_plain(call.takes)),
            "gives": list(_plain(call.gives)),
        }
        for call in calls
    ]


def _plain(items: Iterable[Handed]) -> Iterator[dict[str, Any]]:
    for each in items:
        yield {
            "name": each.name,
            "shape": list(each.shape),
            "dtype": each.dtype.name.lower(),
            "size_bytes": each.size_bytes,
        }
