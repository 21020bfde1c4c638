"""Look-up tables in the last banks of the shared buffer: which are there, and what brings more."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.geometry import ceil_div, round_up
from core.base.ids import NpuOpId
from core.emit.commands.addresses import Addresses
from core.ir.constdata import ConstData
from core.ir.program import DmaPlace, DmaTransfer
from core.target.accelerator import Accelerator
from core.target.format import ALIGNMENT_BYTES

_BOTH_CORES = 0b11
"""The tables of every core are written at once."""


class TableStore:
    """The tables that the shared buffer holds while commands are made."""

    def __init__(self, accelerator: Accelerator, addresses: Addresses) -> None:
        self._memory = accelerator.tables
        self._addresses = addresses
        self._held: dict[int, tuple[str, int]] = {}
        """By slot: the table that begins there, and how many slots it takes."""
        self._order: list[int] = []
        """Slots, the one that was used longest ago first."""

    def forget_without_table(self) -> None:
        """An operation without a table may overwrite all of them where they have no banks alone."""
        if not self._memory.is_apart:
            self._held.clear()
            self._order.clear()

    def slot_of(self, table: ConstData) -> int | None:
        """Where a table is, if it is there."""
        for slot, (name, _) in self._held.items():
            if name == table.digest:
                self._order.remove(slot)
                self._order.append(slot)
                return slot
        return None

    def bring(self, op: NpuOpId, table: ConstData) -> Iterator[DmaTransfer]:
        """The transfer that puts an operator's table into the shared buffer, if it is not there."""
        if self.slot_of(table) is not None:
            return
        slots = ceil_div(table.size_bytes, self._memory.unit_bytes)
        slot = self._make_room(slots)
        self._held[slot] = (table.digest, slots)
        self._order.append(slot)
        place = self._addresses.tables[op]
        address = self._memory.start + slot * self._memory.unit_bytes
        yield DmaTransfer(
            source=DmaPlace(place.region, place.address),
            destination=DmaPlace(_BOTH_CORES, address, is_internal=True),
            size_bytes=round_up(table.size_bytes, ALIGNMENT_BYTES),
        )

    def _make_room(self, slots: int) -> int:
        """The first slot of as many as are wanted, without the tables that used them."""
        if slots > 1:
            # Not all compilers count large tables alike; they agree on where the first one is.
            self._drop(range(slots))
            return 0
        taken = {
            used for slot, (_, count) in self._held.items() for used in range(slot, slot + count)
        }
        in_all = self._memory.size_bytes // self._memory.unit_bytes
        free = next((slot for slot in range(in_all) if slot not in taken), None)
        if free is not None:
            return free
        oldest = self._order[0]
        self._drop(range(oldest, oldest + 1))
        return oldest

    def _drop(self, wanted: range) -> None:
        for slot, (_, count) in list(self._held.items()):
            if slot < wanted.stop and wanted.start < slot + count:
                del self._held[slot]
                self._order.remove(slot)
