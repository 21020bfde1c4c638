"""Which of the decisions that are asked for are possible at all, and why others are not.

What does not depend on limits is known before any search; it sees only what is possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from core.base.frozen import Frozen, field, replace
from core.base.geometry import Block
from core.base.ids import FmId, IslandId, NpuOpId
from core.cost.from_graph import block_query, whole
from core.ir.decisions import CascadeEnd, FormatChosen, UnstripedReason, WholeReason
from core.ir.edits import Ground, Living, Traversal, Value, WeightsAsked, What
from core.ir.fixed import Against, Decided, Fixed, Pin
from core.ir.freedoms import NONE, Freedoms
from core.ir.npugraph import NpuGraph
from core.schedule.bonds import alone, bonds_of
from core.schedule.branches.flow import Flow, can_run
from core.schedule.cascades import hindrance, links
from core.schedule.estimates import stripe_of
from core.schedule.format_prices import BY_CHOICE
from core.schedule.pace import SLICE_MULTIPLE
from core.schedule.problem import IslandProblem, Node
from core.target.blocks import block_search
from core.target.format import Format
from core.target.target import Target
from core.target.unit import Unit

_TWO = 2
_Chain = tuple[NpuOpId, ...]
_MOST_BLOCKS = 8
"""Blocks from either end that are named where one is not possible."""


class Judged(Frozen):
    """What is possible, and what is left out."""

    fixed: Fixed
    against: tuple[Against, ...]


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
                legal=(Format.LINEAR,),
                ops=() if rule.op is None else (rule.op,),
                detail=rule.reason.value,
            )
        )
    return Judged(fixed=replace(fixed, formats=tuple(possible)), against=tuple(against))


def judged(
    graph: NpuGraph,
    target: Target,
    problems: Sequence[IslandProblem],
    fixed: Fixed,
    freedoms: Freedoms = NONE,
) -> Judged:
    """All other decisions, given the islands with their maps in the formats that are fixed."""
    return _Judge(
        graph=graph,
        target=target,
        problems=problems,
        asked=fixed,
        nodes={node.op.id: node for problem in problems for node in problem.nodes},
        island_of={node.op.id: problem for problem in problems for node in problem.nodes},
        flow_of={problem.island.id: Flow(problem) for problem in problems}
        if freedoms.branch_cascades
        else {},
    ).run()


class _Judge(Frozen):
    graph: NpuGraph
    target: Target
    problems: Sequence[IslandProblem]
    asked: Fixed
    nodes: Mapping[NpuOpId, Node]
    island_of: Mapping[NpuOpId, IslandProblem]
    flow_of: Mapping[IslandId, Flow]
    """Of islands whose cascades may go across branches."""
    against: list[Against] = field(default_factory=list)

    def run(self) -> Judged:
        weights = tuple(self._weights())
        fixed = replace(
            self.asked,
            living=tuple(self._living()),
            blocks=tuple(self._blocks()),
            traversals=tuple(self._traversals()),
            rolling=tuple(self._rolling()),
            weights=weights,
            # In a cascade all weights are kept whole, and arrive when it begins.
            never=self.asked.never | {op for op, asked in weights if _wants_slices(asked)},
            together=tuple(self._linked()),
            heights=tuple(self._heights()),
        )
        fixed = self._without_contradictions(fixed)
        return Judged(fixed=self._with_neighbours(fixed), against=tuple(self.against))

    def _refuse(
        self,
        what: What,
        ids: tuple[int, ...],
        ground: Ground,
        *legal: Value,
        detail: str = "",
        ops: tuple[NpuOpId, ...] = (),
        beside: tuple[Decided, ...] = (),
    ) -> None:
        self.against.append(
            Against(
                what=what,
                ids=ids,
                ground=ground,
                legal=legal,
                detail=detail,
                ops=ops,
                beside=beside,
            )
        )

    def _living(self) -> Iterator[tuple[FmId, Living]]:
        movable = frozenset(fm for problem in self.problems for fm in problem.movable)
        for fm, living in self.asked.living:
            is_constant = self.graph.feature_maps[fm].data is not None
            if is_constant and living is Living.FAST:
                why = "constant"
                self._refuse(What.REGION, (fm,), Ground.NOT_LEGAL, Living.SLOW, detail=why)
            elif not self.target.is_spilling and living is Living.SLOW and not is_constant:
                self._refuse(What.REGION, (fm,), Ground.ONE_MEMORY, Living.FAST)
            elif self.target.is_spilling and living is Living.FAST and fm not in movable:
                why = self._why_outside(fm).value
                self._refuse(What.REGION, (fm,), Ground.NOT_LEGAL, Living.SLOW, detail=why)
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
            if self._has_block(op, Pin(block, traversals.get(op))) or self._has_block(
                op, Pin(block)
            ):
                yield op, block
            else:
                self._refuse(What.BLOCK, (op,), Ground.NOT_LEGAL, *self._some_blocks(op))

    def _traversals(self) -> Iterator[tuple[NpuOpId, Traversal]]:
        blocks = dict(self.asked.blocks)
        for op, traversal in self.asked.traversals:
            block = blocks.get(op) or next(iter(self._some_blocks(op)), None)
            if block is not None and self._has_block(op, Pin(block, traversal)):
                yield op, traversal
            else:
                self._refuse(What.TRAVERSAL, (op,), Ground.NOT_LEGAL, Traversal.DEPTH_FIRST)

    def _rolling(self) -> Iterator[tuple[FmId, int]]:
        """Rows of buffers, where the map can go through one."""
        nodes = {node.ofm.fm: node for node in self.nodes.values()}
        for fm, rows in self.asked.rolling:
            maker = nodes.get(fm)
            across = None if maker is None else self._across(maker)
            if across is not None and fm in across.rolling:
                if rows <= across.rolling[fm].height:
                    yield fm, rows
                else:
                    legal = across.rolling[fm].height
                    self._refuse(What.ROLLING, (fm,), Ground.NOT_LEGAL, legal)
                continue
            reader = None if maker is None else self._reader(maker)
            is_whole = reader is None or _why_whole(reader) is not None
            if maker is None or is_whole or _why_whole(maker) is not None:
                self._refuse(What.ROLLING, (fm,), Ground.CANNOT_LINK)
            elif rows > maker.ofm.shape.h:
                self._refuse(What.ROLLING, (fm,), Ground.NOT_LEGAL, maker.ofm.shape.h)
            else:
                yield fm, rows

    def _across(self, node: Node) -> Flow | None:
        """Which cascades across branches are possible in the island of a node, if any are."""
        return self.flow_of.get(self.island_of[node.op.id].island.id)

    def _reader(self, node: Node) -> Node | None:
        """Who can be handed the output of a node row by row."""
        following = self.island_of[node.op.id].nodes[node.index + 1 : node.index + 2]
        return next((reader for reader in following if links(node, reader)), None)

    def _has_block(self, number: NpuOpId, pin: Pin) -> bool:
        op, accelerator = self.graph.ops[number], self.target.accelerator
        assert pin.block is not None
        if op.kind.unit is Unit.DMA:
            return False
        node, of = self.nodes[number], block_search(accelerator).block_of
        asked = dict(self.asked.heights).get(number, node.ofm.shape.h)
        # What is made at once in one block needs less of the shared buffer.
        heights = {node.ofm.shape.h, asked, min(pin.block.h, node.ofm.shape.h)}
        queries = [block_query(self.graph, op, stripe_of(node, height)) for height in heights]
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
                self._refuse(What.WEIGHTS, (op,), Ground.NOT_LEGAL, *legal)

    def _legal_weights(self, op: NpuOpId, asked: WeightsAsked) -> tuple[WeightsAsked, ...] | None:
        """What could be asked for instead; None where that is possible which is asked for."""
        weights = self.graph.ops[op].weights
        if weights is None:
            return ()
        depth = weights.values.shape[0]
        if not self.target.has_far_constants:
            direct = WeightsAsked(buffers=0, depths=(0, depth), prefetch=False)
            is_direct = not (asked.buffers or asked.prefetch or _is_cut(asked))
            return None if is_direct and asked.depths in (None, direct.depths) else (direct,)
        if asked.depths is not None and not _are_slices(asked.depths, depth):
            every = (*range(0, depth, SLICE_MULTIPLE), depth)
            return (WeightsAsked(depths=(0, depth)), WeightsAsked(depths=every))
        is_one = depth <= SLICE_MULTIPLE or (asked.depths is not None and not _is_cut(asked))
        if asked.buffers == _TWO and is_one:
            return (replace(asked, buffers=0), replace(asked, buffers=1))
        if asked.prefetch and (asked.buffers == 0 or self.nodes[op].index == 0):
            return (replace(asked, prefetch=False),)
        return None

    def _linked(self) -> Iterator[tuple[NpuOpId, ...]]:
        """Groups with all that is between, where each can hand rows to the next."""
        for group in self.asked.together:
            chain = self._chain(group)
            if chain is not None:
                yield chain

    def _chain(self, group: tuple[NpuOpId, ...]) -> tuple[NpuOpId, ...] | None:
        problem = self.island_of[group[0]]
        ends = [self.nodes[op] for op in group]
        first, last = (end(ends, key=lambda node: node.index) for end in (min, max))
        if any(self.island_of[op] is not problem for op in group):
            detail = CascadeEnd.NEXT_IS_ELSEWHERE.value
            self._refuse(What.CASCADE, group, Ground.CANNOT_LINK, detail=detail)
            return None
        nodes = problem.nodes[first.index : last.index + 1]
        across = self._across(first)
        if across is not None and len(nodes) > 1 and across.earliest[last.index] <= first.index:
            strangers = tuple(node.op.id for node in across.strangers(first.index, last.index))
            if strangers:
                detail = CascadeEnd.NO_MAP_IN_COMMON.value
                self._refuse(What.CASCADE, group, Ground.CANNOT_LINK, detail=detail, ops=strangers)
            return None if strangers else tuple(node.op.id for node in nodes)
        for node in nodes:
            why = _why_whole(node)
            if why is not None:
                self._refuse(
                    What.CASCADE,
                    group,
                    Ground.CANNOT_STRIPE,
                    detail=why.value,
                    ops=(node.op.id,),
                )
                return None
        for node, reader in pairwise(nodes):
            if not links(node, reader):
                end = CascadeEnd.LAST
                if node.readers == (reader.index,):
                    end = hindrance(node, reader) or end
                ops = (node.op.id, reader.op.id)
                self._refuse(What.CASCADE, group, Ground.CANNOT_LINK, detail=end.value, ops=ops)
                return None
        if len(nodes) == 1:
            detail = CascadeEnd.LAST.value
            self._refuse(What.CASCADE, group, Ground.CANNOT_LINK, detail=detail)
            return None
        return tuple(node.op.id for node in nodes)

    def _heights(self) -> Iterator[tuple[NpuOpId, int]]:
        for op, rows in self.asked.heights:
            node, full = self.nodes[op], self.graph.ops[op].made.h
            if rows == full:
                yield op, rows
                continue
            is_across = self._across(node) is not None and can_run(node)
            why = None if is_across else _why_whole(node)
            if why is not None:
                detail = why.value
                self._refuse(What.STRIPE, (op,), Ground.CANNOT_STRIPE, full, detail=detail)
                continue
            step = 2 if node.needs_even_rows else 1
            if rows > full or rows % step:
                legal = (*range(step, full, step), full)
                self._refuse(What.STRIPE, (op,), Ground.NOT_LEGAL, *legal)
                continue
            yield op, rows

    def _without_contradictions(self, fixed: Fixed) -> Fixed:
        """Neither of two decisions that cannot be beside each other."""
        whole_heights = set(alone(self.graph, replace(fixed, never=frozenset())))
        sliced = {op for op, asked in fixed.weights if _wants_slices(asked)}
        lost: set[Decided] = set()
        found: list[Decided]
        for op, rows in fixed.heights:
            found = [(What.CASCADE, (op,))] * (op in self.asked.never)
            found += [(What.WEIGHTS, (op,))] * (op in sliced)
            if found and rows < self.graph.ops[op].made.h:
                self._lose((What.STRIPE, (op,)), found, lost)
        for chain in fixed.together:
            found = [
                *((What.CASCADE, (op,)) for op in chain if op in self.asked.never),
                *((What.STRIPE, (op,)) for op in chain if op in whole_heights),
                *((What.WEIGHTS, (op,)) for op in chain if op in sliced),
                *(
                    (What.CASCADE, pair)
                    for pair in fixed.apart
                    if pair[1] in chain[1:] and pair[0] in chain
                ),
            ]
            if self.target.is_spilling:
                handed = {self.graph.ops[op].ofm.fm for op in chain[:-1]}
                found += (
                    (What.REGION, (fm,))
                    for fm, living in fixed.living
                    if fm in handed and living is Living.SLOW
                )
            if found:
                self._lose((What.CASCADE, chain), found, lost)
        kept_weights = tuple(each for each in fixed.weights if (What.WEIGHTS, each[:1]) not in lost)
        never = {op for op in self.asked.never if (What.CASCADE, (op,)) not in lost}
        never |= {op for op, asked in kept_weights if _wants_slices(asked)}
        return replace(
            fixed,
            together=tuple(each for each in fixed.together if (What.CASCADE, each) not in lost),
            apart=tuple(each for each in fixed.apart if (What.CASCADE, each) not in lost),
            never=frozenset(never),
            heights=tuple(each for each in fixed.heights if (What.STRIPE, each[:1]) not in lost),
            living=tuple(each for each in fixed.living if (What.REGION, each[:1]) not in lost),
            weights=kept_weights,
        )

    def _lose(self, own: Decided, others: Sequence[Decided], lost: set[Decided]) -> None:
        """Leave out a decision and those that stand against it."""
        lost.update((own, *others))
        self._refuse(*own, Ground.CONTRADICTED, beside=tuple(others))
        for what, ids in others:
            self._refuse(what, ids, Ground.CONTRADICTED, beside=(own,))

    def _with_neighbours(self, fixed: Fixed) -> Fixed:
        """Operators that are to run in stripes, each in one chain with a neighbour at least."""
        chains, heights, rolling = list(fixed.together), [], []
        for op, rows in fixed.heights:
            is_bound = any(op in chain for chain in chains)
            if rows < self.graph.ops[op].made.h and not is_bound:
                pair = self._pair(op, fixed)
                if pair is None:
                    full = self.graph.ops[op].made.h
                    self._refuse(What.STRIPE, (op,), Ground.CANNOT_LINK, full)
                    continue
                chains = _joined(chains, pair, self.nodes)
            heights.append((op, rows))
        makers = {node.ofm.fm: node for node in self.nodes.values()}
        for fm, rows in fixed.rolling:
            maker = makers[fm]
            reader = self._reader(maker)
            chain: _Chain = (maker.op.id,) if reader is None else (maker.op.id, reader.op.id)
            across = self._across(maker)
            if across is not None and fm in across.rolling:
                each = across.rolling[fm]
                nodes = across.nodes[each.first : each.last + 1]
                chain = tuple(node.op.id for node in nodes)
            island = self.island_of[maker.op.id].island
            bonds = bonds_of(self.graph, island, fixed, rolls_near=self.target.is_spilling)
            first = self.nodes[chain[0]].index
            if not bonds.cuts.isdisjoint(range(first + 1, first + len(chain))):
                beside: tuple[Decided, ...] = ((What.CASCADE, chain), (What.REGION, (fm,)))
                self._refuse(What.ROLLING, (fm,), Ground.CONTRADICTED, beside=beside)
                continue
            chains = _joined(chains, chain, self.nodes)
            rolling.append((fm, rows))
        return replace(
            fixed,
            together=tuple(sorted(chains)),
            heights=tuple(heights),
            rolling=tuple(rolling),
        )

    def _pair(self, op: NpuOpId, fixed: Fixed) -> tuple[NpuOpId, NpuOpId] | None:
        """An operator with the next one, or with the one before, where they can be in a cascade."""
        node, problem = self.nodes[op], self.island_of[op]
        bonds = bonds_of(self.graph, problem.island, fixed, rolls_near=self.target.is_spilling)
        for first in (node.index, node.index - 1):
            pair = problem.nodes[max(first, 0) : first + 2]
            if (
                len(pair) == _TWO
                and links(*pair)
                and first + 1 not in bonds.cuts
                and not any(map(_why_whole, pair))
            ):
                return pair[0].op.id, pair[1].op.id
        return None


def _joined(chains: Sequence[_Chain], pair: _Chain, nodes: Mapping[NpuOpId, Node]) -> list[_Chain]:
    """The chains with a pair, joined with whichever of them it touches."""
    touched = [chain for chain in chains if not set(pair).isdisjoint(chain)]
    ops = {*pair}.union(*touched)
    one = tuple(sorted(ops, key=lambda op: nodes[op].index))
    return [*(chain for chain in chains if chain not in touched), one]


def _why_whole(node: Node) -> UnstripedReason | None:
    if node.unstriped is not None:
        return node.unstriped
    return None if node.most_rows > 0 else UnstripedReason.NO_ROWS


def _are_slices(depths: tuple[int, ...], depth: int) -> bool:
    is_rising = all(one < other for one, other in pairwise(depths))
    ends = depths[:1] == (0,) and depths[-1:] == (depth,)
    return ends and is_rising and not any(cut % SLICE_MULTIPLE for cut in depths[1:-1])


def _is_cut(asked: WeightsAsked) -> bool:
    return asked.depths is not None and len(asked.depths) > _TWO


def _wants_slices(asked: WeightsAsked) -> bool:
    """Whether weights are to come as they do to no operator in a cascade."""
    return _is_cut(asked) or asked.buffers == _TWO or bool(asked.prefetch)
