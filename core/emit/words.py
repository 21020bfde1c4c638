"""Command words: one or two words of 32 bits for each write of a register and each launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.base.errors import InputError
from core.emit.registers import CODE_MASK, WIDE, Launch, Reg

WORD_BITS = 32
WORD_MASK = (1 << WORD_BITS) - 1
_HALF_MASK = 0xFFFF
_WIDE_MASK = (1 << 40) - 1
LAUNCHES = frozenset(map(int, Launch))
"""Codes that start something, and do not set a register."""
_CODES = LAUNCHES | frozenset(map(int, Reg))


class Write(NamedTuple):
    """A command of a stream: its code, its value, and where it stands."""

    word: int
    code: int
    value: int

    @property
    def is_launch(self) -> bool:
        """Whether it starts something, and does not set a register."""
        return self.code in LAUNCHES


def place(word: int) -> str:
    """A place in a stream in words."""
    return f"word {word}"


def decode(words: Sequence[int]) -> Iterator[Write]:
    """The commands of a stream; an InputError at the first that does not exist."""
    at = 0
    while at < len(words):
        code, parameter = words[at] & CODE_MASK, words[at] >> 16
        if code not in _CODES:
            raise InputError(f"there is no command 0x{code:04x}", place(at))
        if not code & WIDE:
            yield Write(at, code, parameter)
            at += 1
        elif at + 1 == len(words):
            name = Reg(code).name
            raise InputError(f"the stream ends between the two words of {name}", place(at))
        else:
            yield Write(at, code, (parameter << WORD_BITS) | words[at + 1])
            at += 2


def encode(code: int, value: int) -> tuple[int, ...]:
    """The words of a command; negative values are cut to the width of their register."""
    held = stored(code, value)
    if code & WIDE:
        return code | (held >> WORD_BITS) << 16, held & WORD_MASK
    return (code | held << 16,)


def stored(code: int, value: int) -> int:
    """What a register holds after a value was written to it."""
    return value & (_WIDE_MASK if code & WIDE else _HALF_MASK)
