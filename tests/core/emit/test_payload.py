"""What is wrapped around a command stream."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InputError
from core.emit.payload import accelerator_of, read_payload, word_of, write_payload
from core.ir.program import AcceleratorWord, Architecture
from core.target.registry import ACCELERATORS
from core.tflite import reader
from tests.core.emit.streams import U55
from tests.shared import need

VERSION = Architecture(1, 0, 6)
words = st.lists(st.integers(0, (1 << 32) - 1), max_size=30).map(tuple)


@given(words, st.sampled_from(sorted(ACCELERATORS)))
def test_a_payload_is_read_as_it_was_written(stream: tuple[int, ...], name: str):
    accelerator = word_of(ACCELERATORS[name])
    data = write_payload(accelerator, VERSION, stream)
    assert read_payload(data) == (accelerator, VERSION, stream, False, False)
    assert (len(data) - 4 * len(stream)) % 16 == 0


def test_another_compilers_payload_is_written_as_it_was():
    network = reader.read(need("peer/compiled/person_detect_vela.tflite").read_bytes())
    data = network.main.tensors[network.main.operators[0].inputs[0] or 0].data
    assert data is not None
    payload = read_payload(data.array.tobytes())
    assert write_payload(*payload[:3]) == data.array.tobytes()


@pytest.mark.parametrize("name", sorted(ACCELERATORS))
def test_every_accelerator_is_known_by_its_word(name: str):
    assert accelerator_of(word_of(ACCELERATORS[name])) is ACCELERATORS[name]


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("ethos-u55-32", AcceleratorWord(32, 16, 0)),
        ("ethos-u55-256", AcceleratorWord(256, 48, 0)),
        ("ethos-u65-512", AcceleratorWord(512, 96, 1)),
    ],
)
def test_words_are_those_of_the_hardware(name: str, word: AcceleratorWord):
    assert word_of(ACCELERATORS[name]) == word


HEADER_BITS = range(32, 8 * 32)
WITHOUT_EFFECT = (*range(32 + 16, 32 + 24), 4 * 32, 5 * 32, 6 * 32)
"""The version of a configuration's form; and what does nothing asks a driver to write a log."""


@pytest.mark.parametrize("bit", HEADER_BITS)
def test_each_bit_before_a_stream_is_read_or_refused(bit: int):
    data = write_payload(U55, VERSION, (1, 2, 3, 4))
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    try:
        found = read_payload(bytes(changed))
    except InputError:
        return
    assert (found == read_payload(data)) == (bit in WITHOUT_EFFECT)


def test_an_accelerator_that_nobody_knows():
    assert accelerator_of(AcceleratorWord(1024, 48, 2)) is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "begins with b''"),
        (b"COP3" + bytes(28), "begins with b'COP3'"),
        (b"COP1", "has no command stream"),
        (struct.pack("<4sI", b"COP1", 9), "asks for action 9"),
        (struct.pack("<4sI", b"COP1", 2), "before its configuration"),
        (struct.pack("<4sII", b"COP1", 1, 8), "ends inside its configuration"),
    ],
)
def test_what_is_no_payload(data: bytes, reason: str):
    with pytest.raises(InputError, match=reason):
        read_payload(data)


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(data: bytes):
    with suppress(InputError):
        read_payload(b"COP1" + data)


def test_a_payload_that_promises_more_than_it_has():
    data = write_payload(U55, VERSION, (1, 2, 3))
    assert read_payload(data[:-4]) == (U55, VERSION, (1, 2), True, False)
