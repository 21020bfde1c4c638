"""What operators cost before anything is scheduled: what lowering compares shapes by.

Lowering knows the accelerator and not the memories, so these count as fast as the port; and how
maps will be stored only as far as rules without choice say it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.base.errors import InternalError
from core.base.frozen import Changing, Frozen, field
from core.base.geometry import Shape4
from core.base.ids import FmId, NpuOpId
from core.cost.from_graph import Place, block_query, whole, work_of
from core.cost.operators import operator_cost
from core.cost.price import OURS
from core.cost.rates import Rates
from core.cost.work import Step, Work
from core.ir.npugraph import NpuGraph, NpuOp
from core.target.accelerator import Accelerator
from core.target.blocks import block_search
from core.target.format import BRICK_DEPTH, Format
from core.target.target import Area
from core.target.unit import Unit

_NO_STRIPES = frozenset({Unit.VECTOR_PRODUCT, Unit.REDUCE_SUM, Unit.DMA})
"""They neither make nor read some rows at a time."""


class Uses(Frozen, kw_only=False):
    """Who touches each map, and which maps callers and the CPU share with islands."""

    touching: Mapping[FmId, tuple[NpuOpId, ...]]
    shared: frozenset[FmId]

    @classmethod
    def of(cls, graph: NpuGraph) -> Uses:
        """The uses in a graph."""
        touching: defaultdict[FmId, list[NpuOpId]] = defaultdict(list)
        for op in graph.ops:
            for fm in dict.fromkeys(view.fm for view in op.views):
                touching[fm].append(op.id)
        shared = {fm for island in graph.islands for fm in (*island.inputs, *island.outputs)}
        return cls({fm: tuple(ops) for fm, ops in touching.items()}, frozenset(shared))


class Prices(Changing):
    """What the operators of a graph cost with whole maps."""

    graph: NpuGraph
    uses: Uses
    accelerator: Accelerator
    _formats: dict[FmId, Format] = field(default_factory=dict)
    _known: dict[Work, float] = field(default_factory=dict)
    """Networks repeat themselves."""

    def cycles(self, ops: Iterable[NpuOpId]) -> float:
        """What some operators take."""
        rates = Rates.at_port_speed(self.accelerator)
        return sum(self._cycles(rates, self.graph.ops[number]) for number in ops)

    def would_break_stripes(self, maps: Sequence[FmId]) -> bool:
        """Whether one of these maps could pass in stripes, and none of them is whole anyway."""
        if any(fm in self.uses.shared for fm in maps):
            return False
        return any(
            self.format(fm) is Format.BRICKS
            and len(self.uses.touching[fm]) == 2
            and all(self._can_stripe(self.graph.ops[op]) for op in self.uses.touching[fm])
            for fm in maps
        )

    def format(self, fm: FmId) -> Format:
        """Bricks where no rule speaks against them."""
        if fm not in self._formats:
            is_in_rows = self._is_bound(fm) or self._lies_on_rows(fm)
            self._formats[fm] = Format.LINEAR if is_in_rows else Format.BRICKS
        return self._formats[fm]

    def _cycles(self, rates: Rates, op: NpuOp) -> float:
        query = block_query(self.graph, op, whole(op))
        block = block_search(self.accelerator).find_block(self.accelerator, query)
        if block is None:
            raise InternalError(f"no block fits '{op.name}'")
        places = tuple(Place(Area.SRAM, self.format(view.fm)) for view in op.views)
        work = work_of(self.graph, op, block, places, Area.SRAM)
        known = self._known.get(work)
        if known is None:
            cost = operator_cost(OURS, rates, Step(work=work))
            known = self._known[work] = max(cost.npu_cycles, cost.sram_cycles)
        return known

    def _is_bound(self, fm: FmId) -> bool:
        source, shape = (
            self.graph.feature_maps[fm],
            Shape4.of(self.graph.feature_maps[fm].shape[-4:]),
        )
        if source.data is not None or source.linear_reason is not None or fm in self.uses.shared:
            return True
        touching = (self.graph.ops[number] for number in self.uses.touching[fm])
        views = (view for op in touching for view in op.views if view.fm == fm)
        return any(view.shape != shape or view.start.c % BRICK_DEPTH != 0 for view in views)

    def _lies_on_rows(self, fm: FmId) -> bool:
        """Whether its maker can write it over an input of rows, whose bricks would be larger."""
        maker = next((op for op in map(self._op, self.uses.touching[fm]) if op.ofm.fm == fm), None)
        if maker is None or not maker.kind.is_elementwise or maker.ofm.shape.c % BRICK_DEPTH == 0:
            return False
        given = (view.fm for view in maker.views[:-1] if view.shape == maker.ofm.shape)
        return any(self.format(each) is Format.LINEAR for each in given if each != fm)

    def _op(self, number: NpuOpId) -> NpuOp:
        return self.graph.ops[number]

    def _can_stripe(self, op: NpuOp) -> bool:
        second = None if op.ifm2 is None else self.graph.fm(op.ifm2)
        has_two_maps = second is not None and second.data is None and not second.is_scalar
        return op.kind.unit not in _NO_STRIPES and not has_two_maps
