"""Operators of the file that together are one which the NPU has.

It stands where the last of them did. The others go, unless somebody else needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from core.base.frozen import NamedTuple, replace
from core.base.ids import OpRef, SubgraphId, TensorId
from core.ir.network import Operator, Subgraph
from core.ir.rewritten import RewriteTried
from core.lower.source import SourceGraph


class Joined(NamedTuple):
    """An operator for some of the file's."""

    operator: Operator
    tried: RewriteTried
    """With those that it does the work of, the one that it replaces first."""
    beside: tuple[tuple[OpRef, Operator], ...] = ()
    """What stands in place of others, so that it is given and gives what is between them."""
    shapes: tuple[tuple[TensorId, tuple[int, ...]], ...] = ()
    """Of what is between them."""

    @property
    def replaced(self) -> OpRef:
        """The last of them."""
        return self.tried.sources[0]

    @property
    def changed(self) -> tuple[OpRef, ...]:
        """It, and those beside it."""
        return (self.replaced, *(ref for ref, _ in self.beside))


Find = Callable[[SourceGraph], Iterable[Joined]]
Rejected = Callable[[Subgraph], Collection[OpRef]]
"""The operators of a subgraph that would stay on the CPU."""


def join_operators(
    graph: Subgraph,
    subgraph: SubgraphId,
    finds: Iterable[Find],
    rejected: Rejected,
    kept_apart: Collection[OpRef] = (),
) -> tuple[Subgraph, tuple[RewriteTried, ...]]:
    """The subgraph with such operators joined, where the NPU then runs them."""
    source = SourceGraph.of(graph, subgraph)
    every = [joined for find in finds for joined in find(source)]
    found = _without(every, lambda each: any(ref in kept_apart for ref in each.tried.sources))
    if not found:
        return graph, ()
    on_cpu = rejected(_with(graph, found))
    kept = _without(found, lambda each: each.replaced in on_cpu)
    return _with(graph, kept), tuple(joined.tried for joined in kept)


def _without(found: list[Joined], is_refused: Callable[[Joined], bool]) -> list[Joined]:
    """Those that are not refused, and change no operator that one of these would have changed."""
    apart = {ref for each in found if is_refused(each) for ref in each.changed}
    return [each for each in found if not apart.intersection(each.changed)]


def _with(graph: Subgraph, joined: Iterable[Joined]) -> Subgraph:
    operators, tensors = list(graph.operators), list(graph.tensors)
    for each in joined:
        for ref, operator in ((each.replaced, each.operator), *each.beside):
            operators[ref.op] = operator
        for number, shape in each.shapes:
            tensors[number] = replace(tensors[number], shape=shape, shape_signature=())
    return replace(graph, operators=tuple(operators), tensors=tuple(tensors))
