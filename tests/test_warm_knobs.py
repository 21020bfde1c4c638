"""Each knob turned on what is warm answers as on what is fresh: no memory forgets a choice.

The last laws turn a knob that nobody has: one more field of the options, looked at where a test
puts it. No memory was told of it, and yet each of them belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.api import networks, schedules, targets
from core.base.errors import OptionError
from core.base.frozen import members, replace
from core.ir import knobs
from core.ir.decisions import FormatReason
from core.ir.freedoms import ALL
from core.ir.knob import Knob
from core.ir.npugraph import NpuGraph
from core.ir.options import Engine, LoweringOptions, Options, Search
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.pipeline import arrivals
from core.schedule import limitless, weight_choice
from core.schedule import run as scheduler
from core.schedule.candidates import max_schedule
from core.schedule.cascading import stripes
from core.schedule.estimates import Estimates
from core.schedule.front.engine import FrontEngine
from core.schedule.pareto import assumptions
from gui.document.document import Document
from gui.jobs.desk import Desk, Solution
from tests.gui.answers import model_path, model_ref
from tests.networks.small_networks import five_operators
from tests.settings import settings_with

KWS = model_path("kws_dscnn")
DECIDED_IN_MORE = (
    "eviction",
    "to_cpu",
    "pareto.metric",
    "pareto.weights.cycle",
    "pareto.weights.traffic_cycle",
)
"""Knobs that change nothing in five operators, or less than in this network."""
LIMIT_BYTES = 12 << 10
"""So little that maps leave, cascades are made, and weights wait for room."""
OPEN: dict[str, tuple[Any, ...]] = {
    "limit_bytes": (4 << 10, 16 << 10, 1 << 20),
    "pareto.most_bytes": (8 << 10, 16 << 10),
    "to_cpu": (("SOFTMAX",), ("#0", "#3")),
}
"""Values of knobs that take any number."""

of_knobs = pytest.mark.parametrize(
    "knob",
    [
        pytest.param(knob, marks=[pytest.mark.slow] if knob.name == "effort" else [], id=knob.name)
        for knob in knobs.KNOBS
    ],
)


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five operators, in which every other knob has as many answers."""
    file = tmp_path_factory.mktemp("models") / "five.tflite"
    file.write_bytes(five_operators())
    return file


@pytest.fixture
def model(knob: Knob, five: Path) -> Path:
    """The network that a knob is tried on."""
    return KWS if knob.name in DECIDED_IN_MORE else five


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("configs") / "mine.ini"
    file.write_text("[Memory_Mode.Mine]\ninherit=Memory_Mode.Dedicated_Sram\n", "utf-8")
    return str(file)


def usual_settings(engine: Engine, search: Search = Search.DIRECT) -> Settings:
    """Settings with which there is something to decide."""
    return settings_with(
        accelerator="ethos-u65-256",
        memory_mode="Dedicated_Sram",
        limit_bytes=LIMIT_BYTES,
        engine=engine,
        search=search,
        effort=0,
    )


def plain(knob: Knob) -> Settings:
    """The same, of which a knob decides some."""
    usual = Search.BEST if knob.name == "effort" else Search.DIRECT
    search = knob.search or usual
    return usual_settings(knob.engine or Engine.CASCADING, search)


def turns(knob: Knob, config: str) -> Iterator[Settings]:
    """Settings with each value that is offered of a knob, as far as there is such a target."""
    offered = [choice.value for choice in knob.choices(targets.load_configs())]
    for value in offered or OPEN.get(knob.name, ((config,),)):
        settings = knobs.turned(plain(knob), {knob.name: value})
        if knob.name == "accelerator":
            settings = replace(settings, memory_mode=None)
        try:
            settings.target()
        except OptionError:
            continue
        yield settings


@cache
def run_of(model: Path, accelerator: str, lowering: LoweringOptions) -> networks.Run:
    settings = settings_with(
        accelerator=accelerator,
        search=Search.DIRECT if lowering.freedoms == ALL else Search.COMPATIBLE,
        force_symmetric_int_weights=lowering.force_symmetric_int_weights,
    )
    return networks.run(model.read_bytes(), settings.target(), settings.options)


class Table:
    """A workbench for each lowered network, all of them warm after the first answer."""

    def __init__(self, model: Path) -> None:
        self._model = model
        self._benches: dict[object, schedules.Workbench] = {}

    def answer(self, settings: Settings) -> Scheduled:
        """What is asked, whatever was asked before."""
        target, options = settings.target(), settings.options
        lowered = target.accelerator.name, options.lowering
        if lowered not in self._benches:
            self._benches[lowered] = schedules.Workbench(run_of(self._model, *lowered))
        return self._benches[lowered].schedule_alone(target, options)


@cache
def fresh_answer(model: Path, settings: Settings) -> Scheduled:
    """What a workbench says that was asked nothing before."""
    return Table(model).answer(settings)


@pytest.mark.long
@of_knobs
def test_turned_on_a_warm_workbench_it_answers_as_on_a_fresh_one(
    knob: Knob, model: Path, config: str
) -> None:
    warm, usual = Table(model), plain(knob)
    for settings in turns(knob, config):
        assert warm.answer(settings) == fresh_answer(model, settings)
        assert warm.answer(usual) == fresh_answer(model, usual)


@pytest.mark.long
@of_knobs
def test_turned_in_the_app_it_answers_as_in_one_that_was_just_started(
    knob: Knob, model: Path, config: str
) -> None:
    if knob.name == "effort":
        pytest.skip("a front that was asked for more steps knows more, and is to answer so")
    warm, usual = Desk(), plain(knob)
    for settings in turns(knob, config):
        assert shown(warm.solve(document(model, settings))) == shown_first(model, settings)
        assert shown(warm.solve(document(model, usual))) == shown_first(model, usual)


@cache
def shown_first(model: Path, settings: Settings) -> object:
    """What an app shows that was just started."""
    return shown(Desk().solve(document(model, settings)))


def document(model: Path, settings: Settings) -> Document:
    return Document(model=model_ref(model), settings=settings)


def shown(solution: Solution) -> object:
    """What the app shows, as far as it can be compared."""
    return solution.scheduled, solution.analysis.cascades, solution.unlimited_bytes


class MadeUp(Options):
    """Options with one field more, which nothing but these tests knows."""

    is_turned: bool = False


class Place(NamedTuple):
    """Where the made-up knob is looked at, and what is done there where it is turned."""

    where: Any
    name: str
    other: Callable[..., Any]
    engine: Engine = Engine.CASCADING
    search: Search = Search.DIRECT

    def look(self, patch: pytest.MonkeyPatch) -> None:
        """Have it looked at."""
        usual = getattr(self.where, self.name)

        def chosen(*given: Any, **named: Any) -> Any:
            other = partial(self.other, usual)
            return (other if is_turned(*given) else partial(usual))(*given, **named)

        patch.setattr(self.where, self.name, chosen)


def is_turned(*given: Any) -> bool:
    """Whether options say so that some function is given, or which are those of its estimates."""
    owners = [getattr(each, "estimates", each) for each in given]
    found = {getattr(each, "options", each) for each in owners if hasattr(each, "options")}
    found |= {each for each in given if isinstance(each, Options)}
    (options,) = found
    return isinstance(options, MadeUp) and options.is_turned


def by_the_rules(usual: Any, graph: NpuGraph, rules: Any, *given: Any) -> Any:
    """Maps stored as they are where nobody chooses."""
    return usual(graph, [replace(rule, reason=FormatReason.NEIGHBOURS) for rule in rules], *given)


PLACES = {
    "weights": Place(weight_choice, "_fastest", lambda _, *given: weight_choice._usual(*given)),
    "blocks": Place(Estimates, "_in_block", lambda usual, *given: usual(*given[:-1], None)),
    "cuts": Place(FrontEngine, "_within", lambda usual, self, most: usual(self, most * 3 // 4)),
    "smallest stripes": Place(
        limitless,
        "min_schedule",
        lambda _, *given: max_schedule(*given),
        search=Search.COMPATIBLE,
    ),
    "higher stripes": Place(stripes._Trial, "best", lambda *_: None, search=Search.COMPATIBLE),
    "formats": Place(scheduler, "formats_near_and_far", by_the_rules),
    "addresses": Place(arrivals, "_ways", lambda *_: ()),
    "blocks of a front": Place(
        assumptions,
        "candidate_blocks",
        lambda usual, *given, **named: usual(*given, **named)[:1],
        Engine.PARETO,
    ),
}


def made_up(place: Place, *, is_turned: bool, **settings: Any) -> Settings:
    """Settings in which the made-up knob is turned, or is not."""
    asked = settings_with(usual_settings(place.engine), **{"search": place.search} | settings)
    options = MadeUp(**members(asked.options), is_turned=is_turned)
    return replace(asked, options=options)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_field_that_nobody_knows_is_forgotten_by_no_memory(
    place: Place, five: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.look(monkeypatch)
    asked = {
        (is_turned, limit): made_up(place, is_turned=is_turned, limit_bytes=limit)
        for is_turned in (False, True)
        for limit in (LIMIT_BYTES, 3 * LIMIT_BYTES)
    }
    fresh = {key: Table(five).answer(settings) for key, settings in asked.items()}
    usual, turned = ([fresh[key] for key in fresh if key[0] is on] for on in (False, True))
    assert [priced(each) for each in usual] != [priced(each) for each in turned]
    for order in (list(asked), list(asked)[::-1]):
        warm = Table(five)
        for key in (*order, *order[: len(order) // 2]):
            assert warm.answer(asked[key]) == fresh[key]


def priced(scheduled: Scheduled) -> object:
    return scheduled.schedule, scheduled.layout, scheduled.total


@pytest.mark.parametrize("search", [Search.DIRECT, Search.BEST])
def test_nor_does_the_app_forget_it(
    search: Search, five: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = PLACES["weights"]
    place.look(monkeypatch)
    desk = Desk()
    for is_turned in (False, True, False):
        asked = document(five, made_up(place, is_turned=is_turned, search=search))
        assert shown(desk.solve(asked)) == shown(Desk().solve(asked))
