"""Our own schedules, held against the ecosystem's compiler's for the same models and targets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.api import listings
from core.base.frozen import replace
from core.cost.ecosystem.estimate import ECOSYSTEM
from core.cost.from_schedule import estimated_costs
from core.cost.model import CostModel
from core.cost.operators import network_cost
from core.ir.options import Options, Strategy
from core.ir.scheduled import Run, Scheduled
from core.pipeline.scheduled import Workbench
from core.target.target import Target
from tests.core.lower.test_like_the_peer import comparison
from tests.core.schedule.exceptions import CYCLES, EXCEPTIONS, MOST_EXCEPTIONS, SRAM
from tests.core.schedule.random_cases import findings
from tests.peer import COMPATIBLE, SAMPLE, SCHEDULES, UNFINISHED, load, lowered, name_of, target_of
from tests.shared import files

MOST_RATIO = 1.005
"""Ours to theirs; what is judged is as good as theirs up to here."""

REFUSED = sorted(
    (folder, model)
    for folder in {path.parent for path in SCHEDULES}
    for model in files("models/*.tflite")
    if not (folder / f"{model.stem}.json").exists()
)
"""Models for which the other compiler stops: its allocation is above the limit."""

SAMPLE_REFUSED = ("u55-32-shared-64k/movenet", "u65-256-shared-48k/mobilenet_v1")


def own(model: str, target: Target, options: Options) -> Scheduled:
    network, graph = lowered(model, target.accelerator.name)
    run = Run(network=network, accelerator=target.accelerator, graph=graph)
    return estimated(Workbench(run).schedule(target, options))


def estimated(done: Scheduled) -> Scheduled:
    """With the costs that the other compiler estimates: what it shows knows no stripes."""
    model = CostModel(done.target, ECOSYSTEM)
    costs = tuple(
        cost
        for island in done.schedule.islands
        for cost in estimated_costs(
            done.run.graph, model, island.ops, done.schedule.maps.__getitem__
        )
    )
    return replace(done, costs=costs, total=network_cost(model.rates, costs))


def options_of(peer: dict[str, Any]) -> Options:
    given = dict(zip(peer["options"][::2], peer["options"][1::2], strict=True))
    strategy = Strategy(given.get("--optimise", Strategy.PERFORMANCE.value))
    return replace(COMPATIBLE, strategy=strategy)


def described(done: Scheduled, peer: dict[str, Any]) -> dict[str, Any]:
    """Our report as a script reads it from a file."""
    return json.loads(json.dumps(listings.describe_schedule(peer["model"], done)))


def different_rows(peer: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    rows = comparison().exact_rows(peer, ours, verbose=False)
    judged = [row for row in rows if not row[0].startswith("(")]
    return [f"{name} {same}/{total}" for name, same, total in judged if same != total]


def ratios(peer: dict[str, Any], ours: dict[str, Any]) -> dict[str, float]:
    return {name: ratio for name, _, _, ratio in comparison().quality_rows(peer, ours)}


def check(path: Path) -> None:
    peer = load(path)
    done = own(peer["model"], target_of(peer), options_of(peer))
    if name_of(path) == UNFINISHED:
        assert findings(done) == ()
        return
    ours = described(done, peer)
    assert different_rows(peer, ours) == []
    found = ratios(peer, ours)
    # A ratio that is no number is worse as well.
    worse = [name for name, ratio in found.items() if not ratio <= MOST_RATIO]
    trade = EXCEPTIONS.get(name_of(path))
    assert worse == ([] if trade is None else [trade.row]), found
    if trade is not None:
        assert found[trade.row] <= trade.most
        assert min(found[SRAM], found[CYCLES]) <= 1
        assert done.layout.is_within_limits


def check_refused(folder: Path, model: Path) -> None:
    """The best schedule that was found is a result, also where it is above the limit."""
    peer = load(next(path for path in SCHEDULES if path.parent == folder))
    done = own(model.name, target_of(peer), options_of(peer))
    assert findings(done) == ()
    assert len(done.costs) == len(done.run.graph.ops)


def name_of_pair(pair: tuple[Path, Path]) -> str:
    folder, model = pair
    return f"{folder.name}/{model.stem}"


@pytest.mark.parametrize(
    "path", [s for s in SCHEDULES if name_of(s) in (*SAMPLE, UNFINISHED)], ids=name_of
)
def test_a_sample_is_as_good(path: Path) -> None:
    check(path)


@pytest.mark.parametrize("path", [s for s in SCHEDULES if name_of(s) in EXCEPTIONS], ids=name_of)
def test_what_is_worse_in_one_figure_is_written_down(path: Path) -> None:
    check(path)


def test_few_exceptions_are_needed() -> None:
    assert len(EXCEPTIONS) <= MOST_EXCEPTIONS
    assert all(trade.why.endswith(".") for trade in EXCEPTIONS.values())


@pytest.mark.slow
@pytest.mark.parametrize("path", SCHEDULES, ids=name_of)
def test_every_schedule_is_as_good(path: Path) -> None:
    check(path)


@pytest.mark.parametrize(
    "pair",
    [pair for pair in REFUSED if name_of_pair(pair).startswith(SAMPLE_REFUSED)],
    ids=name_of_pair,
)
def test_a_sample_that_the_other_refuses_has_a_schedule(pair: tuple[Path, Path]) -> None:
    check_refused(*pair)


@pytest.mark.slow
@pytest.mark.parametrize("pair", REFUSED, ids=name_of_pair)
def test_everything_that_the_other_refuses_has_a_schedule(pair: tuple[Path, Path]) -> None:
    check_refused(*pair)
