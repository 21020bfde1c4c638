"""Seeded damage to files, aimed at what holds them together rather than at their weights."""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

from core.tflite.reader import read

EDGES = (0, 1, 2, 3, 0x7F, 0xFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
"""Values of which one as a length, a dimension or an offset is more than any file can bear."""


def structure_of(data: bytes) -> list[int]:
    """Positions of the whole words of a file that are no constant's data."""
    taken = bytearray(len(data))
    for graph in read(data).subgraphs:
        for tensor in graph.tensors:
            if tensor.data is not None and tensor.data.size_bytes > 16:
                start = data.find(tensor.data.array.tobytes())
                taken[start : start + tensor.data.size_bytes] = b"\1" * tensor.data.size_bytes
    return [at for at in range(0, len(data) - 3, 4) if not any(taken[at : at + 4])]


def flip(random: Random, data: bytearray, words: list[int]) -> None:
    for _ in range(random.choice((1, 1, 2, 8))):
        data[random.choice(words) + random.randrange(4)] ^= 1 << random.randrange(8)


def truncate(random: Random, data: bytearray, _: list[int]) -> None:
    del data[random.randrange(len(data)) :]


def swap(random: Random, data: bytearray, words: list[int]) -> None:
    one, other = random.choice(words), random.choice(words)
    data[one : one + 4], data[other : other + 4] = data[other : other + 4], data[one : one + 4]


def enlarge(random: Random, data: bytearray, words: list[int]) -> None:
    value = random.choice((*EDGES, len(data), len(data) // 4, random.getrandbits(32)))
    struct.pack_into("<I", data, random.choice(words), value)


def enlarge_half(random: Random, data: bytearray, words: list[int]) -> None:
    at = random.choice(words) + random.choice((0, 2))
    struct.pack_into("<H", data, at, random.choice((*EDGES, random.getrandbits(16))) & 0xFFFF)


def redirect(random: Random, data: bytearray, words: list[int]) -> None:
    """Make a word lead, as an offset, to some other part of the file."""
    at = random.choice(words)
    struct.pack_into("<I", data, at, (random.choice(words) - at) & 0xFFFFFFFF)


def repeat(random: Random, data: bytearray, words: list[int]) -> None:
    """Copy some words over others."""
    size = 4 * random.choice((1, 2, 8, 64))
    source, target = random.choice(words), random.choice(words)
    block = data[source : source + size]
    data[target : target + len(block)] = block
    del data[max(words) + 4 + size :]


def insert(random: Random, data: bytearray, words: list[int]) -> None:
    at = random.choice(words)
    data[at:at] = random.randbytes(random.choice((1, 2, 4, 16)))


MUTATIONS: tuple[Callable[[Random, bytearray, list[int]], None], ...] = (
    flip,
    truncate,
    swap,
    enlarge,
    enlarge_half,
    redirect,
    repeat,
    insert,
)


def mutated(data: bytes, words: list[int], random: Random) -> bytes:
    """The file after one piece of damage, or a few."""
    copy = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 3))):
        if len(copy) == len(data):
            random.choice(MUTATIONS)(random, copy, words)
    return bytes(copy)
