"""Command words: one or two words of 32 bits for each write of a register and each launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.base.errors import InputError
from core.emit.instructions.instruction_set import CODE_MASK, WIDE, InstructionSet, Launch, Reg

WORD_BITS = 32
WORD_MASK = (1 << WORD_BITS) - 1
_HALF_MASK = 0xFFFF
_WIDE_MASK = (1 << 40) - 1


class Write(NamedTuple):
    """A command of a stream: what it sets or starts, its value, and where it stands."""

    word: int
    name: Reg | Launch
    value: int


def place(word: int) -> str:
    """A place in a stream in words."""
    return f"word {word}"


def decode(words: Sequence[int], instructions: InstructionSet) -> Iterator[Write]:
    """The commands of a stream; an InputError at the first that does not exist."""
    names = instructions.names
    at = 0
    while at < len(words):
        code, parameter = words[at] & CODE_MASK, words[at] >> 16
        name = names.get(code)
        if name is None:
            raise InputError(f"there is no command 0x{code:04x}", place(at))
        if not code & WIDE:
            yield Write(at, name, parameter)
            at += 1
        elif at + 1 == len(words):
            raise InputError(f"the stream ends between the two words of {name.name}", place(at))
        else:
            yield Write(at, name, (parameter << WORD_BITS) | words[at + 1])
            at += 2


def encode(name: Reg | Launch, value: int, instructions: InstructionSet) -> tuple[int, ...]:
    """The words of a command; negative values are cut to the width of their register."""
    code = instructions.codes[name]
    held = stored(code, value)
    if code & WIDE:
        return code | (held >> WORD_BITS) << 16, held & WORD_MASK
    return (code | held << 16,)


def stored(code: int, value: int) -> int:
    """What the register of a code holds after a value was written to it."""
    return value & (_WIDE_MASK if code & WIDE else _HALF_MASK)
