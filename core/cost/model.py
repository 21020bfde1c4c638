"""The cost model of one target: the functions of this package, remembering what they have said."""

from __future__ import annotations

from collections.abc import Sequence

from core.cost.accesses import Accesses
from core.cost.blocks import BlockChoice, BlockQuestion, choose_blocks
from core.cost.cycles import OpCycles
from core.cost.from_graph import Place
from core.cost.operators import operator_cost
from core.cost.price import OURS, Price
from core.cost.work import Step, Work
from core.ir.cost import OperatorCost
from core.ir.npugraph import NpuGraph, NpuOp
from core.target.block import BlockConfig, BlockQuery
from core.target.blocks import block_search
from core.target.target import Area, Target


class CostModel:
    """Answers of the pure functions, each worked out once; a search asks it many times."""

    def __init__(self, target: Target, price: Price = OURS) -> None:
        self.target = target
        self.price = price
        self.rates = price.rates_of(target)
        self._find_block = block_search(target.accelerator).find_block
        self._blocks: dict[BlockQuery, BlockConfig | None] = {}
        self._choices: dict[BlockQuestion, BlockChoice] = {}
        self._cycles: dict[Work, OpCycles] = {}
        self._accesses: dict[Work, Accesses] = {}
        self._costs: dict[Step, OperatorCost] = {}

    def block(self, query: BlockQuery) -> BlockConfig | None:
        """The block that costs least, or None where none fits."""
        if query not in self._blocks:
            self._blocks[query] = self._find_block(self.target.accelerator, query)
        return self._blocks[query]

    def choices(self, questions: Sequence[BlockQuestion]) -> list[BlockChoice]:
        """The blocks that cost least for each step, beside the one that it is given."""
        fresh = [each for each in dict.fromkeys(questions) if each not in self._choices]
        self._choices |= zip(fresh, choose_blocks(self.rates, fresh), strict=True)
        return [self._choices[each] for each in questions]

    def work(
        self,
        graph: NpuGraph,
        op: NpuOp,
        block: BlockConfig,
        places: tuple[Place, ...],
        constants: Area,
    ) -> Work:
        """The work of an operator, given the places of its views, and where its weights are."""
        return self.price.work_of(graph, op, block, places, constants)

    def cycles(self, work: Work) -> OpCycles:
        """MACs and cycles of an operator."""
        known = self._cycles.get(work)
        if known is None:
            known = self._cycles[work] = self.price.cycles(self.rates, work)
        return known

    def accesses(self, work: Work) -> Accesses:
        """Elements that an operator moves."""
        known = self._accesses.get(work)
        if known is None:
            known = self._accesses[work] = self.price.accesses(self.rates.accelerator, work)
        return known

    def cost(self, step: Step) -> OperatorCost:
        """The whole cost of an operator in its place."""
        known = self._costs.get(step)
        if known is None:
            known = self._costs[step] = operator_cost(self.price, self.rates, step)
        return known

    def copy_cycles(self, source: Area, destination: Area, size_bytes: int) -> int:
        """Cycles of a transfer by DMA."""
        return self.rates.copy_cycles(source, destination, size_bytes)
