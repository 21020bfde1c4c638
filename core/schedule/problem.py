"""What the search has to know of an island, worked out once: nodes, who reads whom, what is whole.

A node is an operator in its place; the search speaks of nodes by their position in the island.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from core.base.frozen import Frozen, replace
from core.base.geometry import Resampling, Shape4, round_up
from core.base.ids import FmId, NpuOpId
from core.base.memo import Memo
from core.ir.decisions import (
    Decision,
    FullMapNeeded,
    Role,
    StripesImpossible,
    UnstripedReason,
    WholeReason,
)
from core.ir.fixed import Fixed, Precedence, Reserve
from core.ir.freedoms import Freedoms
from core.ir.npugraph import FeatureMap, Island, NpuGraph, NpuOp, OpKind, View
from core.liveness.order import Needs, needs_of
from core.liveness.overwrite import overwritable
from core.liveness.sizes import map_bytes
from core.schedule.beside import NOTHING, Beside
from core.schedule.bonds import FREE, Bonds, bonds_of
from core.schedule.fast_storage import FastStorage
from core.target.format import ALIGNMENT_BYTES, Format
from core.target.unit import Unit

_WHOLE_UNITS = {
    Unit.VECTOR_PRODUCT: UnstripedReason.NO_ROWS,
    Unit.REDUCE_SUM: UnstripedReason.CHANNEL_SUM,
    Unit.DMA: UnstripedReason.DMA,
}
"""Their output cannot be made row by row."""


class Port(Frozen, kw_only=False):
    """A feature map as a node sees it."""

    fm: FmId
    shape: Shape4
    element_bytes: int
    size_bytes: int
    """Of the whole map, as it is stored."""
    format: Format
    is_constant: bool

    def stored(self, order: Format) -> Port:
        """The same map in a format."""
        size = round_up(order.stored(self.shape).elements * self.element_bytes, ALIGNMENT_BYTES)
        return replace(self, format=order, size_bytes=size)


class Node(Frozen):
    """An operator in its place."""

    index: int
    op: NpuOp
    ifm: Port
    ifm2: Port | None
    ofm: Port
    readers: tuple[int, ...]
    """Nodes that read the output, once for each input that it is."""
    needs_whole_ifm: WholeReason | None
    """Why the input must exist whole; None where it need not."""
    needs_whole_ifm2: WholeReason | None
    needs_whole_ofm: WholeReason | None
    unstriped: UnstripedReason | None
    """Why it can be part of no cascade; None where it can."""
    overwrites: tuple[FmId, ...]
    """Inputs that the output may replace."""
    alike: tuple[FmId, ...]
    """The same, and those that it may replace once both have one format."""
    fms: tuple[FmId, ...]
    """Maps that it touches, in the order of its views."""
    maps: tuple[FmId, ...]
    """Those that are no constants, by where their bytes are."""

    @property
    def can_stripe(self) -> bool:
        """Whether it can be part of a cascade at all."""
        return self.unstriped is None

    @property
    def whole_bytes(self) -> int:
        """Memory for the maps that must exist whole; what lies on each other counts once."""
        sizes = {}
        if self.needs_whole_ifm:
            sizes[self.ifm.fm] = self.ifm.size_bytes
        if self.ifm2 is not None and self.needs_whole_ifm2:
            sizes[self.ifm2.fm] = self.ifm2.size_bytes
        if self.needs_whole_ofm and not self.overwrites:
            sizes[self.ofm.fm] = self.ofm.size_bytes
        return sum(sizes.values())

    @property
    def most_rows(self) -> int:
        """Rows of the highest stripe that is not the whole output; 0 where there is none."""
        lower = self.ofm.shape.h - 1
        return lower - lower % 2 if self.needs_even_rows else lower

    @property
    def needs_even_rows(self) -> bool:
        """Whether its rows come in pairs, as where it repeats each row of its input."""
        return self.op.resampling is Resampling.NEAREST


class IslandProblem(Frozen, eq=False, dict=True):
    """An island before the search."""

    graph: NpuGraph
    island: Island
    nodes: tuple[Node, ...]
    formats: tuple[Format, ...]
    """By feature map."""
    sizes: tuple[int, ...]
    """Bytes of each feature map as it is stored, by feature map."""
    storage: FastStorage
    beside: Beside
    """What fast storage holds beside the island."""
    decisions: tuple[Decision, ...]
    bonds: Bonds = FREE
    reserves: tuple[Reserve, ...] = ()
    """Bytes that others need, from one operator to another."""
    wishes: tuple[Precedence, ...] = ()
    """What the order of operators has to keep to, beside what they need of each other."""

    @cached_property
    def smaller_orders(self) -> Memo[None, tuple[tuple[NpuOpId, ...], ...]]:
        """Remembers in which orders less is live, which does not depend on what is asked."""
        return Memo(1)

    @cached_property
    def needs(self) -> Needs:
        """Which operators run before which, whatever the order is."""
        return needs_of(self.graph, self.island.ops).with_wishes(self.wishes)

    def at(self, reserve: Reserve) -> range:
        """The nodes that run while bytes are reserved for others."""
        place = {node.op.id: node.index for node in self.nodes}
        # One end, or both, can be in other islands, which run before or behind this one.
        none = len(self.nodes)
        first = place.get(reserve.first, 0 if reserve.first < min(place, default=0) else none)
        last = place.get(reserve.last, none - 1 if reserve.last > max(place, default=0) else -1)
        is_inside = reserve.first in place and reserve.last in place
        return (
            range(min(first, last), max(first, last) + 1) if is_inside else range(first, last + 1)
        )

    @cached_property
    def movable(self) -> frozenset[FmId]:
        """Maps that its operators make and read, and nobody else, unless they are in fast storage
        anyway."""
        is_there = self.storage.holds(frozenset())
        maps, shared = self.graph.feature_maps, {*self.island.inputs, *self.island.outputs}
        return frozenset(
            node.ofm.fm
            for node in self.nodes
            if node.readers
            and node.ofm.fm not in shared
            and maps[node.ofm.fm].storage == node.ofm.fm
            and not maps[node.ofm.fm].is_variable
            and not is_there(node.ofm.fm)
        )

    @property
    def smallest_bytes(self) -> int:
        """What the maps of some node that must be whole need, whatever else is live."""
        return max((node.whole_bytes for node in self.nodes), default=0)


def with_formats(problem: IslandProblem, formats: tuple[Format, ...]) -> IslandProblem:
    """The same island with some of its maps in the other format."""
    maps = problem.graph.feature_maps
    changed = {fm for fm, order in enumerate(formats) if order is not problem.formats[fm]}
    sizes = tuple(
        map_bytes(maps[fm], formats[fm]) if fm in changed else size
        for fm, size in enumerate(problem.sizes)
    )

    def stored(node: Node) -> Node:
        if changed.isdisjoint(view.fm for view in node.op.views):
            return node
        made = formats[node.ofm.fm]
        return replace(
            node,
            ifm=node.ifm.stored(formats[node.ifm.fm]),
            ifm2=None if node.ifm2 is None else node.ifm2.stored(formats[node.ifm2.fm]),
            ofm=node.ofm.stored(made),
            overwrites=tuple(fm for fm in node.alike if formats[fm] is made),
        )

    nodes = tuple(map(stored, problem.nodes))
    return replace(problem, formats=formats, sizes=sizes, nodes=nodes)


def in_order(problem: IslandProblem, ops: tuple[NpuOpId, ...], freedoms: Freedoms) -> IslandProblem:
    """The same island with its operators in another order in which they can run."""
    if ops == problem.island.ops:
        return problem
    graph, island = problem.graph, replace(problem.island, ops=ops)
    alike = {node.op.id: node.alike for node in problem.nodes}
    nodes = _nodes(graph, island, problem.formats, alike, freedoms)
    return replace(problem, island=island, nodes=nodes, decisions=tuple(_decisions(nodes)))


def with_fixed(problem: IslandProblem, fixed: Fixed) -> IslandProblem:
    """The same island, in an order that is as asked for, where some decisions, each of them
    possible, are taken."""
    rolls_near = not problem.storage.has_all_maps
    bonds = bonds_of(problem.graph, problem.island, fixed, rolls_near=rolls_near)
    return replace(problem, bonds=bonds, reserves=fixed.reserves, wishes=fixed.order)


def leaving_free(problem: IslandProblem, lost: tuple[Reserve, ...]) -> IslandProblem:
    """The same island where bytes are of no use while some operators run."""
    return replace(problem, reserves=(*problem.reserves, *lost))


def problems_of(
    graph: NpuGraph, orders: tuple[Format, ...], storage: FastStorage, freedoms: Freedoms
) -> tuple[IslandProblem, ...]:
    """One problem for each island, given the format of each map."""
    sizes = tuple(map_bytes(fm, orders[fm.id]) for fm in graph.feature_maps)
    over = overwritable(graph, [Format.LINEAR] * len(orders))
    alike = {op.id: fms for op, fms in zip(graph.ops, over, strict=True)}
    beside = storage.others(graph, sizes)
    nodes = [_nodes(graph, island, orders, alike, freedoms) for island in graph.islands]
    return tuple(
        IslandProblem(
            graph=graph,
            island=island,
            nodes=own,
            formats=orders,
            sizes=sizes,
            storage=storage,
            beside=beside.get(island.id, NOTHING),
            decisions=tuple(_decisions(own)),
        )
        for island, own in zip(graph.islands, nodes, strict=True)
    )


def _nodes(
    graph: NpuGraph,
    island: Island,
    formats: tuple[Format, ...],
    alike: Mapping[NpuOpId, tuple[FmId, ...]],
    freedoms: Freedoms,
) -> tuple[Node, ...]:
    ops = [graph.ops[number] for number in island.ops]
    readers: defaultdict[FmId, list[int]] = defaultdict(list)
    for index, op in enumerate(ops):
        for view in op.views[:-1]:
            readers[view.fm].append(index)
    touched = {view.fm for op in ops for view in op.views}
    makers = Counter(op.ofm.fm for op in ops)
    edges = _Edges(
        inputs=frozenset(island.inputs),
        outputs=frozenset(island.outputs),
        whole={
            fm: reason
            for fm in touched
            if formats[fm] is Format.LINEAR
            and (reason := _whole_rows(graph.feature_maps[fm], freedoms))
        },
        makers=makers,
        readers={fm: tuple(found) for fm, found in readers.items()},
        copied=frozenset(
            op.ofm.fm
            for op in ops
            if op.kind is OpKind.COPY
            and makers[op.ofm.fm] == 1
            and graph.fm(op.ifm).data is not None
        ),
    )
    return tuple(
        _node(graph, op, index, edges, formats, alike[op.id]) for index, op in enumerate(ops)
    )


class _Edges(Frozen, kw_only=False):
    """How the operators of an island hang together."""

    inputs: frozenset[FmId]
    outputs: frozenset[FmId]
    whole: dict[FmId, WholeReason]
    """Maps in rows that must exist whole."""
    makers: Counter[FmId]
    readers: dict[FmId, tuple[int, ...]]
    copied: frozenset[FmId]
    """Constants that a copy brings, of which every stripe reads all."""


def _node(
    graph: NpuGraph,
    op: NpuOp,
    index: int,
    edges: _Edges,
    formats: Sequence[Format],
    alike: tuple[FmId, ...],
) -> Node:
    return Node(
        index=index,
        op=op,
        ifm=_port(graph, op.ifm, formats),
        ifm2=None if op.ifm2 is None else _port(graph, op.ifm2, formats),
        ofm=_port(graph, op.ofm, formats),
        readers=edges.readers.get(op.ofm.fm, ()),
        needs_whole_ifm=_whole_input(op.ifm, edges),
        needs_whole_ifm2=None if op.ifm2 is None else _whole_input(op.ifm2, edges),
        needs_whole_ofm=_whole_output(op, edges),
        unstriped=_unstriped(graph, op, edges),
        overwrites=tuple(fm for fm in alike if formats[fm] is formats[op.ofm.fm]),
        alike=alike,
        fms=tuple(view.fm for view in op.views),
        maps=tuple(
            dict.fromkeys(
                graph.fm(view).storage for view in op.views if graph.fm(view).data is None
            )
        ),
    )


def _port(graph: NpuGraph, view: View, formats: Sequence[Format]) -> Port:
    fm = graph.fm(view)
    bits = fm.dtype.bits
    stored = formats[view.fm].stored(view.shape).elements * bits // 8
    return Port(
        fm=view.fm,
        shape=view.touched if view.is_joined else view.shape,
        element_bytes=bits // 8,
        size_bytes=round_up(stored, ALIGNMENT_BYTES),
        format=formats[view.fm],
        is_constant=fm.data is not None,
    )


def _whole_rows(fm: FeatureMap, freedoms: Freedoms) -> WholeReason | None:
    """Why a map in rows cannot roll; the ecosystem's compiler lets no rows do so."""
    if fm.data is not None:
        return None
    if not freedoms.formats_by_cost:
        return WholeReason.IN_ROWS
    if fm.is_variable or fm.storage != fm.id:
        return WholeReason.KEPT
    return None if fm.linear_reason is None else WholeReason.OUT_OF_ORDER


def _whole_input(view: View, edges: _Edges) -> WholeReason | None:
    if view.fm in edges.inputs:
        return WholeReason.MADE_OUTSIDE
    return edges.whole.get(view.fm)


def _whole_output(op: NpuOp, edges: _Edges) -> WholeReason | None:
    fm = op.ofm.fm
    if fm in edges.outputs:
        return WholeReason.READ_OUTSIDE
    if fm in edges.inputs:
        return WholeReason.MADE_OUTSIDE
    if fm in edges.whole:
        return edges.whole[fm]
    if op.ofm.offset is not None or edges.makers[fm] > 1:
        return WholeReason.IN_PARTS
    return WholeReason.SEVERAL_READERS if len(set(edges.readers.get(fm, ()))) > 1 else None


def _unstriped(graph: NpuGraph, op: NpuOp, edges: _Edges) -> UnstripedReason | None:
    """Why the operator cannot work on some rows at a time, given only their inputs."""
    if op.kind.unit in _WHOLE_UNITS:
        return _WHOLE_UNITS[op.kind.unit]
    if op.kind is OpKind.TRANSPOSE_CONV_2D:
        return UnstripedReason.TRANSPOSED
    if op.pads_with_edge:
        return UnstripedReason.EDGE_PADDING
    if any(view.offset is not None for view in op.views[:-1]):
        return UnstripedReason.READS_PART
    return _unstriped_inputs(graph, op, edges)


def _unstriped_inputs(graph: NpuGraph, op: NpuOp, edges: _Edges) -> UnstripedReason | None:
    """Two maps at once, or a first input that is none, cannot come row by row."""
    if op.ifm2 is None or not op.kind.is_binary:
        return None
    first, second = graph.fm(op.ifm), graph.fm(op.ifm2)
    if first.data is not None or first.is_scalar:
        return UnstripedReason.FIRST_INPUT_NOT_MADE
    if _is_repeated(graph, op):
        return UnstripedReason.FIRST_INPUT_REPEATED
    is_map = second.data is None and not second.is_scalar
    has_rows = (op.ifm2.shape.h, op.ifm2.shape.w) != (1, 1) or op.ifm2.fm not in edges.copied
    return UnstripedReason.TWO_MAPS if is_map and has_rows else None


def _is_repeated(graph: NpuGraph, op: NpuOp) -> bool:
    """Whether the first input is smaller than the output that is made of it."""
    if op.ofm.is_joined:
        return op.ifm.touched != op.made
    return graph.fm(op.ifm).shape != graph.fm(op.ofm).shape


def _decisions(nodes: Sequence[Node]) -> Iterator[Decision]:
    for node in nodes:
        for role, reason in (
            (Role.IFM, node.needs_whole_ifm),
            (Role.IFM2, node.needs_whole_ifm2),
            (Role.OFM, node.needs_whole_ofm),
        ):
            if reason is not None:
                yield FullMapNeeded(op=node.op.id, role=role, reason=reason)
        if node.unstriped is not None:
            yield StripesImpossible(op=node.op.id, reason=node.unstriped)
