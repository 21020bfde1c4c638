"""Command words: one or two words of 32 bits for each write of a register and each launch.

What an instruction set does not name is neither read nor written: a bit that nobody looks at would
make a stream do something else than what is shown, executed and priced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.base.errors import InputError, InternalError
from core.base.frozen import NamedTuple
from core.emit.instructions.instruction_set import (
    ADDRESS_BITS,
    CODE_MASK,
    WIDE,
    InstructionSet,
    Launch,
    Reg,
)

WORD_BITS = 32
WORD_MASK = (1 << WORD_BITS) - 1
_HALF_BITS = 16
_HALF_MASK = (1 << _HALF_BITS) - 1
_WIDE_MASK = (1 << ADDRESS_BITS) - 1
_NO_PARTS: Mapping[int, frozenset[int]] = {}
_NEGATIVE = 0x1FF
"""From its sign on, a step that is negative in 48 bits; some compilers write as many."""


class Write(NamedTuple):
    """A command of a stream: what it sets or starts, its value, and where it stands."""

    word: int
    name: Reg | Launch
    value: int


def place(word: int) -> str:
    """A place in a stream in words."""
    return f"word {word}"


def decode(words: Sequence[int], instructions: InstructionSet) -> Iterator[Write]:
    """The commands of a stream; an InputError at the first that is not known to the last bit."""
    names, steps, at = instructions.names, instructions.steps, 0
    while at < len(words):
        code, value, start = words[at] & _HALF_MASK, words[at] >> _HALF_BITS, at
        name = names.get(code & CODE_MASK)
        if name is None:
            raise InputError(f"there is no command 0x{code:04x}", place(start))
        at += 1
        if code & WIDE:
            if at == len(words):
                cut = f"the stream ends between the two words of {name.name}"
                raise InputError(cut, place(start))
            value, at = value << WORD_BITS | words[at], at + 1
            if name in steps and value >> (ADDRESS_BITS - 1) == _NEGATIVE:
                value &= _WIDE_MASK
        if code & ~CODE_MASK:
            raise InputError(_in_code(name, words[start]), place(start))
        unknown = unknown_in(name, value, instructions)
        if unknown is not None:
            raise InputError(unknown, place(start))
        yield Write(start, name, value)


def encode(name: Reg | Launch, value: int, instructions: InstructionSet) -> tuple[int, ...]:
    """The words of a command; negative values are cut to the width of their register."""
    code = instructions.codes[name]
    held = stored(code, value)
    unknown = unknown_in(name, held, instructions)
    if unknown is not None:
        raise InternalError(unknown)
    if code & WIDE:
        return code | (held >> WORD_BITS) << _HALF_BITS, held & WORD_MASK
    return (code | held << _HALF_BITS,)


def stored(code: int, value: int) -> int:
    """What the register of a code holds after a value was written to it."""
    return value & (_WIDE_MASK if code & WIDE else _HALF_MASK)


def unknown_in(name: Reg | Launch, value: int, instructions: InstructionSet) -> str | None:
    """What in a value has no meaning that is known, as a sentence; None where all has."""
    unnamed = value & ~instructions.named[name]
    if unnamed:
        return _unknown(name.name, value, f"{bits_text(unnamed)} in it")
    for mask, numbers in instructions.coded.get(name, _NO_PARTS).items():
        held = value & mask
        if held not in numbers:
            number = held >> (mask & -mask).bit_length() - 1
            return _unknown(name.name, value, f"{number} in its {bits_text(mask)}")
    return None


def _in_code(name: Reg | Launch, word: int) -> str:
    return _unknown(
        f"the word of {name.name}", word, f"{bits_text(word & _HALF_MASK & ~CODE_MASK)} in it"
    )


def _unknown(what: str, value: int, part: str) -> str:
    return f"{what} is 0x{value:04x}, and the meaning of {part} is not known"


def bits_text(mask: int) -> str:
    """Bits by their numbers, in words."""
    *before, last = [str(bit) for bit in range(mask.bit_length()) if mask >> bit & 1]
    return f"bits {', '.join(before)} and {last}" if before else f"bit {last}"
