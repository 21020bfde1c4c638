"""Which of the decisions that are asked for are possible at all, and why others are not.

What does not depend on limits is known before any search; it sees only what is possible. What is
said to be proved is so in whatever order operators run, and in whatever formats maps are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from core.base.frozen import Frozen, field, replace
from core.base.geometry import Block
from core.base.groups import joined
from core.base.ids import FmId, IslandId, NpuOpId
from core.base.memo import of_the_very
from core.cost.from_graph import block_query, whole
from core.ir.decisions import CascadeEnd, FormatChosen, WholeReason
from core.ir.edits import Ground, Grouping, Living, Traversal, WeightsAsked, What
from core.ir.fixed import Against, Decided, Fixed, Kind, Pin
from core.ir.freedoms import NONE, Freedoms
from core.ir.npugraph import NpuGraph
from core.schedule.branches.flow import Flow
from core.schedule.contradictions import Clashes
from core.schedule.estimates import stripe_of
from core.schedule.format_prices import BY_CHOICE
from core.schedule.links import hindrance, links
from core.schedule.neighbours import Neighbours
from core.schedule.pace import SLICE_MULTIPLE
from core.schedule.possible import Possible, why_whole
from core.schedule.problem import IslandProblem, Node
from core.target.blocks import block_search
from core.target.format import Format
from core.target.target import Target
from core.target.unit import Unit

_ISLANDS_AT_HAND = 8
"""One edit after the other asks for the same islands."""
_TWO = 2
_MOST_BLOCKS = 8
"""Blocks from either end that are named where one is not possible."""
_NO_WEIGHTS, _ONE_ORDER = "it has no weights", "its weights are only ever taken depth first"


class Judged(Frozen):
    """What is possible, and what is left out."""

    fixed: Fixed
    against: tuple[Against, ...]
    asked: Fixed
    """What is possible of what is asked for, without the neighbours that some of it needs."""


def judged_formats(rules: Sequence[FormatChosen], fixed: Fixed) -> Judged:
    """Formats: rows are always possible, bricks where nothing but a price is against them."""
    possible, against = [], []
    for fm, order in fixed.formats:
        rule = rules[fm]
        if order is Format.LINEAR or rule.format is order or rule.reason in BY_CHOICE:
            possible.append((fm, order))
            continue
        against.append(
            Against(
                what=What.FORMAT,
                ids=(fm,),
                ground=Ground.NOT_LEGAL,
                is_proved=True,
                ops=() if rule.op is None else (rule.op,),
                detail=rule.reason.value,
            )
        )
    left = replace(fixed, formats=tuple(possible))
    return Judged(fixed=left, against=tuple(against), asked=left)


def judged(
    graph: NpuGraph,
    target: Target,
    problems: Sequence[IslandProblem],
    fixed: Fixed,
    rules: Sequence[FormatChosen],
    freedoms: Freedoms = NONE,
) -> Judged:
    """All other decisions, given the islands with their maps in the formats that are fixed."""
    return _Judge(
        graph=graph,
        target=target,
        problems=problems,
        asked=fixed,
        islands={each.island.id: _possible(each, rules, freedoms) for each in problems},
        flow_of={each.island.id: _flow(each) for each in problems if freedoms.whole_cuts},
    ).run()


@of_the_very(_ISLANDS_AT_HAND)
def _possible(
    problem: IslandProblem, rules: Sequence[FormatChosen], freedoms: Freedoms
) -> Possible:
    return Possible(problem, rules, freedoms)


@of_the_very(_ISLANDS_AT_HAND)
def _flow(problem: IslandProblem) -> Flow:
    return Flow(problem)


class _Judge(Frozen, dict=True):
    graph: NpuGraph
    target: Target
    problems: Sequence[IslandProblem]
    asked: Fixed
    islands: Mapping[IslandId, Possible]
    flow_of: Mapping[IslandId, Flow]
    """Of islands whose cascades may go across branches."""
    against: list[Against] = field(default_factory=list)

    @cached_property
    def nodes(self) -> Mapping[NpuOpId, Node]:
        return {node.op.id: node for problem in self.problems for node in problem.nodes}

    @cached_property
    def island_of(self) -> Mapping[NpuOpId, IslandProblem]:
        return {node.op.id: problem for problem in self.problems for node in problem.nodes}

    def run(self) -> Judged:
        possible = replace(
            self.asked,
            living=tuple(self._living()),
            blocks=tuple(self._blocks()),
            traversals=tuple(self._traversals()),
            rolling=tuple(self._rolling()),
            weights=tuple(self._weights()),
            together=tuple(group for group in self.asked.together if self._can_be_one(group)),
            heights=tuple(self._heights()),
        )
        contradictions = Clashes.of(self.graph, self.target, self.islands, possible).against()
        asked = possible.without({each.decided for each in contradictions})
        # In a cascade all weights are kept whole, and arrive when it begins.
        sliced = {op for op, weights in asked.weights if weights.wants_slices}
        asked = replace(asked, never=asked.never | sliced)
        linked = replace(asked, together=tuple(self._linked(asked)))
        neighbours = Neighbours(self.graph, self.target, self.problems, self.flow_of, linked)
        fixed, lonely = neighbours.found()
        return Judged(fixed=fixed, against=(*self.against, *contradictions, *lonely), asked=asked)

    def _refuse(self, what: Kind, ids: tuple[int, ...], ground: Ground, **more: Any) -> None:
        """Leave out what no schedule has, whatever else is asked for, unless more is said."""
        known = {"is_proved": True, **more}
        self.against.append(Against(what=what, ids=ids, ground=ground, **known))

    def _possible(self, op: NpuOpId) -> Possible:
        """The island of an operator."""
        return self.islands[self.island_of[op].island.id]

    def _living(self) -> Iterator[tuple[FmId, Living]]:
        movable = frozenset(fm for problem in self.problems for fm in problem.movable)
        for fm, living in self.asked.living:
            is_constant = self.graph.feature_maps[fm].data is not None
            if is_constant and living is Living.FAST:
                self._refuse(What.REGION, (fm,), Ground.NOT_LEGAL, detail="constant")
            elif not self.target.is_spilling and living is Living.SLOW and not is_constant:
                self._refuse(What.REGION, (fm,), Ground.ONE_MEMORY)
            elif self.target.is_spilling and living is Living.FAST and fm not in movable:
                why = self._why_outside(fm).value
                self._refuse(What.REGION, (fm,), Ground.NOT_LEGAL, detail=why)
            else:
                yield fm, living

    def _why_outside(self, fm: FmId) -> WholeReason:
        """Why a map lives where all can reach it."""
        source = self.graph.feature_maps[fm]
        if source.is_variable or source.storage != fm:
            return WholeReason.KEPT
        made = any(op.ofm.fm == fm for op in self.graph.ops)
        return WholeReason.READ_OUTSIDE if made else WholeReason.MADE_OUTSIDE

    def _blocks(self) -> Iterator[tuple[NpuOpId, Block]]:
        traversals = dict(self.asked.traversals)
        for op, block in self.asked.blocks:
            if self._has_block(op, Pin(block, traversals.get(op))):
                yield op, block
            elif not self._has_block(op, Pin(block)):
                legal = self._some_blocks(op)
                self._refuse(What.BLOCK, (op,), Ground.NOT_LEGAL, legal=legal)
            elif not self._has_block(op, Pin(self._least_block, traversals.get(op))):
                # It is the order of the weights that is refused.
                yield op, block
            else:
                beside: Decided = (What.TRAVERSAL, (op,))
                self._refuse(What.BLOCK, (op,), Ground.CONTRADICTED, beside=(beside,))

    def _traversals(self) -> Iterator[tuple[NpuOpId, Traversal]]:
        blocks = dict(self.asked.blocks)
        for op, traversal in self.asked.traversals:
            block = blocks.get(op)
            if self.graph.ops[op].weights is None:
                self._refuse(What.TRAVERSAL, (op,), Ground.NOT_LEGAL, detail=_NO_WEIGHTS)
            elif block is not None and self._has_block(op, Pin(block, traversal)):
                yield op, traversal
            elif not self._has_block(op, Pin(self._least_block, traversal)):
                # Others may know how: it is this compiler that does not.
                self._refuse(
                    What.TRAVERSAL, (op,), Ground.NOT_LEGAL, is_proved=False, detail=_ONE_ORDER
                )
            elif block is None:
                yield op, traversal
            elif not self._has_block(op, Pin(block)):
                # It is the block that is refused.
                yield op, traversal
            else:
                beside: Decided = (What.BLOCK, (op,))
                self._refuse(What.TRAVERSAL, (op,), Ground.CONTRADICTED, beside=(beside,))

    @property
    def _least_block(self) -> Block:
        return self.target.accelerator.ofm_ublock

    def _rolling(self) -> Iterator[tuple[FmId, int]]:
        """Rows of buffers, where the map can go through one in some schedule."""
        makers = {node.ofm.fm: node for node in self.nodes.values()}
        for fm, rows in self.asked.rolling:
            maker = makers.get(fm)
            if maker is None or fm not in self._possible(maker.op.id).rolling:
                self._refuse(What.ROLLING, (fm,), Ground.CANNOT_LINK)
                continue
            height = maker.ofm.shape.h
            if rows > height:
                self._refuse(What.ROLLING, (fm,), Ground.NOT_LEGAL, instead=height)
            yield fm, min(rows, height)

    def _across(self, node: Node) -> Flow | None:
        """Which cascades across branches are possible in the island of a node, if any are."""
        return self.flow_of.get(self.island_of[node.op.id].island.id)

    def _has_block(self, number: NpuOpId, pin: Pin) -> bool:
        """Whether a block is possible in stripes of some height."""
        op, accelerator = self.graph.ops[number], self.target.accelerator
        assert pin.block is not None
        if op.kind.unit is Unit.DMA:
            return False
        node, of = self.nodes[number], block_search(accelerator).block_of
        full = node.ofm.shape.h
        # What is made at once in one block needs less of the shared buffer, and single rows less.
        heights = (full, self.asked.height_of.get(number, full), min(pin.block.h, full), 1)
        queries = (
            block_query(self.graph, op, stripe_of(node, min(height, full)))
            for height in dict.fromkeys(heights)
        )
        return any(
            of(accelerator, query, pin.block, is_part_kernel=is_part) is not None
            for query in queries
            for is_part in (True, False)
            if pin.traversal in (None, Traversal.of(is_part))
        )

    def _some_blocks(self, number: NpuOpId) -> tuple[Block, ...]:
        op, accelerator = self.graph.ops[number], self.target.accelerator
        if op.kind.unit is Unit.DMA:
            return ()
        query = block_query(self.graph, op, whole(op))
        found = block_search(accelerator).blocks_at_both_ends(accelerator, query, _MOST_BLOCKS)
        return tuple(dict.fromkeys(config.ofm_block for config in found))

    def _weights(self) -> Iterator[tuple[NpuOpId, WeightsAsked]]:
        for op, asked in self.asked.weights:
            legal = self._legal_weights(op, asked)
            if legal is None:
                yield op, asked
            else:
                # Who runs first in this order may not in others.
                is_early = bool(asked.is_early) and asked.buffers != 0
                is_proved = not is_early or self._possible(op).always.is_first(op)
                more = {"legal": legal, "is_proved": is_proved}
                self._refuse(What.WEIGHTS, (op,), Ground.NOT_LEGAL, **more)

    def _legal_weights(self, op: NpuOpId, asked: WeightsAsked) -> tuple[WeightsAsked, ...] | None:
        """What could be asked for instead; None where that is possible which is asked for."""
        weights = self.graph.ops[op].weights
        if weights is None:
            return ()
        depth = weights.values.shape[0]
        if not self.target.has_far_constants:
            direct = WeightsAsked(buffers=0, depths=(0, depth), prefetch=False)
            is_direct = not (asked.buffers or asked.is_early or asked.is_cut)
            return None if is_direct and asked.depths in (None, direct.depths) else (direct,)
        if asked.depths is not None and not _are_slices(asked.depths, depth):
            every = (*range(0, depth, SLICE_MULTIPLE), depth)
            return (WeightsAsked(depths=(0, depth)), WeightsAsked(depths=every))
        is_one = depth <= SLICE_MULTIPLE or (asked.depths is not None and not asked.is_cut)
        if asked.buffers == _TWO and is_one:
            return (replace(asked, buffers=0), replace(asked, buffers=1))
        return _legal_times(asked, self.nodes[op].index)

    def _can_be_one(self, group: tuple[NpuOpId, ...]) -> bool:
        """Whether operators are in one cascade in some schedule, as far as that is known."""
        what, possible = Grouping.TOGETHER, self._possible(group[0])
        if any(op not in possible.node_of for op in group):
            detail = CascadeEnd.NEXT_IS_ELSEWHERE.value
            self._refuse(what, group, Ground.CANNOT_LINK, detail=detail)
            return False
        for op in sorted(possible.with_all(group)):
            why = possible.why_never(op)
            if why is not None:
                self._refuse(what, group, Ground.CANNOT_STRIPE, detail=why.value, ops=(op,))
                return False
        return True

    def _linked(self, fixed: Fixed) -> Iterator[tuple[NpuOpId, ...]]:
        """Groups with all that is between, where each can hand rows to the next in this order."""
        chains = []
        for group in fixed.together:
            problem = self.island_of[group[0]]
            ends = sorted(self.nodes[op].index for op in group)
            nodes = problem.nodes[ends[0] : ends[-1] + 1]
            end, ops = self._hindered(nodes)
            if end is None:
                chains.append(tuple(node.op.id for node in nodes))
            else:
                self._refuse(
                    Grouping.TOGETHER,
                    group,
                    Ground.CANNOT_LINK,
                    is_proved=False,
                    detail=end,
                    ops=ops,
                )
        yield from joined(chains)

    def _hindered(self, nodes: Sequence[Node]) -> tuple[str | None, tuple[NpuOpId, ...]]:
        """Why neighbours are in no cascade as they run now, and which of them."""
        if len(nodes) == 1:
            return None, ()
        first, last = nodes[0], nodes[-1]
        across = self._across(first)
        if across is not None and across.earliest[last.index] <= first.index:
            strangers = tuple(node.op.id for node in across.strangers(first.index, last.index))
            return (CascadeEnd.NO_MAP_IN_COMMON.value if strangers else None), strangers
        for node in nodes:
            why = why_whole(node)
            if why is not None:
                return why.value, (node.op.id,)
        for node, reader in pairwise(nodes):
            if not links(node, reader):
                end = CascadeEnd.LAST
                if node.readers == (reader.index,):
                    end = hindrance(node, reader) or end
                return end.value, (node.op.id, reader.op.id)
        return None, ()

    def _heights(self) -> Iterator[tuple[NpuOpId, int]]:
        for op, rows in self.asked.heights:
            node, full = self.nodes[op], self.graph.ops[op].made.h
            step = 2 if node.needs_even_rows else 1
            why = None if rows >= full else self._possible(op).why_never(op)
            if why is not None:
                self._refuse(What.STRIPE, (op,), Ground.CANNOT_STRIPE, detail=why.value)
                continue
            legal = rows if rows == full else min(rows + rows % step, full)
            if legal != rows:
                every = (*range(step, full, step), full)
                self._refuse(
                    What.STRIPE,
                    (op,),
                    Ground.NOT_LEGAL,
                    legal=every,
                    legal_is_all=True,
                    instead=legal,
                )
            yield op, legal


def _are_slices(depths: tuple[int, ...], depth: int) -> bool:
    is_rising = all(one < other for one, other in pairwise(depths))
    ends = depths[:1] == (0,) and depths[-1:] == (depth,)
    return ends and is_rising and not any(cut % SLICE_MULTIPLE for cut in depths[1:-1])


def _legal_times(asked: WeightsAsked, index: int) -> tuple[WeightsAsked, ...] | None:
    """What could be asked for instead by the operator at a place of its island, where it cannot be
    as early as is asked for."""
    if asked.is_early and (asked.buffers == 0 or index == 0):
        return (replace(asked, prefetch=False, lead_steps=None),)
    if asked.prefetch not in (None, asked.is_early):
        return (replace(asked, prefetch=asked.is_early), replace(asked, lead_steps=None))
    if asked.lead_steps is not None and asked.lead_steps > index:
        return (replace(asked, lead_steps=index),)
    return None
