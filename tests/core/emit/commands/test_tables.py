"""Tables in the shared buffer: brought once, never on top of one that is still counted on."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.base.ids import NpuOpId
from core.emit.commands.addresses import Address, Addresses
from core.emit.commands.tables import TableStore
from core.ir.constdata import ConstData
from core.target.registry import ACCELERATORS

ROOMY, TIGHT = ACCELERATORS["ethos-u55-256"], ACCELERATORS["ethos-u55-64"]
SIZES = (256, 1024, 2048)


def table(number: int, size_bytes: int = 256) -> ConstData:
    return ConstData.of(np.full(size_bytes, number, np.uint8))


def store(accelerator=ROOMY) -> TableStore:
    places = {NpuOpId(n): Address(0, 4096 * n) for n in range(64)}
    return TableStore(accelerator, Addresses(maps={}, weights={}, buffers={}, tables=places))


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from(SIZES)), min_size=1, max_size=40))
def test_a_table_is_where_it_is_said_to_be(uses: list[tuple[int, int]]):
    tables, area = store(), bytearray(2048)
    start = ROOMY.shared_buffer.size_bytes - 2048
    for number, size in uses:
        wanted = table(number + size % 251, size)
        content = wanted.array.tobytes()
        for item in tables.bring(NpuOpId(number), wanted):
            at = item.destination.address - start
            assert item.size_bytes == size
            assert item.destination.is_internal
            area[at : at + size] = content
        at = tables.slot_of(wanted) * 256
        assert area[at : at + size] == content


def test_eight_small_tables_stay_and_the_one_used_longest_ago_goes():
    tables = store()
    for number in range(8):
        assert list(tables.bring(NpuOpId(number), table(number)))
    assert not list(tables.bring(NpuOpId(0), table(0)))
    assert list(tables.bring(NpuOpId(8), table(8)))
    assert tables.slot_of(table(1)) is None
    assert tables.slot_of(table(0)) is not None


def test_operations_without_a_table_overwrite_those_that_have_no_banks_to_themselves():
    for accelerator, stays in ((ROOMY, True), (TIGHT, False)):
        tables = store(accelerator)
        list(tables.bring(NpuOpId(0), table(0)))
        tables.forget_without_table()
        assert (tables.slot_of(table(0)) is not None) is stays
