"""What the search for cascades across branches remembers, and what it does not do again."""

from __future__ import annotations

import pytest

from core.api import networks, schedules, targets
from core.ir.options import Options, Strategy
from core.schedule.branches.tape import Tape
from core.tflite import writer
from tests.networks.branching_networks import branching_network

TARGET = ("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")


@pytest.fixture
def stripes_played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with each operator of each part that is played."""
    played: list[int] = []
    add = Tape.add

    def counted(tape, strip, *, is_rolling):
        played.append(len(strip.first))
        add(tape, strip, is_rolling=is_rolling)

    monkeypatch.setattr(Tape, "add", counted)
    return played


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 5, 9])
def test_what_was_played_for_one_limit_is_not_played_for_another_and_changes_no_answer(
    seed: int, stripes_played: list[int]
) -> None:
    target, options = targets.resolve_target(*TARGET), Options(strategy=Strategy.SIZE)
    bench = schedules.Workbench(
        networks.run(writer.write(branching_network(seed)), target, options)
    )
    peak = max(each.peak_bytes for each in bench.schedule(target, options).schedule.islands)
    bench.schedule(target.with_limit(peak), Options())
    first, limits = len(stripes_played), (peak, peak - 1, 0)
    assert first
    found = [bench.schedule(target.with_limit(limit), Options()).schedule for limit in limits]
    again = len(stripes_played)
    for limit, schedule in zip(limits, found, strict=True):
        fresh = schedules.Workbench(bench.run)
        assert fresh.schedule(target.with_limit(limit), Options()).schedule == schedule
    anew = len(stripes_played) - again
    assert again - first < anew // 6
    again = len(stripes_played)
    bench.schedule(target.with_limit(peak), Options())
    assert len(stripes_played) == again
