"""What holds of edits of any network: nothing is proved that is not so, and what is refused is as
if nobody had asked for it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.frozen import replace
from core.ir.edits import Edit, EditFate
from core.ir.options import Engine, Options, Search
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from tests.core.edits.frozen import what_runs
from tests.core.edits.random_edits import random_cascades, random_edits, some_of
from tests.core.schedule.random_cases import KIB, Case, bench, target_of

TARGETS = (
    ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
    ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    ("ethos-u55-32", "Ethos_U55_Deep_Embedded", "Shared_Sram"),
)
ASKED = ("some of a schedule", "cascades", "anything", "both")


@st.composite
def small_cases(draw: st.DrawFn) -> Case:
    options = Options(
        search=draw(st.sampled_from((Search.DIRECT, Search.COMPATIBLE))),
        engine=draw(st.sampled_from((Engine.CASCADING, Engine.CASCADING, Engine.PARETO))),
    )
    return Case(
        seed=draw(st.integers(0, 1 << 14)),
        steps=draw(st.integers(2, 10)),
        target=draw(st.sampled_from(TARGETS)),
        limit_bytes=draw(st.sampled_from((4, 8, 16, 32, 64))) * KIB,
        options=options,
    )


def edits_of(table: Workbench, case: Case, kind: str, seed: int) -> tuple[Edit, ...]:
    """What somebody may ask for, possible or not."""
    target = target_of(case)
    graph = table.run.graph
    if kind == "cascades":
        return random_cascades(graph, seed)
    if kind == "anything":
        return random_edits(graph, seed, 8)
    # What has room with more memory may have none here.
    wide = target.with_limit(2 * case.limit_bytes) if seed % 2 else target
    found = some_of(table.schedule(wide, case.options), seed, 0.5)
    return found if kind != "both" else (*found, *random_edits(graph, seed, 4))


def asked(table: Workbench, case: Case, edits: tuple[Edit, ...]) -> Scheduled:
    return table.schedule(target_of(case), replace(case.options, edits=edits))


def with_fate(done: Scheduled, *fates: EditFate) -> tuple[Edit, ...]:
    return tuple(each.edit for each in done.edits if each.fate in fates)


def is_never_proved_impossible(case: Case, kind: str, seed: int) -> None:
    table = bench(case)
    every = asked(table, case, edits_of(table, case, kind, seed))
    honoured = with_fate(every, EditFate.HONOURED)
    draws = random.Random(seed)
    for share in (0.1, 0.3, 0.6):
        fewer = tuple(edit for edit in honoured if draws.random() < share)
        for outcome in asked(table, case, fewer).edits:
            assert not any(reason.is_proved for reason in outcome.reasons), outcome


def changes_nothing(case: Case, kind: str, seed: int) -> None:
    table = bench(case)
    every = asked(table, case, edits_of(table, case, kind, seed))
    kept = with_fate(every, EditFate.HONOURED, EditFate.CHANGED)
    for tried in (table, bench(case)):
        rest = asked(tried, case, kept)
        assert what_runs(rest) == what_runs(every)
        assert rest.layout.areas == every.layout.areas
        assert {each.fate for each in rest.edits} <= {EditFate.HONOURED, EditFate.CHANGED}


def told(done: Scheduled) -> set[object]:
    """What became of each edit, whatever their order: others by themselves, not by their places."""
    return {
        (
            outcome.edit,
            outcome.fate,
            outcome.applied,
            frozenset(
                (replace(each, edits=()), frozenset(done.edits[at].edit for at in each.edits))
                for each in outcome.reasons
            ),
        )
        for outcome in done.edits
    }


def is_in_any_order(case: Case, kind: str, seed: int) -> None:
    table = bench(case)
    edits = edits_of(table, case, kind, seed)
    every = asked(table, case, edits)
    turned = tuple(random.Random(seed).sample(edits, len(edits)))
    for other in (asked(table, case, edits[::-1]), asked(bench(case), case, turned)):
        assert what_runs(other) == what_runs(every)
        assert told(other) == told(every)


LAWS = (is_never_proved_impossible, changes_nothing, is_in_any_order)


@pytest.mark.parametrize("law", LAWS)
@settings(max_examples=12, derandomize=True)
@given(small_cases(), st.sampled_from(ASKED), st.integers(0, 1 << 16))
def test_laws_of_edits(law, case: Case, kind: str, seed: int):
    law(case, kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@settings(max_examples=300, derandomize=True)
@given(small_cases(), st.sampled_from(ASKED), st.integers(0, 1 << 16))
def test_laws_of_many_more_edits(law, case: Case, kind: str, seed: int):
    law(case, kind, seed)
