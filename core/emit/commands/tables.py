"""Look-up tables in the last banks of the shared buffer: what brings those that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.geometry import round_up
from core.base.ids import NpuOpId
from core.emit.commands.addresses import Addresses
from core.ir.constdata import ConstData
from core.ir.program import DmaPlace, DmaTransfer
from core.target.accelerator import Accelerator
from core.target.format import ALIGNMENT_BYTES
from core.target.tables import TableSlots

_BOTH_CORES = 0b11
"""The tables of every core are written at once."""


class TableStore:
    """The tables that the shared buffer holds while commands are made."""

    def __init__(self, accelerator: Accelerator, addresses: Addresses) -> None:
        self._memory = accelerator.tables
        self._addresses = addresses
        self._slots = TableSlots(accelerator.tables)

    def forget_without_table(self) -> None:
        """An operation without a table comes next."""
        self._slots.forget_without_table()

    def slot_of(self, table: ConstData) -> int | None:
        """Where a table is, if it is there."""
        return self._slots.slot_of(table.digest)

    def bring(self, op: NpuOpId, table: ConstData) -> Iterator[DmaTransfer]:
        """The transfer that puts an operator's table into the shared buffer, if it is not there."""
        slot = self._slots.take(table.digest, table.size_bytes)
        if slot is None:
            return
        place = self._addresses.tables[op]
        address = self._memory.start + slot * self._memory.unit_bytes
        yield DmaTransfer(
            source=DmaPlace(place.region, place.address),
            destination=DmaPlace(_BOTH_CORES, address, is_internal=True),
            size_bytes=round_up(table.size_bytes, ALIGNMENT_BYTES),
        )
