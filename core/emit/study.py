"""What a part of a program shows of itself: cycles, live ranges, layers and cascades."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from core.base.frozen import Frozen, replace
from core.cost.accesses import Accesses
from core.cost.accesses import accesses as elements_moved
from core.cost.cycles import OpCycles, Unplaced
from core.cost.formulas import unplaced
from core.cost.rates import Rates
from core.cost.work import Work
from core.emit.layers import Structure, structure
from core.emit.lives import Life, trace_lives, written_regions
from core.emit.touched import Access, accesses, operation_accesses, outlines
from core.emit.unplaced import NO_FORM, Forms, forms_of
from core.emit.work import transfer_cycles, work_of
from core.ir.program import CommandStream, DmaTransfer, NpuOperation, ProgramPart, RegionRole
from core.target.target import Target


class RegionTraffic(Frozen):
    """How far commands reach into a region, and how often they do."""

    reach_bytes: int
    """From its start to the last byte that any command touches."""
    reads: int
    writes: int


class Worked(Frozen):
    """An operation, and what no memory changes of its cost."""

    work: Work
    own: Unplaced
    moved: Accesses

    def cycles(self, rates: Rates) -> OpCycles:
        """Its own cycles with some memories."""
        return self.own.told(self.own.first.waits(rates, self.work))


class PartStudy(Frozen):
    """One `ethos-u` operator with all that follows from its commands."""

    part: ProgramPart
    target: Target | None
    """Which memories the estimates assume; None for an unknown accelerator."""
    cycles: tuple[OpCycles | int | None, ...]
    """By command: of an operation or a transfer on its own; None where there is no estimate."""
    lives: tuple[Life, ...]
    touched: tuple[tuple[int, ...], ...]
    """By command, for each of its operands in memory: a live range, or -1 for constants."""
    forms: tuple[int, ...]
    """By command: a number that operations alike in all but addresses have in common."""
    works: tuple[Worked | None, ...]
    """By form; None where there is no estimate."""
    structure: Structure
    traffic: tuple[tuple[int, RegionTraffic], ...]
    """By number of region."""

    def on(self, target: Target) -> PartStudy:
        """The same where the memories of its target are otherwise fast."""
        return replace(
            self, target=target, cycles=_cycles(self.part, target, self.forms, self.works)
        )

    @property
    def npu_cycles(self) -> int:
        """Cycles of all operations that have an estimate."""
        return self.cycles_of(range(len(self.cycles)))

    def cycles_of(self, commands: Iterable[int]) -> int:
        """Cycles of those operations among some commands that have an estimate."""
        estimates = (self.cycles[number] for number in commands)
        return sum(each.cycles for each in estimates if isinstance(each, OpCycles))

    @property
    def dma_cycles(self) -> int:
        """Cycles of all transfers, most of which run beside operations."""
        return sum(item for item in self.cycles if isinstance(item, int))

    @property
    def macs(self) -> int:
        """Multiplications that the operations ask for."""
        return sum(item.macs for item in self.cycles if isinstance(item, OpCycles))


def study(part: ProgramPart, target: Target | None) -> PartStudy:
    """Everything that a part shows."""
    forms = forms_of(part.stream)
    shown = structure(part.stream, forms)
    changing = written_regions(part.stream) | {
        number
        for number, region in enumerate(part.regions)
        if region.role is not RegionRole.CONSTANTS
    }
    meter = _Meter()
    works = _works(part, target, forms)
    traced = trace_lives(meter.pass_on(_everything(part.stream, forms)), changing, shown.layers)
    return PartStudy(
        part=part,
        target=target,
        cycles=_cycles(part, target, forms.of, works),
        lives=traced.lives,
        touched=traced.touched,
        forms=forms.of,
        works=works,
        structure=shown,
        traffic=meter.traffic,
    )


def _everything(stream: CommandStream, forms: Forms) -> Iterator[tuple[Access, ...]]:
    """The operands of each command; one command at a time, since together they are large."""
    known = [outlines(op) for op in forms.examples]
    for command, form in zip(stream.commands, forms.of, strict=True):
        if isinstance(command, NpuOperation):
            yield tuple(operation_accesses(command, known[form]))
        else:
            yield tuple(accesses(command))


def _works(part: ProgramPart, target: Target | None, forms: Forms) -> tuple[Worked | None, ...]:
    if target is None:
        return (None,) * len(forms.examples)
    rates = Rates.of(target)
    found = (work_of(target, part.regions, op) for op in forms.examples)
    return tuple(None if work is None else _worked(rates, work) for work in found)


def _worked(rates: Rates, work: Work) -> Worked:
    return Worked(
        work=work, own=unplaced(rates, work), moved=elements_moved(rates.accelerator, work)
    )


def _cycles(
    part: ProgramPart, target: Target | None, forms: Sequence[int], works: Sequence[Worked | None]
) -> tuple[OpCycles | int | None, ...]:
    commands = part.stream.commands
    if target is None:
        return (None,) * len(commands)
    rates = Rates.of(target)
    known = [None if work is None else work.cycles(rates) for work in works]
    return tuple(
        transfer_cycles(rates, target, part.regions, command)
        if isinstance(command, DmaTransfer)
        else known[form]
        if form != NO_FORM
        else None
        for command, form in zip(commands, forms, strict=True)
    )


class _Meter:
    """Counts the accesses that go through it."""

    def __init__(self) -> None:
        self._reach: dict[int, int] = defaultdict(int)
        self._counts: dict[tuple[int, bool], int] = defaultdict(int)

    def pass_on(self, everything: Iterable[tuple[Access, ...]]) -> Iterator[tuple[Access, ...]]:
        """The same accesses."""
        reach, counts = self._reach, self._counts
        for uses in everything:
            for use in uses:
                for region, address, size in use.ranges:
                    reach[region] = max(reach[region], address + size)
                for region in {piece.region for piece in use.ranges}:
                    counts[region, use.is_write] += 1
            yield uses

    @property
    def traffic(self) -> tuple[tuple[int, RegionTraffic], ...]:
        """What has gone through, by region."""
        return tuple(
            (
                region,
                RegionTraffic(
                    reach_bytes=reach_bytes,
                    reads=self._counts[region, False],
                    writes=self._counts[region, True],
                ),
            )
            for region, reach_bytes in sorted(self._reach.items())
        )
