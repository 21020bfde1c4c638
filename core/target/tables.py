"""Where the hardware looks values up."""

from __future__ import annotations

from core.base.frozen import Changing, Frozen, field
from core.base.geometry import ceil_div


class TableMemory(Frozen):
    """The memory of look-up tables, by the addresses that transfers inside the accelerator use."""

    start: int
    size_bytes: int
    unit_bytes: int
    """In which tables are numbered."""
    is_apart: bool
    """Operators without a table leave what is in it as it is."""


SlotState = tuple[tuple[tuple[int, tuple[str, int]], ...], tuple[int, ...]]
"""Tables by slot, and slots in the order in which they were used."""

NO_TABLES: SlotState = ((), ())


class TableSlots(Changing):
    """Which tables the memory holds, by name, as operations use one after the other."""

    memory: TableMemory
    _held: dict[int, tuple[str, int]] = field(default_factory=dict)
    """By slot: the table that begins there, and how many slots it takes."""
    _order: list[int] = field(default_factory=list)
    """Slots, the one that was used longest ago first."""

    @property
    def state(self) -> SlotState:
        """All that what happens next depends on."""
        return tuple(self._held.items()), tuple(self._order)

    @classmethod
    def of(cls, memory: TableMemory, state: SlotState) -> TableSlots:
        """Slots in a state that others were in."""
        held, order = state
        return cls(memory, dict(held), list(order))

    def forget_without_table(self) -> None:
        """An operation without a table may overwrite all of them where they have no banks alone."""
        if not self.memory.is_apart:
            self._held.clear()
            self._order.clear()

    def slot_of(self, table: str) -> int | None:
        """Where a table is, if it is there."""
        for slot, (name, _) in self._held.items():
            if name == table:
                self._order.remove(slot)
                self._order.append(slot)
                return slot
        return None

    def take(self, table: str, size_bytes: int) -> int | None:
        """The slot that a table has to be brought to; None where it is there already."""
        if self.slot_of(table) is not None:
            return None
        slots = ceil_div(size_bytes, self.memory.unit_bytes)
        slot = self._make_room(slots)
        self._held[slot] = (table, slots)
        self._order.append(slot)
        return slot

    def _make_room(self, slots: int) -> int:
        """The first slot of as many as are wanted, without the tables that used them."""
        if slots > 1:
            # Not all compilers count large tables alike; they agree on where the first one is.
            self._drop(range(slots))
            return 0
        taken = {
            used for slot, (_, count) in self._held.items() for used in range(slot, slot + count)
        }
        in_all = self.memory.size_bytes // self.memory.unit_bytes
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
