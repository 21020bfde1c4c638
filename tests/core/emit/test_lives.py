"""Live ranges of small streams, and the ledger against a plain array of bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.emit.lives import BEFORE, Ledger, lives
from core.ir.program import DmaPlace, DmaTransfer
from tests.core.emit.streams import flat, pool, rows, stream

SHAPE = Shape4(1, 4, 4, 8)
SIZE = SHAPE.elements


def short(found):
    return [(life.address, life.size_bytes, life.first, life.last) for life in lives(found)]


def test_maps_live_from_their_writer_to_their_last_reader():
    a, b, c = (flat(SHAPE, address) for address in (0, 256, 512))
    found = stream(pool(a, b), pool(b, c), pool(b, c))
    # What is written twice and never read between is two live ranges.
    late = [(512, SIZE, 1, 4), (512, SIZE, 2, 4)]
    assert short(found) == [(0, SIZE, BEFORE, 0), (256, SIZE, 0, 2), *late]


def test_what_is_never_read_lives_to_the_end():
    found = lives(stream(pool(flat(SHAPE, 0), flat(SHAPE, 256))))
    assert [(life.reads, life.last) for life in found] == [(1, 0), (0, 2)]
    assert [life.is_from_outside for life in found] == [True, False]


def test_bytes_that_are_used_again_are_another_live_range():
    a, b = flat(SHAPE, 0), flat(SHAPE, 256)
    found = stream(pool(a, b), pool(b, a), pool(a, b), pool(b, a))
    assert short(found) == [
        (0, SIZE, BEFORE, 0),
        (256, SIZE, 0, 1),
        (0, SIZE, 1, 2),
        (256, SIZE, 2, 3),
        (0, SIZE, 3, 5),
    ]


def test_stripes_that_are_read_together_are_one_map():
    a, b, c = (flat(SHAPE, address) for address in (0, 256, 512))
    halves = [pool(rows(a, first, 2), rows(b, first, 2)) for first in (0, 2)]
    found = lives(stream(*halves, pool(b, c)))
    (middle,) = [life for life in found if life.address == 256]
    assert (middle.size_bytes, middle.first, middle.last) == (SIZE, 0, 2)
    assert (middle.writes, middle.reads) == (2, 1)


def test_channels_that_are_written_apart_are_one_map():
    whole, other = flat(SHAPE.with_depth(16), 256), flat(SHAPE.with_depth(16), 1024)
    parts = [replace(flat(SHAPE, address), strides=whole.strides) for address in (256, 264)]
    source = flat(SHAPE, 0)
    found = lives(stream(*(pool(source, part) for part in parts), pool(whole, other)))
    (middle,) = [life for life in found if life.address == 256]
    assert (middle.size_bytes, middle.writes, middle.last) == (2 * SIZE, 2, 2)


def test_regions_that_are_only_read_are_left_out():
    load = DmaTransfer(source=DmaPlace(0, 0), destination=DmaPlace(1, 0), size_bytes=64)
    assert {life.region for life in lives(stream(load))} == {1}


def test_united_ranges_have_one_owner_and_others_keep_theirs():
    ledger = Ledger()
    for owner, first in enumerate(range(0, 50, 10)):
        ledger.take(first, first + 10, owner)
    ledger.unite(12, 38, 1)
    assert ledger.owners(0, 50) == [0, 1, 4]
    assert ledger.owners(10, 40) == [1]
    assert ledger.gaps(0, 60) == [(50, 60)]


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=25),
    st.integers(0, 60),
    st.integers(1, 30),
)
def test_the_ledger_knows_the_last_owner_of_each_byte(
    taken: list[tuple[int, int]], start: int, size: int
):
    ledger, plain = Ledger(), [-1] * 100
    for owner, (first, length) in enumerate(taken):
        ledger.take(first, first + length, owner)
        plain[first : first + length] = [owner] * length
    window = plain[start : start + size]
    assert set(ledger.owners(start, start + size)) == set(window) - {-1}
    gaps = {at for low, high in ledger.gaps(start, start + size) for at in range(low, high)}
    assert gaps == {start + at for at, owner in enumerate(window) if owner == -1}
