"""Where constants are read from."""

from __future__ import annotations

import numpy as np

from core.ir.constdata import ConstData
from core.ir.decisions import ConstantPlaced
from core.ir.npugraph import Activation, ActivationKind
from core.schedule.constants import place_constants
from tests.core.schedule.sketch import DEDICATED, Sketch, scheduled

PICTURE = (1, 8, 8, 16)
TABLE = Activation(kind=ActivationKind.LUT, table=ConstData.of(np.arange(-128, 128, dtype=np.int8)))


def placed(s: Sketch, *outputs: int) -> list[tuple[int, int | None, bool]]:
    found = place_constants(s.build(*outputs))
    assert all(each.reason for each in found)
    return [(each.op, each.fm, each.is_moved) for each in found]


def test_a_table_is_moved_to_the_shared_buffer():
    s = Sketch()
    assert placed(s, s.conv(s.input(PICTURE), activation=TABLE)) == [(0, None, True)]


def test_other_activations_have_no_table():
    s = Sketch()
    for kind in (ActivationKind.CLAMP, ActivationKind.TANH, ActivationKind.SIGMOID):
        last = s.conv(s.input(PICTURE), activation=Activation(kind=kind))
    assert placed(s, last) == []


def test_a_constant_map_is_read_where_it_is_stored_by_each_of_its_readers():
    s = Sketch()
    row = s.constant((1, 1, 1, 16))
    last = s.add(s.add(s.input(PICTURE), row), row)
    assert placed(s, last) == [(0, row, False), (1, row, False)]


def test_a_scalar_is_part_of_the_command():
    s = Sketch()
    scalar = s.constant(())
    found = place_constants(s.build(s.add(s.input(PICTURE), scalar)))
    assert found == (
        ConstantPlaced(op=0, fm=scalar, is_moved=False, reason="a scalar is part of the command"),
    )


def test_a_constant_first_input_counts_too():
    s = Sketch()
    row = s.constant(PICTURE)
    assert placed(s, s.add(row, s.input(PICTURE))) == [(0, row, False)]


def test_the_log_of_a_schedule_has_them():
    s = Sketch()
    row = s.constant((1, 1, 1, 16))
    graph = s.build(s.conv(s.add(s.input(PICTURE), row), activation=TABLE))
    log = scheduled(graph, DEDICATED, 1 << 16).decisions
    found = [each for each in log if isinstance(each, ConstantPlaced)]
    assert tuple(found) == place_constants(graph)
    assert len(found) == 2
