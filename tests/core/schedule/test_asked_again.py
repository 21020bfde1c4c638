"""A limit that is asked for again is not searched again, and has the same answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import networks
from core.edits.names import Names
from core.ir.edits import Edit, What
from core.ir.options import Options, Search
from core.ir.schedule import Schedule
from core.pipeline.scheduled import Workbench
from core.schedule import run as schedule
from core.schedule.island_search import IslandSearch
from core.target.resolve import resolve
from tests.networks.small_networks import five_operators

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
SHARED = ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
DEDICATED = ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
TARGET = resolve(*SHARED)
KIB = 1024
NETWORKS = ("kws_dscnn", "shuffle_with_cpu")


def workbench(name: str) -> Workbench:
    model = (EXAMPLES / f"{name}.tflite").read_bytes()
    return Workbench(networks.run(model, TARGET, Options()))


def answer(bench: Workbench, limit_kib: int, options: Options | None = None) -> Schedule:
    limited = TARGET.with_limit(limit_kib * KIB)
    return bench.schedule(limited, options or Options()).schedule


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The limits of all searches from here on."""
    limits: list[int] = []
    solve = IslandSearch.solve

    def counted(self: IslandSearch) -> object:
        limits.append(self.engine.limit_bytes)
        return solve(self)

    monkeypatch.setattr(IslandSearch, "solve", counted)
    return limits


@pytest.mark.parametrize("name", NETWORKS)
def test_a_limit_is_searched_once(name: str, searched: list[int]) -> None:
    bench = workbench(name)
    limits = (16, 24)
    found = [answer(bench, limit) for limit in limits]
    asked = len(searched)
    assert asked >= len(limits) * len(bench.run.graph.islands)
    assert [answer(bench, limit) for limit in limits] == found
    assert len(searched) == asked


@pytest.mark.parametrize("names", [SHARED, DEDICATED])
@given(st.lists(st.integers(KIB, 20 * KIB), min_size=2, max_size=6))
@settings(max_examples=8)
def test_what_was_asked_before_changes_no_answer(
    names: tuple[str, str, str], limits: list[int]
) -> None:
    """Also not what is said of it: records tell of the limit that was asked for."""
    target = resolve(*names)
    run = networks.run(five_operators(), target, Options())
    bench = Workbench(run)
    for limit in limits:
        limited, fresh = target.with_limit(limit), Workbench(run)
        expected = fresh.schedule(limited, Options()).schedule
        assert bench.schedule(limited, Options()).schedule == expected


def test_other_options_are_another_question(searched: list[int]) -> None:
    bench = workbench("kws_dscnn")
    before = answer(bench, 16)
    answer(bench, 16, Options(search=Search.COMPATIBLE))
    assert answer(bench, 16) == before
    assert len(searched) == 2


def test_with_an_edit_it_is_another_question(searched: list[int]) -> None:
    bench = workbench("kws_dscnn")
    before = answer(bench, 12)
    names = Names.of(bench.run.graph)
    striped = next(plan for plan in before.ops if plan.cascade is not None)
    rows = striped.stripe.ofm.h + 1
    edit = Edit(subject=names.ops[striped.op], what=What.STRIPE, value=rows)
    assert answer(bench, 12, Options(edits=(edit,))) != before
    asked = len(searched)
    assert answer(bench, 12) == before
    assert len(searched) == asked


def test_only_the_last_limits_are_kept(
    searched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "_MOST_SOLVED", 2)
    bench = workbench("kws_dscnn")
    first = answer(bench, 16)
    for limit in (20, 24):
        answer(bench, limit)
    assert answer(bench, 16) == first
    assert len(searched) == 4
