"""The arena lives through one inference: parts find there what others have left."""

from itertools import pairwise

import numpy as np

from core.base.dtype import DType
from core.ir.program import Job
from core.simulate.binding import Arena
from core.simulate.faults import FaultKind
from core.simulate.run import Simulator
from core.target.registry import accelerator_named
from core.weights.decode import decode_stream
from tests.core.simulate.streams import INPUT, OUTPUT, map_at, operation, part

SHAPE = (1, 1, 16)
GIVEN = np.arange(16, dtype=np.uint8)
LEFT, RESULT = 256, 512


def copies(*addresses):
    """A part that copies a map from each address to the next; all but the last are scratch."""
    maps = [map_at(address, SHAPE, DType.UINT8) for address in addresses]
    commands = [operation(Job.MAX_POOL, *pair) for pair in pairwise(maps)]
    return part(commands, b"", len(GIVEN), maps[-1])


def run(program, arena):
    simulator = Simulator.of(accelerator_named("ethos-u55-256"), decode_stream)
    return simulator.run(program, {INPUT: GIVEN}, arena=arena)


def test_a_part_reads_what_the_one_before_has_left_in_scratch():
    first, second = copies(0, LEFT, RESULT), copies(LEFT, RESULT)
    arena = Arena.of([first, second])
    assert run(first, arena).faults == ()
    found = run(second, arena)
    assert found.faults == ()
    assert np.array_equal(found.outputs[OUTPUT].ravel(), GIVEN)


def test_what_nobody_has_written_is_found_in_any_part():
    first, second = copies(0, RESULT), copies(LEFT, RESULT)
    arena = Arena.of([first, second])
    assert run(first, arena).faults == ()
    assert [fault.kind for fault in run(second, arena).faults] == [FaultKind.NEVER_WRITTEN]


def test_nothing_is_left_for_the_next_inference():
    first, second = copies(0, LEFT, RESULT), copies(LEFT, RESULT)
    run(first, Arena.of([first, second]))
    found = run(second, Arena.of([first, second]))
    assert [fault.kind for fault in found.faults] == [FaultKind.NEVER_WRITTEN]


def test_what_a_processor_makes_lies_where_the_plan_has_it():
    program, made = copies(LEFT, RESULT), OUTPUT + 1
    arena = Arena.of([program], (-1, 0, -1, 0, RESULT, LEFT))
    arena.keep({made: GIVEN})
    found = run(program, arena)
    assert found.faults == ()
    assert np.array_equal(found.outputs[OUTPUT].ravel(), GIVEN)


def test_a_tensor_is_cut_where_no_part_reaches():
    program = copies(0, RESULT)
    arena = Arena.of([program], (-1, 0, -1, LEFT))
    arena.keep({INPUT: np.ones(1 << 20, np.uint8)})
    assert not arena.memory.written[:LEFT].any()
    assert arena.memory.data[LEFT:].all()
