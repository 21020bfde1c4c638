"""Compiled files: which are, what they bind, and what is said of broken ones."""

from __future__ import annotations

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import CoreError, InputError
from core.base.frozen import replace
from core.emit.conventions import OFFLINE_ALLOCATION
from core.emit.open import is_compiled, open_program
from core.emit.payload import word_of, write_payload
from core.ir.constdata import ConstData
from core.ir.network import Metadata
from core.ir.program import Job, RegionRole
from core.pipeline.compiled import open_compiled
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from core.tflite import reader
from tests.core.emit.programs import ARCHITECTURE, compiled, compiled_file
from tests.core.emit.streams import U55, U65, assemble, disassemble, operations, stream
from tests.shared import need

SHARED = "peer/compiled/person_detect_vela.tflite"
EMPTY = assemble(stream(), U55)


def test_an_old_file_of_another_compiler():
    network = reader.read(need(SHARED).read_bytes())
    program = open_program(network)
    (part,) = program.parts
    assert program.compiler == "Vela 3.11.0 Optimised (vela 3.11.0)"
    assert part.accelerator == (256, 48, 0, 0)
    assert part.stream.problem is None
    assert len(part.stream.operations) == 87
    assert len(part.stream.transfers) == 55
    assert [region.role for region in part.regions] == list(RegionRole)
    assert part.regions[0].size_bytes == 260480
    assert part.inputs[0].arena_address == 0
    first = part.stream.operations[0]
    assert (first.job, first.ifm.shape, first.ofm.shape) == (
        Job.CONVOLUTION,
        (1, 96, 48, 2),
        (1, 48, 48, 8),
    )


def test_every_address_of_the_old_file_is_inside_its_region():
    opened = open_compiled(need(SHARED).read_bytes(), lambda found: resolve(found.name))
    assert opened is not None
    (study,) = opened.studies
    for number, used in study.traffic:
        assert 0 < used.reach_bytes <= study.part.regions[number].size_bytes
    assert min(life.address for life in study.lives) == 0
    assert max(life.address + life.size_bytes for life in study.lives) == 74464


def test_the_old_files_network_is_seen_behind_its_slices():
    opened = open_compiled(need(SHARED).read_bytes(), lambda found: resolve(found.name))
    assert opened is not None
    (study,) = opened.studies
    assert len(study.structure.layers) < 87
    # The shared model is another export of the same network.
    report = need("peer/schedules/u55-256-shared-perf/person_detect.json").read_text("utf-8")
    (schedule,) = json.loads(report)["schedules"]
    assert len(study.structure.layers) == pytest.approx(len(schedule["ops"]), abs=5)
    assert study.macs == sum(op["op_macs"] for op in schedule["ops"])


def test_a_model_that_is_not_compiled():
    network = compiled(b"")
    (op,) = network.main.operators
    plain = replace(network.main, operators=(replace(op, custom_code="other"),))
    assert not is_compiled(replace(network, subgraphs=(plain,)))


def test_a_file_of_our_own_making():
    opened = open_compiled(compiled_file(EMPTY), lambda found: resolve(found.name))
    assert opened is not None
    assert opened.program.parts[0].stream.problem is None
    assert opened.program.parts[0].inputs[0].arena_address is None


def test_places_in_the_arena_are_those_of_the_metadata():
    network = compiled(write_payload(U55, ARCHITECTURE, EMPTY))
    numbers = np.array([0, 1, 6, 256, -1, -1, 0, 0, 16], np.int32)
    data = ConstData.of(numbers.view(np.uint8))
    network = replace(network, metadata=(Metadata(name=OFFLINE_ALLOCATION, data=data),))
    (part,) = open_program(network).parts
    assert part.inputs[0].arena_address == 16
    assert part.outputs[0].arena_address == 256
    short = Metadata(name=OFFLINE_ALLOCATION, data=ConstData.of(numbers[:5].view(np.uint8)))
    with pytest.raises(InputError, match="has 5 numbers, where 9 are needed"):
        open_program(replace(network, metadata=(short,)))


def test_a_payload_that_is_none():
    with pytest.raises(InputError, match="operator 0: its payload begins with b'NOPE'"):
        open_program(compiled(b"NOPE" + bytes(12)))


def test_a_payload_that_is_cut_off():
    data = write_payload(U55, ARCHITECTURE, (*EMPTY, *EMPTY))
    (part,) = open_program(compiled(data[:-4])).parts
    assert part.stream.problem is not None
    assert "the payload ends" in part.stream.problem.reason


@pytest.mark.parametrize("name", ["ethos-u55-128", "ethos-u65-256"])
@given(operations(cores=1), operations(cores=2))
def test_no_operation_is_for_more_cores_than_its_accelerator_has(name, one, two):
    words = assemble(stream(one, two), U65)
    (part,) = open_program(compiled(write_payload(U65, ARCHITECTURE, words))).parts
    assert part.stream.problem is None
    word = word_of(accelerator_named(name))
    (part,) = open_program(compiled(write_payload(word, ARCHITECTURE, words))).parts
    assert part.stream.commands == (one,)
    assert part.stream.problem is not None
    assert part.stream.problem.word == disassemble(words).positions[1]
    assert f"2 cores, and {name} has one" in part.stream.problem.reason


def test_an_operator_without_its_command_stream():
    network = compiled(write_payload(U55, ARCHITECTURE, EMPTY))
    tensors = list(network.main.tensors)
    tensors[1] = replace(tensors[1], data=None)
    broken = replace(network.main, tensors=tuple(tensors))
    with pytest.raises(InputError, match="is not in the file"):
        open_program(replace(network, subgraphs=(broken,)))
    (op,) = network.main.operators
    few = replace(network.main, operators=(replace(op, inputs=op.inputs[:2]),))
    with pytest.raises(InputError, match="has 2 inputs, where it needs 3"):
        open_program(replace(network, subgraphs=(few,)))


@given(st.lists(st.tuples(st.integers(0, 1 << 30), st.integers(1, 255)), min_size=1, max_size=4))
def test_a_damaged_file_is_read_or_refused(damage: list[tuple[int, int]]):
    data = bytearray(need(SHARED).read_bytes())
    for at, bits in damage:
        data[at % len(data)] ^= bits
    with suppress(CoreError):
        open_compiled(bytes(data), lambda found: resolve(found.name))


@given(st.lists(st.tuples(st.integers(0, 2033), st.integers(0, 31)), min_size=1, max_size=4))
def test_a_damaged_command_stream_is_read_as_far_as_it_goes(flips: list[tuple[int, int]]):
    network = reader.read(need(SHARED).read_bytes())
    words = bytearray(
        network.main.tensors[network.main.operators[0].inputs[0] or 0].data.array.tobytes()
    )
    for word, bit in flips:
        words[4 * (word + 8) + bit // 8] ^= 1 << bit % 8
    (part,) = open_program(compiled(bytes(words))).parts
    assert part.stream.problem is None or part.stream.problem.word <= 2034
