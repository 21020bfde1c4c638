"""Subgraphs that are called by themselves: the main one, and those that signatures name.

Each is proved like the main one, in whose place it is put, since an interpreter runs them alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import NamedTuple, replace
from core.base.ids import SubgraphId
from core.emit.container.metadata import places_of
from core.emit.conventions import OFFLINE_ALLOCATION
from core.emit.open import arena_addresses
from core.ir.network import Network, Operator
from core.pipeline.proof.unnamed import plain_name

_NAMES_A_SUBGRAPH = "subgraph_index"
"""How options end that do."""


class Entry(NamedTuple):
    """A subgraph that is called by itself."""

    subgraph: SubgraphId
    key: str
    """Of its signature; empty for the main one."""

    @property
    def title(self) -> str:
        """What callers know it by."""
        return f"signature '{self.key}'" if self.key else "the main subgraph"

    @property
    def role(self) -> str:
        """What its outputs are to whoever reads of them."""
        return f"{self.title}, output" if self.key else "output"


def entries(network: Network) -> tuple[Entry, ...]:
    """The main subgraph, and each other one by the first signature that names it."""
    found = {0: ""}
    for table in network.signatures:
        number = table.integer("subgraph_index")
        if 0 <= number < len(network.subgraphs):
            found.setdefault(number, plain_name(str(table.get("signature_key", ""))))
    return tuple(Entry(SubgraphId(number), key) for number, key in found.items())


def seen_from(network: Network, number: int) -> Network:
    """The network with one of its subgraphs in the main one's place."""
    if not number:
        return network
    metadata = network.metadata
    addresses = arena_addresses(network)
    if addresses:
        kept = (item for item in metadata if item.name != OFFLINE_ALLOCATION)
        metadata = (*kept, places_of((addresses[number], *addresses[1:])))
    subgraphs = (network.subgraphs[number], *network.subgraphs[1:])
    return replace(network, subgraphs=subgraphs, metadata=metadata, signatures=())


def callees(network: Network, op: Operator) -> tuple[int, ...]:
    """The subgraphs that an operator runs, as far as they are there."""
    tables = (table for table in (op.options, op.options2) if table is not None)
    numbers = (
        number
        for table in tables
        for name, number in table.fields
        if name.endswith(_NAMES_A_SUBGRAPH)
    )
    count = len(network.subgraphs)
    return tuple(at for at in numbers if isinstance(at, int) and 0 < at < count)


def reached(network: Network, number: int) -> frozenset[int]:
    """A subgraph, and all that it runs or has run by others."""
    found, waiting = {number}, [number]
    while waiting:
        for op in network.subgraphs[waiting.pop()].operators:
            new = set(callees(network, op)) - found
            found |= new
            waiting += new
    return frozenset(found)


def uncalled(network: Network) -> Iterator[int]:
    """Subgraphs with operators that nothing runs, and which are not called by themselves."""
    known = frozenset[int]().union(*(reached(network, each.subgraph) for each in entries(network)))
    yield from (
        at for at, each in enumerate(network.subgraphs) if each.operators and at not in known
    )
