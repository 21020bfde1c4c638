"""Cuts of islands into parts: none that can be made within the limit are faster, and what was asked
before changes none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from core.base.frozen import replace
from core.base.progress import SILENT, Cancelled
from core.edits.freeze import freeze
from core.schedule.branches.groups import Part
from core.schedule.branches.lowest import smallest
from core.schedule.front.cuts import Cuts
from core.schedule.front.endings import FIRST_SCALES, SCALES
from core.schedule.front.ground import TOO_MUCH
from core.target.resolve import resolve
from tests.core.edits.frozen import bench_of
from tests.core.schedule.front.cases import FREE, LIMITS, TARGETS, cuts_of
from tests.networks.branching_networks import branching_network


def least_cycles(cuts: Cuts, limit_bytes: int, scales: Sequence[int]) -> float:
    """By looking at all parts, with nothing near that lives on."""
    flow, beside = cuts.ground.flow, cuts.beside(frozenset())
    best: list[tuple[float, float]] = [(0.0, TOO_MUCH)]
    for last in range(len(flow.nodes)):
        ways = [
            (best[first][before] + cycles, behind)
            for first, before, behind, size, cycles in _parts(cuts, last, scales)
            if size + cuts.crossing_bytes[first] * before + cuts.crossing_bytes[last + 1] * behind
            <= limit_bytes
        ]
        ways += [
            (best[last][before] + float(beside.alone[way, last, before, behind]), behind)
            for way, before, behind in product((0, 1), repeat=3)
            if beside.alone_bytes[way, last, before, behind] <= limit_bytes
        ]
        best.append(
            (
                min((cycles for cycles, side in ways if side == 0), default=TOO_MUCH),
                min((cycles for cycles, side in ways if side == 1), default=TOO_MUCH),
            )
        )
    return min(best[-1])


def _parts(
    cuts: Cuts, last: int, scales: Sequence[int]
) -> Iterator[tuple[int, int, int, float, float]]:
    first = cuts.ground.flow.earliest[last]
    rows = [SCALES.index(scale) for scale in scales]
    ending = cuts.ending(last, last - first + 1)
    for row in rows:
        ending.reel(row, last - first + 1)
    for row, begin, way in product(rows, range(first, last), (0, 1)):
        place = last - begin - 1
        if cuts.least[last][begin - first] == TOO_MUCH:
            continue
        size = float(ending.sizes[row, way, place])
        for before, behind in product((0, 1), repeat=2):
            yield begin, before, behind, size, float(ending.cycles[row, way, place, before, behind])


@pytest.mark.parametrize("seed", [1, 7, 9])
def test_there_are_some_within_what_the_smallest_take_and_none_within_less(seed: int) -> None:
    cuts = cuts_of(seed, "shared")
    smallest_bytes, _ = smallest(cuts.ground.player, cuts.least, SILENT)
    assert cuts.best(frozenset(), smallest_bytes, SILENT) is not None
    assert cuts.best(frozenset(), smallest_bytes - 1, SILENT) is None


@pytest.mark.parametrize(("seed", "target"), list(product((1, 9), TARGETS)))
def test_none_are_faster(seed: int, target: str) -> None:
    cuts = cuts_of(seed, target)
    found = 0
    for limit_bytes in (*LIMITS, 64 << 10):
        cut = cuts.best(frozenset(), limit_bytes, SILENT)
        fastest = least_cycles(cuts, limit_bytes, SCALES)
        most = least_cycles(cuts, limit_bytes, FIRST_SCALES)
        if cut is None:
            assert most == TOO_MUCH
            continue
        found += 1
        assert cut.cycles >= fastest * (1 - 1e-9)
        assert cut.cycles <= most * (1 + 1e-9)
        assert [piece.part for piece in cut.pieces] == _in_a_row(cut.pieces)
    assert found


def _in_a_row(pieces) -> list[Part]:
    """The parts as they must be: each begins where the one before it ends."""
    ends = [piece.part.last for piece in pieces]
    return [Part(before + 1, last) for before, last in zip([-1, *ends], ends, strict=False)]


@pytest.mark.long
@pytest.mark.parametrize(("seed", "target"), list(product((1, 9), TARGETS)))
def test_what_was_asked_before_changes_no_answer(seed: int, target: str) -> None:
    resolved, network = resolve(*TARGETS[target]), branching_network(seed)
    warm = bench_of(network, resolved, FREE)
    for limit_bytes in (4096, 700, 2048, 1000, 3000):
        of = resolved.with_limit(limit_bytes)
        fresh = bench_of(network, resolved, FREE)
        assert warm.schedule(of, FREE).schedule == fresh.schedule(of, FREE).schedule


@pytest.mark.parametrize("target", TARGETS)
def test_parts_of_another_question_are_taken_over_where_they_are_the_same(target: str) -> None:
    resolved, network = resolve(*TARGETS[target]), branching_network(1)
    of = resolved.with_limit(2048)
    warm = bench_of(network, resolved, FREE)
    free = warm.schedule(of, FREE)
    edits = freeze(free.graph, free.schedule, of)
    assert len(edits) > 10
    for edit in edits[::5]:
        asked = replace(FREE, edits=(edit,))
        fresh = bench_of(network, resolved, asked).schedule(of, asked)
        assert warm.schedule(of, asked).schedule == fresh.schedule


class Stopping:
    """Progress that is told to stop after some reports, and goes on saying so."""

    def __init__(self, reports: int) -> None:
        self._left = reports

    def advance(self, stage: str, done: int, total: int) -> None:
        del stage, done, total
        self._left -= 1
        if self._left < 0:
            raise Cancelled


@pytest.mark.parametrize("reports", [4, 12, 40])
def test_who_was_stopped_stops_nobody_else(reports: int) -> None:
    resolved, network = resolve(*TARGETS["dedicated"]), branching_network(1)
    warm = bench_of(network, resolved, FREE)
    with pytest.raises(Cancelled):
        warm.schedule(resolved.with_limit(2048), FREE, Stopping(reports))
    for limit_bytes in (2048, 900):
        of = resolved.with_limit(limit_bytes)
        fresh = bench_of(network, resolved, FREE).schedule(of, FREE)
        assert warm.schedule(of, FREE).schedule == fresh.schedule
