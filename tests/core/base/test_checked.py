"""Values are looked at when they are made: what a field cannot hold is one sentence."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core import api
from core.api import networks, schedules, targets
from core.base.errors import OptionError
from core.base.frozen import Frozen, field_names, members, replace
from core.base.geometry import Block
from core.ir.edits import (
    EdgeNamed,
    Edit,
    Grouping,
    Living,
    MapNamed,
    OpNamed,
    OpsNamed,
    Processor,
    SpanNamed,
    Traversal,
    WeightsAsked,
    What,
)
from core.ir.freedoms import ALL
from core.ir.knob import Knob, Number
from core.ir.knobs import KNOBS
from core.ir.options import (
    Choice,
    LoweringOptions,
    Options,
    ParetoOptions,
    ParetoWeights,
    Search,
)
from core.ir.settings import Settings
from core.target.format import Format

OP, MAP = OpNamed("op"), MapNamed("map")
TARGET = targets.resolve_target("ethos-u65-256")
EDIT = Edit(subject=OP, what=What.STRIPE, value=4)
VALUES: tuple[Frozen, ...] = (
    Options(edits=(EDIT,)),
    ParetoOptions(),
    ParetoWeights(),
    LoweringOptions(),
    ALL,
    Settings(),
    TARGET,
    TARGET.system,
    TARGET.system.axi0,
    TARGET.mode,
    EDIT,
    OP,
    MAP,
    EdgeNamed(OP, OP),
    OpsNamed((OP,)),
    SpanNamed(OP, OP),
    WeightsAsked(),
)


class Stranger:
    """What no field is made for."""


def fields() -> Iterator[Any]:
    for value in VALUES:
        for name in field_names(value):
            yield pytest.param(value, name, id=f"{type(value).__name__}.{name}")


@pytest.mark.parametrize(("value", "name"), [*fields()])
def test_no_field_holds_what_it_is_not_made_for(value: Frozen, name: str) -> None:
    for wrong in (Stranger(), [], b"x", {}, math.nan):
        with pytest.raises(OptionError, match=name) as refused:
            replace(value, **{name: wrong})
        assert len(str(refused.value).splitlines()) == 1
        with pytest.raises(OptionError):
            type(value)(**(members(value) | {name: wrong}))


@pytest.mark.parametrize(("value", "name"), [*fields()])
def test_numbers_and_switches_are_not_each_other(value: Frozen, name: str) -> None:
    usual = getattr(value, name)
    if isinstance(usual, bool):
        wrong: tuple[object, ...] = (0, 1, "True")
    elif isinstance(usual, int):
        wrong = (True, -1, "1", 1.0) if name != "value" else (True, -1, 0)
    else:
        pytest.skip("neither")
    for each in wrong:
        with pytest.raises(OptionError):
            replace(value, **{name: each})


@pytest.mark.parametrize("knob", [each for each in KNOBS if isinstance(each.default, Choice)])
def test_a_text_is_no_member_and_names_the_near_one(knob: Any) -> None:
    for member in type(knob.default):
        for text in (member.value, member.name, member.value[:-1] + "x"):
            with pytest.raises(OptionError) as refused:
                knob.turned(Settings(), text)
            field = knob.path.rpartition(".")[2]
            assert str(refused.value).startswith(f"{field} has to be {type(member).__name__}.")
    with pytest.raises(OptionError, match=f"one of {next(iter(type(knob.default)))}"):
        knob.turned(Settings(), "zzzzzzzz")


@pytest.mark.parametrize("number", [-1, 0, 1, 3, 16, 48, 64])
@pytest.mark.parametrize("knob", [each for each in KNOBS if isinstance(each.takes, Number)])
def test_a_number_is_refused_by_the_command_line_and_where_it_is_made(
    knob: Knob, number: int
) -> None:
    assert is_taken(lambda: knob.read(str(number))) == is_taken(
        lambda: knob.turned(Settings(), number)
    )


def is_taken(make: Callable[[], object]) -> bool:
    try:
        make()
    except OptionError:
        return False
    return True


def test_bounds_are_said() -> None:
    with pytest.raises(OptionError, match="a power of two, 16 or more, and not 48"):
        Options(cpu_alignment=48)
    with pytest.raises(OptionError, match="hill_climb_orders has to be a whole number, 1 or more"):
        Options(hill_climb_orders=0)
    with pytest.raises(OptionError, match="buffers has to be a whole number, 0 to 2, or None"):
        WeightsAsked(buffers=3)


RIGHT: dict[What, object] = {
    What.REGION: Living.FAST,
    What.FORMAT: Format.BRICKS,
    What.ADDRESS: 16,
    What.CASCADE: Grouping.NEVER,
    What.STRIPE: 4,
    What.BLOCK: Block(2, 2, 16),
    What.TRAVERSAL: Traversal.PART_KERNEL,
    What.ROLLING: 4,
    What.WEIGHTS: WeightsAsked(buffers=1),
    What.BEFORE: OP,
    What.AFTER: OP,
    What.RESERVE: 64,
    What.PROCESSOR: Processor.CPU,
}
SUBJECT_OF: dict[type, Any] = {type(each): each for each in VALUES if type(each) is not Edit}


@pytest.mark.parametrize("what", What)
def test_an_edit_is_about_what_it_can_be_about_and_says_what_that_can_be(what: What) -> None:
    for kind in (OpNamed, MapNamed, EdgeNamed, OpsNamed, SpanNamed):
        asked = {"subject": SUBJECT_OF[kind], "what": what, "value": RIGHT[what]}
        if kind in what.subjects:
            assert Edit(**asked).value == RIGHT[what]
        else:
            with pytest.raises(OptionError, match=f"the subject of '{what.value}'"):
                Edit(**asked)
    subject = SUBJECT_OF[what.subjects[0]]
    for value in {type(each): each for each in RIGHT.values()}.values():
        if type(value) is not type(RIGHT[what]):
            with pytest.raises(OptionError, match=f"the value of '{what.value}'"):
                Edit(subject=subject, what=what, value=value)


def test_a_block_is_of_whole_numbers() -> None:
    for block in (Block("2", 2, 16), Block(2.0, 2, 16), (2, 2, 16)):  # type: ignore[arg-type]
        with pytest.raises(OptionError, match=r"block|value"):
            Edit(subject=OP, what=What.BLOCK, value=block)  # type: ignore[arg-type]


def test_a_text_in_the_place_of_a_search_compiles_nothing() -> None:
    with pytest.raises(OptionError, match=r"search has to be one of Search\.COMPATIBLE, .*'nons"):
        Options(search="nonsense")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"search has to be Search\.BEST, and not 'best'"):
        replace(Options(), search="best")
    assert Options(search=Search.BEST).is_best


def doors() -> Iterator[Any]:
    """Functions that a door defines, and some that it hands on."""
    for found in pkgutil.iter_modules(api.__path__):
        module = importlib.import_module(f"{api.__name__}.{found.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                yield pytest.param(function, id=f"{found.name}.{name}")
    yield pytest.param(targets.resolve_target, id="targets.resolve_target")
    yield pytest.param(schedules.Workbench.schedule, id="Workbench.schedule")
    yield pytest.param(schedules.Workbench.schedule_alone, id="Workbench.schedule_alone")


@pytest.mark.parametrize("function", [*doors()])
def test_a_door_refuses_what_it_is_not_made_for(function: Callable[..., Any]) -> None:
    names = inspect.signature(function).parameters
    with pytest.raises(OptionError, match="has to be"):
        function(**dict.fromkeys(names, Stranger()))


def test_a_door_names_the_one_that_is_wrong() -> None:
    with pytest.raises(OptionError, match=r"^target has to be a Target, and not 'ethos-u55-128'$"):
        networks.run(b"", "ethos-u55-128", Options())  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"^options has to be an Options, and not 'best'$"):
        schedules.schedule(b"", TARGET, "best")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"^model has to be bytes, and not 'a.tflite'$"):
        networks.run("a.tflite", TARGET, Options())  # type: ignore[arg-type]
