"""Damaged files give a network or an InputError: nothing else, not slowly, and in little memory."""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from random import Random

import pytest

from core.base.digest import digest
from core.base.errors import InputError, UnsupportedOperator
from core.check.network import verify
from core.ir.network import Network
from core.tflite.reader import read
from core.tflite.writer import write
from tests.core.tflite.crafted import DENSE, MEBIBYTE
from tests.core.tflite.mutations import mutated, structure_of
from tests.core.tflite.networks import many_parts
from tests.shared import need

CHUNKS = 8
FAST_CHUNKS = 3
"""So many are in the fast suite, the others in the slow one."""
MUTATIONS_PER_CHUNK = 450
BASES = {
    "many_parts": lambda: write(many_parts()),
    "micro_speech": lambda: need("models/micro_speech_quantized.tflite").read_bytes(),
    "keras_lstm": lambda: need("models/keras_lstm_mnist_ptq.tflite").read_bytes(),
}
MOST_SECONDS = 5.0
"""Three orders of magnitude above what a file of this size takes."""


def test_there_are_as_many_mutations_as_were_promised():
    assert CHUNKS * MUTATIONS_PER_CHUNK * len(BASES) >= 10_000


@pytest.mark.parametrize(
    "chunk",
    [
        pytest.param(chunk, marks=pytest.mark.slow if chunk >= FAST_CHUNKS else ())
        for chunk in range(CHUNKS)
    ],
)
@pytest.mark.parametrize("base", BASES)
def test_a_mutated_file_gives_a_network_or_an_input_error(base, chunk):
    original = BASES[base]()
    words = structure_of(original)
    random = Random(f"{base} {chunk}")
    outcomes = {"refused": 0, "read": 0}
    for _ in range(MUTATIONS_PER_CHUNK):
        data = mutated(original, words, random)
        start = time.perf_counter()
        network = read_or_refusal(data)
        assert time.perf_counter() - start < MOST_SECONDS
        outcomes["refused" if network is None else "read"] += 1
        if network is not None:
            verify(network)
            survives_a_file(network)
    # Both happen often, or the mutations are too tame or too wild to find anything.
    assert min(outcomes.values()) > MUTATIONS_PER_CHUNK // 10, outcomes


@pytest.mark.parametrize("base", BASES)
def test_memory_stays_within_bounds_for_mutated_files(base):
    original = BASES[base]()
    words = structure_of(original)
    random = Random(f"{base} memory")
    tracemalloc.start()
    try:
        for _ in range(600):
            data = mutated(original, words, random)
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            read_or_refusal(data)
            peak = tracemalloc.get_traced_memory()[1] - before
            # Far below the promise, which for a small file is 64 MiB.
            assert peak < 64 * len(data) + 2 * MEBIBYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("count", [100, 10_000, pytest.param(250_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", DENSE)
def test_memory_stays_within_bounds_for_files_that_name_parts_again_and_again(name, count):
    data = DENSE[name](min(count, MOST.get(name, count)))
    tracemalloc.start()
    try:
        read_or_refusal(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * len(data) + 64 * MEBIBYTE


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space as Linux does")
@pytest.mark.parametrize("name", ["variants", "options"])
def test_a_process_with_no_more_memory_than_promised_can_read(name):
    command = [sys.executable, "-m", "tests.core.tflite.limited", name, "250000"]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "unfolds to more than its size allows" in done.stdout


@pytest.mark.parametrize("name", ["one subgraph named often", "overlapping buffers"])
def test_a_file_that_names_parts_again_and_again_is_refused(name):
    with pytest.raises(InputError, match="unfolds to more than its size allows"):
        read(DENSE[name](30_000))


MOST = {"names": 40_000, "overlapping buffers": 40_000, "custom options": 40_000}
"""Where a larger file takes long to make, not to read."""


def read_or_refusal(data: bytes) -> Network | None:
    try:
        return read(data)
    except InputError:
        return None


def survives_a_file(network: Network) -> None:
    """Written and read it is the same; by digest, since a number that is none is not itself."""
    try:
        data = write(network)
    except (InputError, UnsupportedOperator):
        return
    assert digest(read(data)) == digest(network)
