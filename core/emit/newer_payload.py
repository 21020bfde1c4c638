"""Payloads of the ecosystem's newer form: 'COP2', which says how long its parts are.

    COP2, version, bytes that follow, 0
    kind of the part, its bytes, bytes of its head
    head: 'VEUM', version, bytes of what the hardware is to be, and these: configuration,
          architecture, mode of regions, bytes of fast scratch (64 bits), all bits set
    stream

Read off files of the ecosystem's compiler (5.2.0), made with `--cop-format COP2`.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.errors import InputError
from core.base.frozen import NamedTuple

MAGIC = int.from_bytes(b"COP2", "little")
_HEAD = int.from_bytes(b"VEUM", "little")
_WORD_BYTES = 4
_VERSION, _STREAM_PART = 1, 1
_PART_AT, _HEAD_AT = 4, 7
CONFIG_AT = _HEAD_AT + 3
_LEAST_HEAD_WORDS = 6
_HARDWARE_BYTES = 20
_ALL_BITS = 0xFFFFFFFF
_MODES = {1: False, 2: True}
"""Whether inputs and outputs have regions of their own."""


class Newer(NamedTuple):
    """Where things are in such a payload, as words."""

    config: int
    architecture: int
    stream: tuple[int, ...]
    is_cut_off: bool
    has_own_regions: bool
    """Whether inputs and outputs are no part of the arena, and have regions of their own."""


def read_newer(words: Sequence[int]) -> Newer:
    """The parts of a payload that begins with `MAGIC`; an InputError says what is not so."""
    if len(words) < CONFIG_AT + 3:
        raise InputError("ends inside its head")
    if words[1] != _VERSION:
        raise InputError(f"is of version {words[1]} of COP2, of which 1 alone is known")
    if words[_PART_AT] != _STREAM_PART:
        raise InputError(f"begins with a part of kind {words[_PART_AT]}, of which 1 alone is known")
    head_bytes = words[_HEAD_AT - 1]
    if words[_HEAD_AT] != _HEAD or words[_HEAD_AT + 1] != _VERSION:
        raise InputError("has no head of a command stream that is known", f"word {_HEAD_AT}")
    if head_bytes % _WORD_BYTES or head_bytes < _LEAST_HEAD_WORDS * _WORD_BYTES:
        raise InputError(f"has a head of {head_bytes} bytes, which is none", f"word {_HEAD_AT - 1}")
    if words[CONFIG_AT + 2] not in _MODES:
        told = f"has regions of mode {words[CONFIG_AT + 2]}, of which 1 and 2 are known"
        raise InputError(told, f"word {CONFIG_AT + 2}")
    start = _HEAD_AT + head_bytes // _WORD_BYTES
    size_bytes = words[_PART_AT + 1] - _WORD_BYTES - head_bytes
    if size_bytes < 0 or size_bytes % _WORD_BYTES:
        raise InputError("has a head that is longer than its part", f"word {_PART_AT + 1}")
    stream = tuple(words[start : start + size_bytes // _WORD_BYTES])
    return Newer(
        config=words[CONFIG_AT],
        architecture=words[CONFIG_AT + 1],
        stream=stream,
        has_own_regions=_MODES[words[CONFIG_AT + 2]],
        is_cut_off=len(stream) * _WORD_BYTES < size_bytes,
    )


def newer_words(newer: Newer, scratch_bytes: int) -> tuple[int, ...]:
    """A payload of that form, whose stream needs so many bytes of fast scratch."""
    mode = next(mode for mode, has_own in _MODES.items() if has_own is newer.has_own_regions)
    low, high = scratch_bytes & _ALL_BITS, scratch_bytes >> 32
    hardware = newer.config, newer.architecture
    head = (_HEAD, _VERSION, _HARDWARE_BYTES, *hardware, mode, low, high, _ALL_BITS)
    head_bytes = len(head) * _WORD_BYTES
    part = (head_bytes, *head, *newer.stream)
    part_bytes = len(part) * _WORD_BYTES
    return (MAGIC, _VERSION, part_bytes + 2 * _WORD_BYTES, 0, _STREAM_PART, part_bytes, *part)
