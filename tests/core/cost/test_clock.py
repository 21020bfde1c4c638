"""When commands run, and that no memory gives more bytes than it has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost.clock import Told, Turn, clock
from core.target.family import Concurrency
from core.target.target import Area

FLASH, SRAM = Area.OFF_CHIP_FLASH, Area.SRAM
MANY = Concurrency(transfers=8, kernels=8, blocks=8)


def operation(cycles: float, **busy: float) -> Told:
    return Told(
        Turn.OPERATION, cycles, busy=tuple((Area[name], part) for name, part in busy.items())
    )


def transfer(cycles: float, source: Area = FLASH, latency: float = 0.0) -> Told:
    return Told(Turn.TRANSFER, cycles, source=source, latency=latency)


def test_a_transfer_waits_while_an_operation_takes_all_that_its_memory_has():
    ticks = clock(MANY, [operation(100, OFF_CHIP_FLASH=100), transfer(30)])
    assert ticks.end == (100, 130)


def test_a_transfer_has_half_its_pace_while_an_operation_takes_half_of_its_memory():
    ticks = clock(MANY, [operation(100, OFF_CHIP_FLASH=50), transfer(30)])
    assert ticks.end == (100, 60)


def test_what_an_operation_leaves_is_used_and_the_rest_comes_after_it():
    ticks = clock(MANY, [operation(100, OFF_CHIP_FLASH=75), transfer(30)])
    assert ticks.end == (100, 105)


@pytest.mark.parametrize(("latency", "end"), [(0, 250), (60, 190), (100, 150), (120, 150)])
def test_while_it_waits_for_its_first_bytes_a_transfer_leaves_the_memory_to_others(latency, end):
    ticks = clock(MANY, [operation(100, OFF_CHIP_FLASH=100), transfer(150, latency=latency)])
    assert ticks.end == (100, end)


def test_a_transfer_from_another_memory_is_left_alone():
    ticks = clock(MANY, [operation(100, SRAM=100), transfer(30)])
    assert ticks.end == (100, 30)


def test_operations_that_begin_later_slow_down_a_transfer_that_is_under_way():
    before, reader = operation(20), operation(100, OFF_CHIP_FLASH=100)
    ticks = clock(MANY, [transfer(30), before, reader])
    assert ticks.end[0] == 20 + 100 + 10


def test_transfers_come_one_after_the_other():
    ticks = clock(MANY, [transfer(30), transfer(40)])
    assert ticks.start == (0, 30)
    assert ticks.end == (30, 70)


def test_nothing_beside_a_transfer_delays_operations_until_they_wait_for_it():
    told = [transfer(30), operation(10), Told(Turn.AWAIT_TRANSFERS), operation(10)]
    ticks = clock(MANY, told)
    assert ticks.start == (0, 0, 30, 30)


def test_a_full_engine_makes_the_next_command_wait():
    ticks = clock(Concurrency(transfers=1, kernels=1, blocks=1), [operation(10), transfer(5)] * 2)
    assert ticks.start == (0, 0, 10, 10)


def test_a_copy_keeps_both_engines_busy():
    ticks = clock(MANY, [operation(10), transfer(5), Told(Turn.COPY, 7.0), operation(1)])
    assert ticks.start == (0, 0, 10, 17)


areas = st.sampled_from([FLASH, SRAM])
commands = st.lists(
    st.one_of(
        st.builds(
            lambda cycles, area, share: operation(cycles, **{area.name: cycles * share / 4}),
            st.integers(0, 50),
            areas,
            st.integers(0, 4),
        ),
        st.builds(transfer, st.integers(1, 50), areas),
        st.builds(
            lambda turn, left: Told(turn, outstanding=left),
            st.sampled_from([Turn.AWAIT_OPERATIONS, Turn.AWAIT_TRANSFERS]),
            st.integers(0, 2),
        ),
    ),
    max_size=30,
)
engines = st.builds(
    Concurrency, transfers=st.integers(1, 3), kernels=st.integers(1, 3), blocks=st.just(1)
)


@given(engines, commands)
def test_no_transfer_ends_before_its_bytes_can_be_there(concurrency: Concurrency, told: list[Told]):
    ticks = clock(concurrency, told)
    for each, start, end in zip(told, ticks.start, ticks.end, strict=True):
        assert end - start >= each.cycles or end - start == pytest.approx(each.cycles)
        assert end <= ticks.end_of_all


@given(engines, commands)
def test_a_memory_serves_no_more_than_a_cycle_in_a_cycle(
    concurrency: Concurrency, told: list[Told]
):
    """Up to any time, transfers that have ended and what operations have read fit into it."""
    ticks = clock(concurrency, told)
    runs = list(zip(told, ticks.start, ticks.end, strict=True))
    for area in (FLASH, SRAM):
        for until in {end for _, _, end in runs}:
            served = sum(
                each.cycles
                for each, _, end in runs
                if each.turn is Turn.TRANSFER and each.source is area and end <= until
            )
            served += sum(
                busy * (min(end, until) - start) / (end - start)
                for each, start, end in runs
                for read, busy in each.busy
                if read is area and busy and start < until
            )
            assert served <= until or served == pytest.approx(until)


@given(engines, commands)
def test_a_transfer_takes_just_what_operations_leave(concurrency: Concurrency, told: list[Told]):
    ticks = clock(concurrency, told)
    runs = list(zip(told, ticks.start, ticks.end, strict=True))
    for each, start, end in runs:
        if each.turn is not Turn.TRANSFER:
            continue
        taken = sum(
            busy / (ends - begins) * max(min(ends, end) - max(begins, start), 0)
            for other, begins, ends in runs
            for read, busy in other.busy
            if read is each.source and busy
        )
        assert end - start - taken == pytest.approx(each.cycles)
