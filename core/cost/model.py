"""The cost model of one target: the functions of this package, remembering what they have said."""

from __future__ import annotations

from collections.abc import Sequence

from core.cost.accesses import Accesses, accesses
from core.cost.blocks import BlockChoice, BlockQuestion, choose_blocks
from core.cost.cycles import OpCycles
from core.cost.formulas import operator_cycles
from core.cost.operators import operator_cost
from core.cost.rates import Rates
from core.cost.spent import Spent, WeightRead, operation_spent
from core.cost.work import Step, Work
from core.ir.cost import OperatorCost
from core.target.block import BlockConfig, BlockQuery
from core.target.blocks import block_search
from core.target.target import Area, Target


class CostModel:
    """Answers of the pure functions, each worked out once; a search asks it many times."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.rates = Rates.of(target)
        self._find_block = block_search(target.accelerator).find_block
        self._blocks: dict[BlockQuery, BlockConfig | None] = {}
        self._choices: dict[BlockQuestion, BlockChoice] = {}
        self._cycles: dict[Work, OpCycles] = {}
        self._accesses: dict[Work, Accesses] = {}
        self._spent: dict[tuple[Work, WeightRead], Spent] = {}
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

    def cycles(self, work: Work) -> OpCycles:
        """MACs and cycles of an operator."""
        known = self._cycles.get(work)
        if known is None:
            known = self._cycles[work] = operator_cycles(self.rates, work)
        return known

    def accesses(self, work: Work) -> Accesses:
        """Elements that an operator moves."""
        known = self._accesses.get(work)
        if known is None:
            known = self._accesses[work] = accesses(self.rates.accelerator, work)
        return known

    def cost(self, step: Step) -> OperatorCost:
        """The whole cost of an operator in its place."""
        known = self._costs.get(step)
        if known is None:
            known = self._costs[step] = operator_cost(self.rates, step)
        return known

    def spent(self, work: Work, weights: WeightRead) -> Spent:
        """The cost of one operation."""
        key = work, weights
        known = self._spent.get(key)
        if known is None:
            known = self._spent[key] = operation_spent(self.rates, work, self.cycles(work), weights)
        return known

    def copy_cycles(self, source: Area, destination: Area, size_bytes: int) -> int:
        """Cycles of a transfer by DMA."""
        return self.rates.copy_cycles(source, destination, size_bytes)
