"""How much fast storage decisions need, however a network is scheduled that has them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product

from core.base.frozen import Frozen, replace
from core.base.groups import joined
from core.base.ids import FmId, NpuOpId
from core.ir.edits import Living, Traversal, WeightsAsked
from core.ir.fixed import Fixed, Pin
from core.liveness.stripes import player_of
from core.schedule.bonds import alone
from core.schedule.estimates import Estimates
from core.schedule.least import least_live
from core.schedule.possible import Possible
from core.schedule.problem import IslandProblem, Node
from core.schedule.run import Prepared
from core.schedule.spans import touches
from core.schedule.weight_choice import SMALLEST_BUFFER_BYTES
from core.target.block import BlockConfig

_MOST_WEIGHTS = 1 << 17
"""Of larger ones not every order is encoded, and less is proved."""


class Need(Frozen, kw_only=False):
    """Fast storage that no schedule does without, and what it is for."""

    size_bytes: int
    op: NpuOpId | None = None
    """While this runs."""
    maps: tuple[FmId, ...] = ()
    """Maps that are live then, the largest first; others may be."""


def proved_need(prepared: Prepared) -> Need:
    """Bytes that no schedule with what is asked for does without, whatever else is decided: of maps
    that cannot roll there, each in the smaller of its formats, of rows that cascades hand on, of
    weights that are to come through buffers, and of what others need."""
    stored = prepared.stored
    needs = (
        _Bound(
            Possible(problem, prepared.formats, prepared.question.options.freedoms),
            prepared.asked,
            stored.estimates,
        ).need()
        for problem in stored.problems
    )
    return max(needs, key=lambda need: need.size_bytes, default=Need(0))


class _Bound(Frozen, kw_only=False, dict=True):
    """What an island needs of fast storage while each of its operators runs."""

    possible: Possible
    asked: Fixed
    estimates: Estimates

    @cached_property
    def problem(self) -> IslandProblem:
        return self.possible.smallest

    def need(self) -> Need:
        """The most of it, and what for."""
        whole = self._whole()
        rings, buffers = self._rings(), self._buffers()
        # Somebody may ask for any order, also where no search looks for one.
        freedoms = replace(self.possible.freedoms, operator_order=True)
        live = least_live(self.problem, whole, freedoms)
        sizes = [
            each + rings.get(node.op.id, 0) + buffers.get(node.op.id, 0)
            for node, each in zip(self.problem.nodes, live, strict=True)
        ]
        if not sizes:
            return Need(0)
        most = max(sizes)
        at = sizes.index(most)
        first, last = touches(self.problem)
        maps = [fm for fm in whole if fm in first and first[fm] <= at <= last[fm]]
        maps.sort(key=lambda fm: (-self.problem.sizes[fm], fm))
        return Need(most, self.problem.nodes[at].op.id, tuple(maps))

    def _whole(self) -> frozenset[FmId]:
        """Maps that are in fast storage as a whole."""
        rolling = {fm for fm in self.possible.rolling if not self._is_kept_whole(fm)}
        whole = {fm for node in self.problem.nodes for fm in node.maps if fm not in rolling}
        if not self.problem.storage.has_all_maps:
            living = self.asked.living_of
            whole &= {fm for fm in self.problem.movable if living.get(fm) is Living.FAST}
        return frozenset(whole)

    def _is_kept_whole(self, fm: FmId) -> bool:
        """Whether what is asked for is in the way of each cascade that a map passes through."""
        ops = self.possible.passing(fm)
        pairs = self.possible.pairs(ops)
        return not ops.isdisjoint(self._alone) or not self._apart.isdisjoint(pairs)

    @cached_property
    def _alone(self) -> frozenset[NpuOpId]:
        return frozenset(alone(self.problem.graph, self.asked))

    @cached_property
    def _apart(self) -> frozenset[tuple[NpuOpId, NpuOpId]]:
        return frozenset(self.asked.apart)

    def _rings(self) -> dict[NpuOpId, int]:
        """By operator, what the rolling buffers of its cascade take at least, where it is asked
        for."""
        nodes = self.possible.node_of
        groups = [group for group in self.asked.together if group[0] in nodes]
        groups += [
            tuple(self.possible.users[fm])
            for fm, _ in self.asked.rolling
            if fm in self.possible.rolling
        ]
        found = {}
        for ops in joined(map(self.possible.with_all, groups)):
            size = sum(self._ring_bytes(node, ops) for node in map(nodes.__getitem__, ops))
            found.update(dict.fromkeys(ops, size))
        return found

    def _ring_bytes(self, node: Node, ops: tuple[NpuOpId, ...]) -> int:
        """Of the rows that are made at once or read at once, whichever are more, or of those that
        are asked for, without padding; nothing where the map may be whole, or in another ring."""
        fm, users = node.ofm.fm, self.possible.users[node.ofm.fm]
        readers = [self.possible.node_of[op] for op in users - {node.op.id}]
        is_only_maker = all(reader.ofm.fm != fm for reader in readers)
        passes = fm in self.possible.rolling and users.issubset(ops) and is_only_maker
        if not passes or fm in self.problem.island.outputs:
            return 0
        read = max((self._read_rows(reader, fm) for reader in readers), default=0)
        made = self.asked.height_of.get(node.op.id, 1)
        rows = self.asked.rolling_of.get(fm, min(max(made, read), node.ofm.shape.h))
        return node.ofm.shape.with_hw(rows, node.ofm.shape.w).elements * node.ofm.element_bytes

    def _read_rows(self, reader: Node, fm: FmId) -> int:
        """The most rows of a map that any stripe reads at once."""
        least = 2 if reader.needs_even_rows else 1
        height = self.asked.height_of.get(reader.op.id, least)
        player = player_of(reader.op, height, is_rolling=True)
        windows = (rows for read, rows in player.reads if read == fm)
        return max((each.end - each.first for rows in windows for each in rows), default=0)

    def _buffers(self) -> dict[NpuOpId, int]:
        """By operator, what its weights take at least while it runs, where they are to have
        buffers."""
        if not self.estimates.model.target.has_far_constants:
            return {}
        found = {}
        for node in self.problem.nodes:
            asked = self.asked.weights_of.get(node.op.id)
            if asked is not None and (count := asked.buffers or bool(asked.is_early)):
                found[node.op.id] = self._buffer_bytes(node, asked, count)
        return found

    def _buffer_bytes(self, node: Node, asked: WeightsAsked, count: int) -> int:
        """In the order of weights that makes its slices smallest, where slices are asked for."""
        assert node.op.weights is not None
        smallest = SMALLEST_BUFFER_BYTES * count
        if asked.depths is None or node.op.weights.values.array.size > _MOST_WEIGHTS:
            return smallest
        sizes = []
        for block in self._weight_orders(node):
            first, second = self.estimates.stream(node, block, asked.depths).pair_bytes
            sizes.append(first + second if count > 1 else max(first, second))
        return max(min(sizes), smallest)

    def _weight_orders(self, node: Node) -> Iterator[BlockConfig]:
        """Blocks with every depth and traversal that some legal one can have."""
        block, pin = self.estimates.whole(node).block, self.asked.pin_of.get(node.op.id, Pin())
        step = block.ofm_ublock.c
        most = self.estimates.model.target.accelerator.family.max_ofm_block.c
        depths = range(step, most + 1, step) if pin.block is None else [pin.block.c]
        for depth, order in product(depths, Traversal):
            if pin.traversal in (None, order):
                yield replace(
                    block,
                    ofm_block=block.ofm_block._replace(c=depth),
                    is_part_kernel=order is Traversal.PART_KERNEL,
                )
