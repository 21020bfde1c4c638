"""Operators of the file that together are one which the NPU has.

It stands where the last of them did. The others go, unless somebody else needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from core.base.frozen import replace
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.ir.network import Operator, Subgraph
from core.ir.rewritten import RewriteTried
from core.lower.source import SourceOp, bind


class Joined(NamedTuple):
    """An operator for some of the file's."""

    operator: Operator
    tried: RewriteTried
    """With those that it does the work of, the one that it replaces first."""

    @property
    def replaced(self) -> OpRef:
        """The last of them."""
        return self.tried.sources[0]


class Chains:
    """Who makes what the operators of a subgraph read."""

    def __init__(self, ops: Sequence[SourceOp]) -> None:
        self.ops = ops
        self._makers = {made: op for op in ops for made in op.operator.outputs}

    def maker(self, given: TensorId | None, kinds: Collection[str]) -> SourceOp | None:
        """Who makes a tensor, if it is of some kinds."""
        maker = None if given is None else self._makers.get(given)
        return maker if maker is not None and maker.kind in kinds else None


Find = Callable[[Chains], Iterable[Joined]]
Rejected = Callable[[Subgraph], Collection[OpRef]]
"""The operators of a subgraph that would stay on the CPU."""


def join_operators(
    graph: Subgraph, subgraph: SubgraphId, finds: Iterable[Find], rejected: Rejected
) -> tuple[Subgraph, tuple[RewriteTried, ...]]:
    """The subgraph with such operators joined, where the NPU then runs them."""
    chains = Chains(
        [
            bind(OpRef(subgraph, OpId(index)), operator, graph.tensors)
            for index, operator in enumerate(graph.operators)
        ]
    )
    found = [joined for find in finds for joined in find(chains)]
    if not found:
        return graph, ()
    on_cpu = rejected(_with(graph, found))
    kept = [joined for joined in found if joined.replaced not in on_cpu]
    return _with(graph, kept), tuple(joined.tried for joined in kept)


def _with(graph: Subgraph, joined: Iterable[Joined]) -> Subgraph:
    operators = list(graph.operators)
    for each in joined:
        operators[each.replaced.op] = each.operator
    return replace(graph, operators=tuple(operators))
