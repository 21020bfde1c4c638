"""What has no name: some compilers leave it empty, and others say so."""

from __future__ import annotations

from core.base.frozen import replace
from core.ir.network import Network, Subgraph

_UNNAMED = "<unnamed>"


def plain_name(name: str) -> str:
    """A name as it can be compared, whoever wrote it."""
    return "" if name == _UNNAMED else name


def plainly_named(network: Network) -> Network:
    """A network each of whose tensors has a name that can be compared."""
    return replace(network, subgraphs=tuple(map(_named, network.subgraphs)))


def _named(graph: Subgraph) -> Subgraph:
    tensors = (replace(tensor, name=plain_name(tensor.name)) for tensor in graph.tensors)
    return replace(graph, tensors=tuple(tensors))
