"""Payloads: what a driver is told to do, with the command stream among it.

A payload is 'COP1' and actions of one word each: a number in the lowest byte, a parameter in the
upper half. Two words follow a configuration; the words of the stream follow the action that starts
it, whose parameter counts them, with eight more bits in its second byte. Facts of the open-source
driver and of the ecosystem's compiler.
"""

from __future__ import annotations

import enum
import math
import struct
from collections.abc import Mapping, Sequence

from core.base.errors import InputError
from core.base.frozen import NamedTuple
from core.emit.newer_payload import CONFIG_AT, MAGIC, Newer, newer_words, read_newer
from core.emit.words import bits_text, place
from core.ir.program import AcceleratorWord, Architecture
from core.target.accelerator import Accelerator
from core.target.registry import ACCELERATORS

_MAGIC = int.from_bytes(b"COP1", "little")
_WORD_BYTES = 4
_ALIGNMENT_WORDS = 4
_CONFIG_WORDS = 2
_LATEST_CONFIG = 1 << 4
_MAX_STREAM_WORDS = (1 << 24) - 1
_KIB = 1024
_UNNAMED_OF_ACCELERATOR = 0x0FFF0000
"""Among them two of hardware that nothing here has: for safety, and with a DMA unit of others."""


class _Action(enum.IntEnum):
    """What a driver does at a word of a payload."""

    RESERVED = 0
    CONFIG = 1
    STREAM = 2
    READ_REGISTERS = 3
    DUMP_SHRAM = 4
    NOTHING = 5


_UNNAMED: Mapping[int, int] = {
    _Action.CONFIG: 0xFF00FF00,
    _Action.READ_REGISTERS: 0xFF00,
    _Action.DUMP_SHRAM: 0xFF00,
    _Action.NOTHING: 0xFFFFFF00,
}
"""Bits of which no meaning is known, by what a driver is told with them."""


class Payload(NamedTuple):
    """A payload taken apart."""

    accelerator: AcceleratorWord
    architecture: Architecture
    stream: tuple[int, ...]
    is_cut_off: bool = False
    """It ends before the stream is as long as it says."""
    has_own_regions: bool = False
    """Inputs and outputs are not in the arena, whatever addresses the file plans for them there."""


def word_of(accelerator: Accelerator) -> AcceleratorWord:
    """What a driver compares the hardware with."""
    return AcceleratorWord(
        macs=accelerator.macs_per_cycle,
        shram_kib=accelerator.shared_buffer.size_bytes * accelerator.cores // _KIB,
        product=accelerator.family.product.number,
    )


def accelerator_of(word: AcceleratorWord) -> Accelerator | None:
    """The accelerator of that product and size, if there is one."""
    return _BY_WORD.get((word.product, word.macs))


def read_payload(data: bytes) -> Payload:
    """The stream of a payload, and what it was made for."""
    words = struct.unpack(f"<{len(data) // _WORD_BYTES}I", data[: len(data) & -_WORD_BYTES])
    if words and words[0] == MAGIC:
        newer = read_newer(words)
        _demand_named(newer.config, _UNNAMED_OF_ACCELERATOR, CONFIG_AT)
        accelerator_word, version = _accelerator(newer.config), _architecture(newer.architecture)
        return Payload(
            accelerator_word, version, newer.stream, newer.is_cut_off, newer.has_own_regions
        )
    if not words or words[0] != _MAGIC:
        raise InputError(
            f"begins with {data[:4]!r}, where a payload begins with b'COP1' or b'COP2'"
        )
    accelerator: AcceleratorWord | None = None
    architecture, at = Architecture(0, 0, 0), 1
    while at < len(words):
        action, parameter = words[at] & 0xFF, words[at] >> 16
        _demand_named(words[at], _UNNAMED.get(action, 0), at)
        if action == _Action.CONFIG:
            if at + _CONFIG_WORDS >= len(words):
                raise InputError("ends inside its configuration")
            _demand_named(words[at + 1], _UNNAMED_OF_ACCELERATOR, at + 1)
            accelerator = _accelerator(words[at + 1])
            architecture = _architecture(words[at + 2])
            at += _CONFIG_WORDS
        elif action == _Action.STREAM:
            size = parameter | (words[at] >> 8 & 0xFF) << 16
            if accelerator is None:
                raise InputError("has a command stream before its configuration")
            stream = words[at + 1 : at + 1 + size]
            return Payload(accelerator, architecture, stream, len(stream) < size)
        elif action not in {_Action.NOTHING, _Action.READ_REGISTERS, _Action.DUMP_SHRAM}:
            raise InputError(f"asks for action {action}, which no driver knows", f"word {at}")
        at += 1
    raise InputError("has no command stream")


def write_payload(
    accelerator: AcceleratorWord, architecture: Architecture, stream: Sequence[int]
) -> bytes:
    """The payload of a stream, which begins at a multiple of 16 bytes."""
    if len(stream) > _MAX_STREAM_WORDS:
        raise InputError(f"a stream of {len(stream)} words is longer than a payload can say")
    words = [
        _MAGIC,
        _Action.CONFIG | _LATEST_CONFIG << 16,
        _accelerator_word(accelerator),
        _architecture_word(architecture),
    ]
    # One word more than is needed where nothing is: the ecosystem's compiler does so, too.
    words += [_Action.NOTHING] * (_ALIGNMENT_WORDS - (len(words) + 1) % _ALIGNMENT_WORDS)
    size = len(stream)
    words.append(_Action.STREAM | (size >> 16) << 8 | (size & 0xFFFF) << 16)
    words += stream
    return struct.pack(f"<{len(words)}I", *words)


def write_newer_payload(
    accelerator: AcceleratorWord,
    architecture: Architecture,
    stream: Sequence[int],
    scratch_bytes: int,
    *,
    has_own_regions: bool,
) -> bytes:
    """The same in the newer form, which says how long it is and what its regions are."""
    newer = Newer(
        config=_accelerator_word(accelerator),
        architecture=_architecture_word(architecture),
        stream=tuple(stream),
        is_cut_off=False,
        has_own_regions=has_own_regions,
    )
    words = newer_words(newer, scratch_bytes)
    return struct.pack(f"<{len(words)}I", *words)


def _demand_named(word: int, unnamed: int, at: int) -> None:
    if word & unnamed:
        what = (
            f"has 0x{word:08x}, and the meaning of {bits_text(word & unnamed)} in it is not known"
        )
        raise InputError(what, place(at))


def _accelerator(word: int) -> AcceleratorWord:
    return AcceleratorWord(
        macs=1 << (word & 0xF),
        shram_kib=word >> 8 & 0xFF,
        product=word >> 28,
        stream_version=word >> 4 & 0xF,
    )


def _accelerator_word(value: AcceleratorWord) -> int:
    return (
        int(math.log2(value.macs))
        | value.stream_version << 4
        | value.shram_kib << 8
        | value.product << 28
    )


def _architecture(word: int) -> Architecture:
    return Architecture(
        major=word >> 28,
        minor=word >> 20 & 0xFF,
        patch=word >> 16 & 0xF,
        hardware=word & 0xFFFF,
    )


def _architecture_word(value: Architecture) -> int:
    return value.major << 28 | value.minor << 20 | value.patch << 16 | value.hardware


_BY_WORD = {
    (word.product, word.macs): accelerator
    for accelerator in ACCELERATORS.values()
    for word in (word_of(accelerator),)
}
