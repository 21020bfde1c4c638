"""The registers at one moment, and their values with every doubt raised."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from core.base.errors import InputError
from core.emit.instructions.instruction_set import Bits, Coded, InstructionSet, Reg

Value = TypeVar("Value", bound=Hashable)

_ADDRESS_BITS = 40
_ADDRESS_MASK = (1 << _ADDRESS_BITS) - 1
_NEGATIVE = frozenset({0x001, 0x1FF})
"""What stands above the sign of a negative step: compilers write eight or sixteen bits of it."""
_SHIFT_START = 32
_MAX_SHIFT = 63


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

    def region(self, reg: Reg) -> int:
        """The number of a region."""
        return self.below(reg, self.instructions.regions)

    def below(self, reg: Reg, limit: int) -> int:
        """A value under a limit."""
        self.need(reg)
        return self.optional(reg, limit)

    def optional(self, reg: Reg, limit: int) -> int:
        """A value under a limit, or 0 where the register has not been set."""
        value = self.get(reg)
        if value >= limit:
            raise InputError(f"{reg.name} is {value}, where it has to be below {limit}")
        return value

    def signed(self, reg: Reg) -> int:
        """A value of 16 bits with a sign."""
        value = self.get(reg)
        return value - (1 << 16) if value >> 15 else value

    def address(self, reg: Reg) -> int:
        """An address of 40 bits."""
        self.need(reg)
        return self.optional_address(reg)

    def optional_address(self, reg: Reg) -> int:
        """An address of 40 bits, or 0 where the register has not been set."""
        value = self._values.get(reg, 0)
        if value >> _ADDRESS_BITS:
            raise InputError(f"{reg.name} is 0x{value:x}, which has more than 40 bits")
        return value

    def distance(self, reg: Reg) -> int:
        """A step between addresses, which can be negative."""
        value = self.get(reg)
        upper = value >> (_ADDRESS_BITS - 1)
        if upper == 0:
            return value
        if upper in _NEGATIVE:
            return (value & _ADDRESS_MASK) - (1 << _ADDRESS_BITS)
        raise InputError(f"{reg.name} is 0x{value:x}, which is no step of 40 bits")

    def scale(self, reg: Reg) -> tuple[int, int]:
        """A multiplier, and how many bits the product is shifted right by."""
        value = self.get(reg)
        multiplier, shift = value & ((1 << _SHIFT_START) - 1), value >> _SHIFT_START
        if shift > _MAX_SHIFT:
            raise InputError(f"{reg.name} shifts by {shift} bits")
        return multiplier, shift

    def is_set(self, bits: Bits) -> bool:
        """Whether a flag is set in a register that must have been."""
        return bool(bits.read(self.need(bits.reg)))

    def choice(self, coded: Coded[Value]) -> Value:
        """What a part of a register stands for; one that has not been set holds 0."""
        number = coded.bits.read(self.get(coded.bits.reg))
        if number not in coded.values:
            name = coded.bits.reg.name
            raise InputError(f"{name} has the part {number}, which means nothing")
        return coded.values[number]

    def demand_known(self, parts: tuple[Bits, ...]) -> None:
        """Refuse a register of which other parts than these are set."""
        reg = parts[0].reg
        value = self.need(reg)
        if value & ~sum(part.mask for part in parts):
            raise InputError(f"{reg.name} is 0x{value:x}, which has bits that mean nothing")
