"""How a compiled model is called by name, held against how its original is.

A signature gives names to inputs and outputs of a subgraph. These are told by which ones they are:
the numbers of tensors are others in a compiled model.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import Frozen
from core.ir.network import Network, Subgraph, Table
from core.pipeline.proof.unnamed import plain_name
from core.report.words import counted

_ENDS = ("input", "output")


class _Signature(Frozen):
    """What callers rely on."""

    subgraph: int
    ends: tuple[tuple[str, str], ...]
    """What each named end is called, and which one of the subgraph it is; in order."""

    def called(self, name: str) -> str:
        """What has a name, or nothing."""
        return " and ".join(place for known, place in self.ends if known == name)


def unlike_signatures(made: Network, original: Network) -> Iterator[str]:
    """What whoever calls a compiled model by its signatures would find otherwise."""
    ours, theirs = _by_key(made), _by_key(original)
    for key in dict.fromkeys((*theirs, *ours)):
        here, there = ours.get(key, ()), theirs.get(key, ())
        head = f"signature '{key}'"
        if not here:
            yield f"{head} of the original is missing"
        elif not there:
            yield f"{head} is not in the original"
        elif len(here) != len(there):
            ours_told, theirs_told = (counted(len(each), "time") for each in (here, there))
            yield f"{head} is there {ours_told}, and {theirs_told} in the original"
        else:
            for one, other in zip(here, there, strict=True):
                yield from (f"{head}: {text}" for text in _unlike(one, other))


def _unlike(here: _Signature, there: _Signature) -> Iterator[str]:
    if here.subgraph != there.subgraph:
        yield f"runs subgraph {here.subgraph}, and {there.subgraph} in the original"
    for name in dict.fromkeys(name for name, _ in (*there.ends, *here.ends)):
        ours, theirs = here.called(name), there.called(name)
        if not ours:
            yield f"its {name} is missing, {theirs} in the original"
        elif not theirs:
            yield f"its {name} is not in the original"
        elif ours != theirs:
            yield f"its {name} is {ours}, and {theirs} in the original"


def _by_key(network: Network) -> dict[str, tuple[_Signature, ...]]:
    """All signatures; those of one key in an order that does not depend on the file's."""
    found: dict[str, list[_Signature]] = {}
    for table in network.signatures:
        key = plain_name(str(table.get("signature_key", "")))
        found.setdefault(key, []).append(_signature(network, table))
    return {key: tuple(sorted(each, key=repr)) for key, each in found.items()}


def _signature(network: Network, table: Table) -> _Signature:
    number = table.integer("subgraph_index")
    graph = network.subgraphs[number]
    ends = (
        (f"{what} '{plain_name(str(end.get('name', '')))}'", _place(graph, what, end))
        for what in _ENDS
        for end in _tables(table.get(f"{what}s"))
    )
    return _Signature(subgraph=number, ends=tuple(sorted(ends)))


def _tables(value: object) -> Iterator[Table]:
    if isinstance(value, tuple):
        yield from (each for each in value if isinstance(each, Table))


def _place(graph: Subgraph, what: str, end: Table) -> str:
    """Which input or output a tensor is; its name where it is none."""
    tensor = end.integer("tensor_index")
    known: tuple[int, ...] = graph.inputs if what == "input" else graph.outputs
    if tensor in known:
        return f"{what} {known.index(tensor)}"
    return f"tensor '{graph.tensors[tensor].name}'"
