"""Whatever is asked for of whatever network: each edit has a fate, and what is honoured is so."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.frozen import replace
from core.ir.edits import Edit, EditFate, EditReason, Ground
from core.ir.options import Engine, Options, Search
from core.ir.scheduled import Scheduled
from core.pipeline import roomless
from core.report.edits import reason_text
from tests.core.edits.frozen import what_runs
from tests.core.edits.random_edits import random_edits, some_of
from tests.core.schedule.random_cases import CASES, Case, bench, findings, target_of

SEEDS = st.integers(0, 1 << 20)
FATES = {EditFate.HONOURED, EditFate.REFUSED, EditFate.CHANGED}


def told(done: Scheduled) -> set[object]:
    """What is said of each edit in words, whatever their order: others by themselves, and not by
    their places."""

    def words(reason: EditReason) -> tuple[str, frozenset[Edit]]:
        against = frozenset(done.edits[place].edit for place in reason.edits)
        return reason_text(replace(reason, edits=())), against

    return {
        (each.edit, each.fate, each.applied, tuple(map(words, each.reasons))) for each in done.edits
    }


def peak(done: Scheduled) -> int:
    return max((island.peak_bytes for island in done.schedule.islands), default=0)


@pytest.mark.long
@pytest.mark.parametrize("seed", [4, 12, 16, 24])
def test_what_was_found_for_more_memory_is_refused_where_it_has_no_room(seed: int):
    """The limit rules; each edit that is left out says how much there is, and what it needs."""
    case = Case(
        seed=seed,
        steps=20,
        target=("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
        limit_bytes=256 << 10,
        options=Options(),
    )
    table, target = bench(case), target_of(case)
    found = table.schedule(target, case.options)
    edits = some_of(found, seed, 1.1)
    limit = peak(found) // 2
    less = target.with_limit(limit)
    done = table.schedule(less, replace(case.options, edits=edits))
    assert max(peak(table.schedule(less, case.options)), peak(done)) <= limit
    lost = [each for each in done.edits if each.fate is EditFate.REFUSED]
    grounds = {reason.ground for each in lost for reason in each.reasons}
    assert Ground.NO_ROOM in grounds
    for reason in (reason for each in lost for reason in each.reasons):
        if reason.ground is Ground.NO_ROOM:
            assert reason.is_proved is (reason.needed_bytes is not None)
            most = reason.needed_bytes if reason.is_proved else reason.tried_bytes
            assert most > reason.available_bytes == limit


@pytest.mark.long
@pytest.mark.parametrize("most", range(2, 8))
def test_what_has_no_room_does_not_depend_on_what_was_asked_before(monkeypatch, most: int):
    """Searches that are left when what is free has been searched once are as many the second time,
    which decides in which groups edits are left out."""
    case = Case(
        seed=9,
        steps=6,
        target=("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
        limit_bytes=32 << 10,
        options=Options(),
    )
    table, target = bench(case), target_of(case)
    found = table.schedule(target, case.options)
    edits = (*some_of(found, 1, 0.5), *random_edits(found.graph, 1, 4))
    monkeypatch.setattr(roomless, "_MOST_SEARCHES", dict.fromkeys(Engine, most))
    less, fresh = target.with_limit(peak(found)), bench(case)
    asked = replace(case.options, edits=edits)
    first, second = fresh.schedule(less, asked), fresh.schedule(less, asked)
    assert any(each.fate is EditFate.REFUSED for each in first.edits)
    assert told(first) == told(second)


@pytest.mark.long
@pytest.mark.parametrize("engine", Engine)
def test_an_operator_of_a_single_row_is_in_a_cascade_across_branches(engine: Engine):
    """It lies between two that are asked for in one cascade, and has no lower stripe than all."""
    case = Case(
        seed=6913,
        steps=18,
        target=("ethos-u55-32", "Ethos_U55_Deep_Embedded", "Shared_Sram"),
        limit_bytes=128 << 10,
        options=Options(),
    )
    are_dealt_with(case, 169, Search.DIRECT, engine)


def are_dealt_with(case: Case, seed: int, search: Search, engine: Engine) -> None:
    case = case._replace(options=replace(case.options, search=search, engine=engine))
    table, target = bench(case), target_of(case)
    first = table.schedule(target, case.options)
    edits = some_of(first, seed, 0.3) if seed % 3 == 0 else random_edits(first.graph, seed, 8)
    # The judge of edits holds each result before it is handed out.
    done = table.schedule(target, replace(case.options, edits=edits))
    assert findings(done) == ()
    assert {each.fate for each in done.edits} <= FATES
    if peak(first) <= target.fast_limit_bytes:
        assert peak(done) <= target.fast_limit_bytes
    # Another order of them changes no word, and nothing else.
    for turned in (edits[::-1], tuple(random.Random(seed).sample(edits, len(edits)))):
        other = table.schedule(target, replace(case.options, edits=turned))
        assert told(other) == told(done)
        assert what_runs(other) == what_runs(done)
    again = table.schedule(target, case.options)
    assert what_runs(again) == what_runs(first)


@pytest.mark.long
@settings(max_examples=12)
@given(CASES, SEEDS, st.sampled_from((Search.DIRECT, Search.COMPATIBLE)), st.sampled_from(Engine))
def test_random_edits_are_dealt_with(case: Case, seed: int, search: Search, engine: Engine):
    are_dealt_with(case, seed, search, engine)


@pytest.mark.slow
@settings(max_examples=1000)
@given(CASES, SEEDS, st.sampled_from(Search), st.sampled_from(Engine))
def test_many_random_edits_are_dealt_with(case: Case, seed: int, search: Search, engine: Engine):
    are_dealt_with(case, seed, search, engine)
