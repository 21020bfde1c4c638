"""The registers at one moment, and what they hold: numbers, distances, parts."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from core.base.errors import InputError
from core.emit.instructions.instruction_set import (
    ADDRESS_BITS,
    Bits,
    Coded,
    InstructionSet,
    Reg,
)

Value = TypeVar("Value", bound=Hashable)

_SHIFT_START = 32


class Registers:
    """What has been written so far."""

    __slots__ = ("_places", "_unplaced", "_values", "instructions")

    def __init__(self, instructions: InstructionSet) -> None:
        self.instructions = instructions
        self._places = instructions.places
        self._values: dict[Reg, int] = {}
        self._unplaced: dict[Reg, int] = {}

    def write(self, reg: Reg, value: int) -> None:
        """Set a register."""
        self._values[reg] = value
        if reg not in self._places:
            self._unplaced[reg] = value

    @property
    def unplaced(self) -> tuple[int, ...]:
        """The values of all registers that are no places; equal where all of them are.

        Registers are never taken away, so as many values are those of the same registers.
        """
        return tuple(self._unplaced.values())

    def holds(self, reg: Reg, value: int) -> bool:
        """Whether a register has been set to this value."""
        return self._values.get(reg) == value

    def need(self, reg: Reg) -> int:
        """The value of a register that must have been set."""
        value = self._values.get(reg)
        if value is None:
            raise InputError(f"{reg.name} has not been set")
        return value

    def get(self, reg: Reg) -> int:
        """The value of a register; 0 where it has not been set."""
        return self._values.get(reg, 0)

    def more(self, reg: Reg) -> int:
        """One more than a register holds: a size."""
        return self.need(reg) + 1

    def signed(self, reg: Reg) -> int:
        """A value of 16 bits with a sign."""
        value = self.get(reg)
        return value - (1 << 16) if value >> 15 else value

    def distance(self, reg: Reg) -> int:
        """A step between addresses, which can be negative."""
        value = self.get(reg)
        is_negative = value >> (ADDRESS_BITS - 1)
        return value - (1 << ADDRESS_BITS) if is_negative else value

    def scale(self, reg: Reg) -> tuple[int, int]:
        """A multiplier, and how many bits the product is shifted right by."""
        value = self.get(reg)
        return value & ((1 << _SHIFT_START) - 1), value >> _SHIFT_START

    def part(self, bits: Bits) -> int:
        """The number in a part of a register that must have been set."""
        return bits.read(self.need(bits.reg))

    def is_set(self, bits: Bits) -> bool:
        """Whether a flag is set in a register that must have been."""
        return bool(self.part(bits))

    def choice(self, coded: Coded[Value]) -> Value:
        """What a part of a register stands for; one that has not been set holds 0."""
        return coded.values[coded.bits.read(self.get(coded.bits.reg))]
