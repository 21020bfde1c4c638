"""The instruction sets that are known; whoever adds one gives it a place here."""

from __future__ import annotations

from types import MappingProxyType

from core.base.errors import InputError, OptionError
from core.emit.instructions.first_architecture import FIRST_ARCHITECTURE
from core.emit.instructions.instruction_set import InstructionSet
from core.ir.program import Architecture
from core.target.family import Family

INSTRUCTION_SETS = MappingProxyType({each.architecture: each for each in (FIRST_ARCHITECTURE,)})
"""By the major version of their architecture."""


def instructions_for(family: Family) -> InstructionSet:
    """What commands for a family are written in."""
    found = INSTRUCTION_SETS.get(family.product.architecture[0])
    if found is None:
        raise OptionError(
            f"cannot write commands for {family.product.title}: its instruction set is not known"
            " here"
        )
    return found


def instructions_of(architecture: Architecture) -> InstructionSet:
    """What a stream is written in that was made for an architecture."""
    found = INSTRUCTION_SETS.get(architecture.major)
    if found is None:
        version = ".".join(str(number) for number in architecture[:3])
        raise InputError(f"is for architecture {version}, whose instruction set is not known here")
    return found
