"""Identities across values: one noun never holds a reference into another."""

from __future__ import annotations

from typing import NewType

from core.base.frozen import NamedTuple

SubgraphId = NewType("SubgraphId", int)
"""Position of a subgraph in its network."""

TensorId = NewType("TensorId", int)
"""Position of a tensor in its subgraph."""

OpId = NewType("OpId", int)
"""Position of an operator in its subgraph."""

FmId = NewType("FmId", int)
"""Position of a feature map in its NPU graph."""

NpuOpId = NewType("NpuOpId", int)
"""Position of an NPU operator in its NPU graph, which is the order of execution."""

IslandId = NewType("IslandId", int)
"""Position of an NPU island in its NPU graph."""


class OpRef(NamedTuple):
    """An operator of a network, whichever subgraph it is in."""

    subgraph: SubgraphId
    op: OpId


class TensorRef(NamedTuple):
    """A tensor of a network, whichever subgraph it is in."""

    subgraph: SubgraphId
    tensor: TensorId
