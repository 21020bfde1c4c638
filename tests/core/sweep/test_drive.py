"""However workers fail, come and go, each cell is computed once; what ends them goes alone."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import Future
from random import Random

import pytest

from core.base.errors import OptionError
from core.ir.options import Options
from core.ir.settings import Settings
from core.ir.sweep import Outcome, Verdict
from core.sweep.crew import Fate, Seat
from core.sweep.drive import Drive
from core.sweep.lanes import Lane, lanes
from core.sweep.work import Ask, Batch, Found

TARGET = Settings().target()
FITS = Outcome(verdict=Verdict.FITS)


def asks(count: int, prefix: str = "") -> list[Ask]:
    return [
        Ask(settings=f"{prefix}{number}", target=TARGET, options=Options())
        for number in range(count)
    ]


class Weary(Exception):  # noqa: N818 - a worker, not an error
    """A worker that has gone."""


class Crew:
    """Workers without time: futures are done when somebody looks, in any order."""

    batch_s = 1.0

    def __init__(self, seats: int, seed: int, *, killers: Sequence[str] = (), failing: float = 0.0):
        self.random = Random(seed)
        self.count, self.killers, self.failing = seats, killers, failing

    def seats(self) -> Sequence[Seat]:
        some = self.random.randint(1, self.count) if self.failing else self.count
        return range(some)

    def submit(self, seat: Seat, batch: Batch) -> Future[tuple[Found, ...]]:
        future: Future[tuple[Found, ...]] = Future()
        del seat
        if any(ask.settings in self.killers for ask in batch.asks):
            future.set_exception(Weary("killed"))
        elif self.random.random() < self.failing:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            found = (
                Found(settings=a.settings, outcome=FITS, seconds_taken=0.01) for a in batch.asks
            )
            future.set_result(tuple(found))
        return future

    def fate(self, error: BaseException) -> Fate:
        return Fate.FAILED if isinstance(error, Weary) else Fate.LOST

    def stop(self) -> None:
        """Nobody is there."""


def driven(crew: Crew, sizes: Sequence[int]) -> dict[str, Verdict]:
    found: Counter[str] = Counter()
    verdicts = {}
    source = (
        (lane, Batch(model=f"{at}", name="", asks=()))
        for at, size in enumerate(sizes)
        for lane in lanes(f"{at}", asks(size, f"{at}/"))
    )
    for results in Drive(crew, source).run():
        for _, cells in results:
            found.update(cell.settings for cell in cells)
            verdicts |= {cell.settings: cell.outcome.verdict for cell in cells}
    assert set(found.values()) <= {1}
    return verdicts


@pytest.mark.parametrize("seed", range(20))
def test_each_cell_is_computed_once(seed):
    random = Random(seed)
    sizes = [random.randint(0, 40) for _ in range(random.randint(0, 8))]
    crew = Crew(random.randint(1, 9), seed, failing=random.choice((0.0, 0.3)))
    verdicts = driven(crew, sizes)
    assert len(verdicts) == sum(sizes)
    assert set(verdicts.values()) <= {Verdict.FITS}


@pytest.mark.parametrize("seats", [1, 3])
def test_a_cell_that_ends_its_worker_takes_no_other_along(seats):
    killers = ("0/7", "1/0", "1/1")
    verdicts = driven(Crew(seats, 0, killers=killers), (20, 5, 9))
    assert {cell for cell, verdict in verdicts.items() if verdict is Verdict.LOST} == set(killers)
    assert len(verdicts) == 34


def test_workers_that_lose_everything_are_no_workers():
    with pytest.raises(OptionError, match="cannot be reached"):
        driven(Crew(2, 0, failing=1.0), (10,))


def test_batches_grow_to_what_is_asked_and_shrink_again():
    lane = Lane("m", deque(asks(10_000)))
    first = lane.batch(1.0)
    # Whoever has the network for the first time lowers it, and only then.
    lane.learn([3.0, *[0.01] * (len(first) - 1)])
    assert len(lane.batch(1.0)) == 100
    lane.learn([10.0])
    assert len(lane.batch(1.0)) == 1


def test_halves_have_all_cells_in_their_order():
    whole = asks(11)
    lane = next(lanes("m", whole))
    other = lane.halved()
    assert other is not None
    assert [*lane.asks, *other.asks] == whole
    assert next(lanes("m", asks(3))).halved() is None
