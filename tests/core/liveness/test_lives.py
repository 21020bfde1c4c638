"""Lives: from the first use of bytes to the time after the last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from core.liveness.lives import Buffers, Life, Lives, Visit, usage

EVERYTHING: Callable[[int], bool] = lambda fm: True  # noqa: ARG005, E731 - all maps are held


def size_of(fm: int) -> int:
    return 100 + fm


def visit(
    op: int,
    reads: Sequence[int],
    makes: int,
    *,
    cascade: int | None = None,
    over: Sequence[int] = (),
    buffers: Buffers | None = None,
) -> Visit:
    return Visit(op, cascade, (*reads, makes), makes, tuple(over), buffers)


def lives_of(*visits: Visit, holds: Callable[[int], bool] = EVERYTHING) -> Lives:
    lives = Lives(size_of=size_of, holds=holds)
    lives.run(visits)
    return lives


def spans(lives: Lives) -> dict[tuple[int, ...], tuple[int, int]]:
    """First and last time, by the maps of a life."""
    return {life.fms: (life.start_time, life.end_time) for life in lives.closed() if life.fms}


def buffer_spans(lives: Lives) -> list[tuple[int, int]]:
    return [(life.start_time, life.end_time) for life in lives.closed() if life.op is not None]


class TestTime:
    def test_goes_on_by_two_for_each_operator_and_stands_behind_the_last(self):
        lives = Lives(size_of=size_of, holds=EVERYTHING)
        assert lives.run([visit(0, [0], 1), visit(1, [1], 2), visit(2, [2], 3)]) == [0, 2, 4]
        assert lives.time == 6
        assert lives.run([visit(3, [3], 4)]) == [6]

    def test_stands_still_without_operators(self):
        lives = Lives(size_of=size_of, holds=EVERYTHING)
        assert lives.run([]) == []
        assert lives.time == 0

    def test_is_one_for_all_operators_of_a_cascade(self):
        lives = Lives(size_of=size_of, holds=EVERYTHING)
        visits = [
            visit(0, [0], 1),
            visit(1, [1], 2, cascade=0),
            visit(2, [2], 3, cascade=0),
            visit(3, [3], 4, cascade=1),
            visit(4, [4], 5, cascade=1),
            visit(5, [5], 6),
            visit(6, [6], 7),
        ]
        assert lives.run(visits) == [0, 2, 2, 4, 4, 6, 8]


class TestAMapLives:
    def test_from_its_first_use_to_the_time_after_its_last(self):
        lives = lives_of(visit(0, [0], 1), visit(1, [1], 2), visit(2, [0], 3))
        assert spans(lives) == {(0,): (0, 5), (1,): (0, 3), (2,): (2, 3), (3,): (4, 5)}

    @given(st.lists(st.integers(0, 40), min_size=1))
    def test_from_the_least_to_the_greatest_time_at_which_it_is_touched(self, times):
        lives = Lives(size_of=size_of, holds=EVERYTHING)
        for time in times:
            lives.touch(7, time)
        assert lives.closed() == (Life(107, min(times), max(times) + 1, (7,)),)

    def test_always_where_it_is_kept_always(self):
        lives = Lives(size_of=size_of, holds=EVERYTHING)
        lives.touch(1, 4)
        lives.keep_always(1, 9)
        lives.keep_always(2, 9)
        assert spans(lives) == {(1,): (0, 9), (2,): (0, 9)}

    def test_nowhere_where_it_is_not_held(self):
        lives = lives_of(visit(0, [0], 1), visit(1, [1], 2), holds=lambda fm: fm == 1)
        lives.keep_always(0, 9)
        assert lives.closed() == (Life(101, 0, 3, (1,)),)

    def test_with_the_others_in_the_order_in_which_they_were_first_used(self):
        lives = lives_of(visit(0, [5, 3], 4), visit(1, [4], 1), visit(2, [3], 0))
        assert [life.fms for life in lives.closed()] == [(5,), (3,), (4,), (1,), (0,)]


class TestAnOutputThatReplacesAnInput:
    def test_has_the_life_of_both(self):
        lives = lives_of(visit(0, [0], 1), visit(1, [1], 2, over=[1]), visit(2, [2], 3))
        assert spans(lives)[1, 2] == (0, 5)
        fused = next(life for life in lives.closed() if life.fms == (1, 2))
        assert fused.size_bytes == size_of(1)

    def test_can_be_replaced_itself(self):
        lives = lives_of(visit(0, [0], 1, over=[0]), visit(1, [1], 2, over=[1]))
        assert spans(lives) == {(0, 1, 2): (0, 3)}

    def test_takes_the_first_that_is_held(self):
        lives = lives_of(visit(0, [0, 1], 2, over=[0, 1]))
        assert (0, 2) in spans(lives)
        lives = lives_of(visit(0, [0, 1], 2, over=[0, 1]), holds=lambda fm: fm != 0)
        assert spans(lives) == {(1, 2): (0, 1)}

    def test_does_not_where_it_is_held_and_the_input_is_not(self):
        lives = lives_of(visit(0, [0], 1, over=[0]), holds=lambda fm: fm == 1)
        assert spans(lives) == {(1,): (0, 1)}

    def test_does_not_where_the_input_is_held_and_it_is_not(self):
        lives = lives_of(visit(0, [0], 1, over=[0]), holds=lambda fm: fm == 0)
        assert spans(lives) == {(0,): (0, 1)}

    def test_does_not_inside_a_cascade(self):
        """Rows of the input are needed again by the next stripe."""
        lives = lives_of(
            visit(0, [0], 1, cascade=0, over=[0]), visit(1, [1], 2, cascade=0, over=[1])
        )
        assert spans(lives) == {(0,): (0, 1), (1,): (0, 1), (2,): (0, 1)}

    def test_does_not_where_it_was_there_before(self):
        lives = lives_of(visit(0, [0], 2), visit(1, [1], 2, over=[1]))
        assert (2,) in spans(lives)
        assert (1,) in spans(lives)


class TestAWeightBuffer:
    def test_is_there_while_its_operator_runs_and_until_the_next(self):
        lives = lives_of(visit(0, [0], 1), visit(1, [1], 2, buffers=Buffers((64,), 1, 0)))
        assert lives.closed()[-1] == Life(64, 2, 3, (), 1, 0)

    def test_is_there_one_time_earlier_where_it_is_filled_early(self):
        lives = lives_of(visit(0, [0], 1), visit(1, [1], 2, buffers=Buffers((64,), 1, 1)))
        assert buffer_spans(lives) == [(1, 3)]

    def test_is_the_first_of_two_where_it_is_filled_early(self):
        lives = lives_of(visit(0, [0], 1), visit(1, [1], 2, buffers=Buffers((64, 32), 2, 1)))
        assert [span[0] for span in buffer_spans(lives)] == [1, 2]

    @given(st.integers(1, 9))
    def test_ends_earlier_where_the_other_one_is_used_last(self, slices):
        lives = lives_of(visit(0, [0], 1, buffers=Buffers((64, 32), slices, 0)))
        turns = [number % 2 for number in range(slices)]
        ends = [end for _, end in buffer_spans(lives)]
        assert ends[turns[-1]] == 1
        assert ends[1 - turns[-1]] == 0

    def test_that_is_the_only_one_is_used_last_however_many_slices_there_are(self):
        for slices in (1, 2, 3):
            lives = lives_of(visit(0, [0], 1, buffers=Buffers((64,), slices, 0)))
            assert buffer_spans(lives) == [(0, 1)]

    def test_is_listed_behind_the_maps_with_its_operator_and_number(self):
        lives = lives_of(
            visit(0, [0], 1, buffers=Buffers((64,), 1, 0)),
            visit(1, [1], 2, buffers=Buffers((48, 32), 2, 0)),
        )
        found = [(life.op, life.buffer, life.size_bytes) for life in lives.closed()[3:]]
        assert found == [(0, 0, 64), (1, 0, 48), (1, 1, 32)]
        assert all(life.op is None for life in lives.closed()[:3])


SPANS = st.tuples(st.integers(0, 99), st.integers(0, 12), st.integers(0, 8)).map(
    lambda n: Life(n[0], n[1], n[1] + n[2])
)


@given(st.lists(SPANS), st.integers(0, 5))
def test_usage_is_what_is_live_at_each_time_both_ends_included(lives, later):
    end = max((life.end_time for life in lives), default=0) + later
    assert usage(lives, end) == [
        sum(life.size_bytes for life in lives if life.start_time <= time <= life.end_time)
        for time in range(end + 1)
    ]
