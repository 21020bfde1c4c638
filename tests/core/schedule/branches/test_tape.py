"""The tape, held against the rule by which stripes run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.ids import FmId
from core.liveness.stripes import Player, Rows, order_of, ring_rows
from core.schedule.branches.tape import Rows as MapRows
from core.schedule.branches.tape import Strip, Tape


@st.composite
def players(draw) -> tuple[Player, ...]:
    """Operators with windows, strides, joins of channels and of rows, and several readers."""
    height = draw(st.integers(2, 12))
    made: dict[FmId, list[tuple[int, int]]] = {FmId(0): [(0, height)]}
    heights, found = {FmId(0): height}, []
    for at in range(draw(st.integers(2, 7))):
        sources = draw(st.lists(st.sampled_from(sorted(heights)), min_size=1, max_size=2))
        stride, window = draw(st.integers(1, 2)), draw(st.integers(1, 3))
        rows = max(min(heights[fm] for fm in sources) // stride, 1)
        step = draw(st.integers(1, 3))
        stripes = [(first, min(first + step, rows)) for first in range(0, rows, step)]
        reads = tuple(
            (fm, tuple(_under(one, stride, window, heights[fm]) for one in stripes))
            for fm in sources
        )
        fm = FmId(at + 1)
        alike = [
            other
            for other, rows_of in heights.items()
            if other and rows_of == rows and other not in _read(found, sources)
        ]
        joined = draw(st.sampled_from(alike)) if alike and draw(st.booleans()) else fm
        heights.setdefault(joined, rows)
        made.setdefault(joined, []).append((0, rows))
        found.append(
            Player(joined, tuple(Rows(*one) for one in stripes), reads, draw(st.booleans()))
        )
    read = {fm for player in found for fm, _ in player.reads}
    kinds = {player.makes: player.is_rolling for player in reversed(found)}
    return tuple(
        replace(player, is_rolling=kinds[player.makes] and player.makes in read) for player in found
    )


def _read(found: list[Player], sources: list[FmId]) -> Iterator[FmId]:
    """A map has all its makers before anybody reads it."""
    yield from sources
    yield from (read for player in found for read, _ in player.reads)


def _under(made: tuple[int, int], stride: int, window: int, height: int) -> Rows:
    first = max(made[0] * stride - window // 2, 0)
    end = min((made[1] - 1) * stride - window // 2 + window, height)
    return Rows(min(first, height - 1), max(end, 1))


@given(players())
@settings(max_examples=300)
def test_the_tape_is_the_rule(given: tuple[Player, ...]) -> None:
    tape, owners = Tape(), []
    for at in range(len(given) - 1, -1, -1):
        before = tape.count
        tape.add(Strip.of(given[at]), is_rolling=given[at].is_rolling)
        owners += [(at, stripe) for stripe in range(tape.count - before)]
    found = [owners[place] for place in np.argsort(tape.positions)]
    assert found == list(order_of(given))
    for fm, rows in ring_rows(given).items():
        assert tape.rows_of(fm) == rows


@given(players())
@settings(max_examples=100)
def test_leads_that_were_asked_for_before_are_those_of_a_tape_that_is_new(
    given: tuple[Player, ...],
) -> None:
    read = sorted({fm for player in given for fm, _ in player.reads})
    made = sorted({player.makes for player in given if not player.is_rolling})
    tall = MapRows(height=12, row_bytes=16)
    asked = Tape()
    for at in range(len(given) - 1, -1, -1):
        asked.add(Strip.of(given[at]), is_rolling=given[at].is_rolling)
        fresh = Tape()
        for player in reversed(given[at:]):
            fresh.add(Strip.of(player), is_rolling=player.is_rolling)
        for old, new in product(read, made):
            pair = (old, tall), (new, tall)
            assert asked.lead_bytes(*pair) == fresh.lead_bytes(*pair)
