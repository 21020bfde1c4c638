"""Cycles that no schedule of a network does without, whatever its blocks, stripes and buffers.

At any time one operation runs at most, and a memory serves one request; and between the beginnings
of two operations lies, where the second reads from far away, the time until it has an answer. Give
each of the three a weight, together no more than 1: then what is done of them in a time, weighed,
is no longer than that time. So each sum of weighed work is a bound, and the greatest is looked for.

Weights may change as a network is run, as far as it is certain what is done when. Its operators are
taken for a row of parts: a part ends with an operator that all others run before or behind, when
nothing is left of what came earlier but its output. What the memory serves may be weights that
come at any time before; but no more than fast storage holds comes before the end of any part for
those behind it. Where the memory weighs more from one part to the next, that much may have been
done where it weighed less, and is taken off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.base.ids import NpuOpId
from core.cost.least_order import Turn, parts_of
from core.cost.least_ways import Floats, StreamBytes, Ways
from core.cost.model import CostModel
from core.cost.rates import Rates
from core.cost.twins import twins_of, weights_twins_of
from core.ir.npugraph import NpuGraph
from core.target.target import Target

Integers = npt.NDArray[np.int64]

_STEPS, _STEPS_OF_THREE = 8, 4
"""Into which a weight of 1 is divided, without and with answers that are waited for."""
_MOST_ANSWERS = (0.0, 0.5, 1.0)
"""The greatest weight of answers; while constants are copied, nobody knows which weights hold."""
_LONGEST = (0, 8, 1 << 30)
"""Maps that are read later than so go around parts; whichever proves most is taken."""
_ROUNDED = 0.5
"""Cycles of an operator that are rounded off."""


def least_cycles_of(graph: NpuGraph, target: Target, stream_bytes: StreamBytes) -> float:
    """The sum over all islands, which run one after the other, as high as it can be proved."""
    ways = Ways(graph, CostModel(target), stream_bytes)
    twins = weights_twins_of(graph, twins_of(graph))
    points = ways.least([graph.ops[op] for op in dict.fromkeys(twins)])
    has_answers = any(each[:, 2].any() for each in points.values())
    copying = ways.copied_constants()
    proved = 0.0
    for most_answers in _MOST_ANSWERS if has_answers else (0.0,):
        weights = Weights.of(most_answers, _room_cycles(target))
        tables = {op: weights.table(each) for op, each in points.items()}
        by_op = [tables[op] for op in twins]
        found = math.fsum(_of_island(graph, island.ops, by_op, weights) for island in graph.islands)
        # Operations and the memory wait for what copies, whenever that is.
        proved = max(proved, found + (1 - most_answers) * copying)
    return max(proved - _ROUNDED * len(graph.ops), 0.0)


def _room_cycles(target: Target) -> float:
    """Of all that fast storage and the memory of tables can hold."""
    room_bytes = target.fast_limit_bytes + target.accelerator.tables.size_bytes
    return Rates.of(target).areas[target.permanent.area].cycles(room_bytes, 0)


def _of_island(
    graph: NpuGraph, ops: Sequence[NpuOpId], tables: Sequence[Floats], weights: Weights
) -> float:
    """By the parts for which most is proved."""
    many = (parts_of(graph, ops, longest) for longest in _LONGEST)
    return max(weights.greatest([weights.sum(tables, turns) for turns in parts]) for parts in many)


class Weights(Frozen):
    """The weights that are tried: of operations, of the memory, and of answers, in steps."""

    steps: int
    tried: Integers
    room_cycles: float
    """In which the memory serves what there is room for before it is used."""

    @classmethod
    def of(cls, most_answers: float, room_cycles: float) -> Weights:
        """All that add up to 1, with no more for answers than is given."""
        steps = _STEPS_OF_THREE if most_answers else _STEPS
        each = range(steps + 1)
        tried = [
            (operations, steps - operations - answers, answers)
            for operations, answers in product(each, each)
            if operations + answers <= steps and answers <= most_answers * steps
        ]
        return cls(steps=steps, tried=np.array(tried), room_cycles=room_cycles)

    def table(self, points: Floats) -> Floats:
        """What an operator takes in its least way, by the three weights."""
        each = range(self.steps + 1)
        grid = np.array(list(product(each, each, each))) / self.steps
        least: Floats = (grid @ points.T).min(axis=1)
        return least.reshape((self.steps + 1,) * 3)

    def sum(self, tables: Sequence[Floats], turns: Sequence[Turn]) -> Floats:
        """The table of a part, given those of all operators."""
        total = np.zeros((self.steps + 1,) * 3)
        for turn in turns:
            table = tables[turn.op]
            total += table if turn.is_next else table[:, :, :1]
        return total

    def greatest(self, parts: Sequence[Floats]) -> float:
        """The greatest sum over parts that follow each other."""
        operations, memory, answers = self.tried.T
        # By the weights of the memory and of answers in the part before, from the last part back.
        sums = np.zeros((self.steps + 1,) * 2)
        before, last, _ = np.indices((*sums.shape, len(self.tried)))
        early = np.maximum(memory - before, 0) / self.steps * self.room_cycles
        waited_for = np.minimum(last, answers)
        for part in reversed(parts):
            found = part[operations, memory, waited_for] - early + sums[memory, answers]
            sums = found.max(axis=-1)
        return float(sums.max())
