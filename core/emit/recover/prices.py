"""What each command of a stream costs on its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from core.cost.clock import Told, Turn
from core.cost.cycles import OpCycles
from core.cost.rates import Rates
from core.cost.spent import (
    NOTHING,
    Spent,
    operation_moves,
    operation_told,
    spent_on,
    transfer_spent,
    transfer_told,
)
from core.emit.study import PartStudy
from core.emit.touched import transferred_bytes
from core.emit.work import area_of
from core.ir.cost import Direction, Purpose
from core.ir.program import Command, DmaTransfer, Engine, NpuOperation, Wait
from core.target.target import Target


class Prices:
    """Costs of the commands of one part; what operations of one form cost is worked out once."""

    def __init__(self, study: PartStudy, target: Target) -> None:
        self._study = study
        self._target = target
        self._rates = Rates.of(target)
        self._known: dict[tuple[int, int], Spent] = {}

    def of(self, position: int, purpose: Purpose = Purpose.FEATURE_MAP) -> Spent:
        """The cost of a command; of a transfer, it is told what that brings."""
        command = self._study.part.stream.commands[position]
        if isinstance(command, NpuOperation):
            weights = sum([part.size_bytes for part in command.weights])
            key = (self._study.forms[position], weights)
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = self._operation(position, weights)
            return known
        if isinstance(command, DmaTransfer):
            return self._transfer(position, command, purpose)
        return NOTHING

    def _operation(self, position: int, weights: int) -> Spent:
        own, worked = self._study.cycles[position], self._study.works[self._study.forms[position]]
        if worked is None or not isinstance(own, OpCycles):
            return NOTHING
        moved = operation_moves(self._rates, worked.work, worked.moved, weights)
        return spent_on(self._rates, own, moved)

    def _transfer(self, position: int, item: DmaTransfer, purpose: Purpose) -> Spent:
        own, regions = self._study.cycles[position], self._study.part.regions
        ends = {
            way: area_of(self._target, regions, place.region)
            for way, place in (
                (Direction.READ, item.source),
                (Direction.WRITE, item.destination),
            )
            if not place.is_internal
        }
        cycles = own if isinstance(own, int) else 0
        return transfer_spent(self._rates, cycles, transferred_bytes(item), purpose, ends)


def told(
    commands: Sequence[Command], spent: Sequence[Spent], copies: Collection[int]
) -> Iterator[Told]:
    """The commands of a stream as the clock is told of them."""
    for at, (command, cost) in enumerate(zip(commands, spent, strict=True)):
        match command:
            case NpuOperation():
                yield operation_told((cost,))
            case DmaTransfer():
                turn = Turn.COPY if at in copies else Turn.TRANSFER
                yield transfer_told(cost, turn)
            case Wait(engine=Engine.KERNEL, outstanding=outstanding):
                yield Told(Turn.AWAIT_OPERATIONS, outstanding=outstanding)
            case Wait(outstanding=outstanding):
                yield Told(Turn.AWAIT_TRANSFERS, outstanding=outstanding)
            case _:
                yield Told(Turn.NOTHING)
