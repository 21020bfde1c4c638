"""What the blocks of an operator wait for memories."""

from __future__ import annotations

from core.base.frozen import Frozen, NamedTuple
from core.cost.bursts import Bursts
from core.cost.rates import Rate, Rates
from core.cost.work import Work
from core.target.accelerator import Accelerator

_LATENCY_DIVISOR = 256


class Waits(NamedTuple):
    """Cycles, given where maps and constants are."""

    reading: float
    """Until the first block is read."""
    writing: float
    """Until one is written."""
    scaling: float
    """Until the scale of a channel is there."""

    @property
    def first_cycles(self) -> float:
        """Of the first block."""
        return self.reading + self.writing


class FirstBlock(Frozen, kw_only=False):
    """What there is to wait for, wherever maps and constants are."""

    read_bytes: int
    read_run_bytes: int
    """Of these lie together."""
    made_bytes: int
    made_run_bytes: int
    record_bytes: int
    """Of the scale of a channel; none where there is none."""

    @classmethod
    def of(
        cls, accelerator: Accelerator, work: Work, bursts: Bursts, read_bytes: int, made_bytes: int
    ) -> FirstBlock:
        """Given what the block reads and makes."""
        record = accelerator.family.weights.record.size_bytes
        return cls(
            read_bytes=read_bytes,
            read_run_bytes=bursts.read(work.ifm, work.block.ifm_block),
            made_bytes=made_bytes,
            made_run_bytes=bursts.write(work.ofm, work.block.ofm_block, accelerator.cores),
            record_bytes=0 if work.constants is None else record,
        )

    def reading(self, rate: Rate) -> float:
        """Cycles until the block is read from a memory."""
        arriving = rate.busy_bytes(self.read_bytes, self.read_run_bytes)
        return rate.read_latency_cycles + arriving / rate.bytes_per_cycle

    def writing(self, rate: Rate) -> float:
        """Cycles until it is written to a memory."""
        leaving = rate.busy_bytes(self.made_bytes, self.made_run_bytes)
        return rate.write_latency_cycles + leaving / rate.bytes_per_cycle

    def scaling(self, rate: Rate) -> float:
        """Cycles until the scale of a channel comes from a memory."""
        return self.record_bytes * rate.read_latency_cycles / _LATENCY_DIVISOR

    def waits(self, rates: Rates, work: Work) -> Waits:
        """The cycles where its maps and constants are."""
        areas, constants = rates.areas, work.constants
        return Waits(
            reading=self.reading(areas[work.ifm.area]),
            writing=self.writing(areas[work.ofm.area]),
            scaling=0.0 if constants is None else self.scaling(areas[constants]),
        )


NOTHING_FIRST = FirstBlock(0, 1, 0, 1, 0)
