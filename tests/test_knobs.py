"""One row makes a knob: each is on every surface that lets a user turn it, or tells what it is."""

from __future__ import annotations

from typing import Any

import pytest

from core import cli
from core.api import targets
from core.base.checked import Bounds
from core.base.errors import OptionError
from core.base.frozen import replace
from core.base.sentences import capitalised
from core.cli.arguments import _help
from core.ir import knobs
from core.ir.knob import Knob, Number, Stage
from core.ir.options import ORDERS, Allocator, Container, Engine
from core.ir.settings import Settings
from core.report.options_text import option_rows
from gui.commands import table
from gui.document.document import Document
from gui.document.history import Entry, History
from gui.document.session import Session, decode, encode
from gui.present.controls import offered, resolvable
from gui.present.summary import asked_rows
from gui.views.controls.view import ControlsView
from tests.gui.answers import answer_of, store_with
from tests.settings import settings_with

OPEN: dict[str, Any] = {
    "limit_bytes": 1 << 16,
    "pareto.most_bytes": 1 << 20,
    "to_cpu": ("SOFTMAX", "#0"),
}
"""Values of knobs that take any number."""

of_knobs = pytest.mark.parametrize("knob", knobs.KNOBS, ids=lambda knob: knob.name)


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "mine.ini"
    file.write_text("[Memory_Mode.Mine]\ninherit=Memory_Mode.Sram_Only\n", "utf-8")
    return str(file)


@pytest.fixture
def turn(config):
    """Settings in which a knob has another value than by default."""

    def turned(knob: Knob) -> Settings:
        engine = knob.engine or Engine.CASCADING
        plain = settings_with(engine=engine, search=knob.search or Settings().options.search)
        found = (choice.value for choice in knob.choices(targets.load_configs()))
        for value in (*found, OPEN.get(knob.name), (config,)):
            if value not in (None, knob.default):
                settings = knobs.turned(plain, {knob.name: value})
                if is_other(plain, settings):
                    return settings
        raise AssertionError(knob.name)

    return turned


def read(words: tuple[str, ...]) -> Settings:
    return cli.settings_of(cli.target_arguments().parse_args(words))


def is_other(plain: Settings, settings: Settings) -> bool:
    """Whether settings name a target, and not by another name what holds by default."""
    try:
        asked = settings.target(), settings.options, settings.configs
    except OptionError:
        return False
    return asked != (plain.target(), plain.options, plain.configs)


@of_knobs
def test_it_is_set_on_the_command_line_which_reports_repeat(knob, turn):
    settings = turn(knob)
    words = knobs.command_line(settings)
    files = tuple(word for path in settings.configs for word in ("--config", path))
    assert read((*words, *files)) == settings
    assert knob.option in words or knob.switch in words or files


@of_knobs
def test_it_has_a_control_that_says_what_is_asked(knob, turn, qtbot):
    settings = turn(knob)
    answer = answer_of("kws_dscnn", search=Settings().options.search)
    store = store_with(answer)
    view = ControlsView(store)
    qtbot.addWidget(view)
    view.show()
    view.ask("engine", settings.options.engine)
    view.ask("search", settings.options.search)
    view.ask(knob.name, knob.value(settings))
    assert store.document.settings == settings
    if knob.name in view.boxes:
        box = view.boxes[knob.name]
        assert box.value == knob.value(settings)
        assert box.accessibleName() == view.rows[knob.name].title == capitalised(knob.title)
    else:
        assert knob.name in ("limit_bytes", "configs")


@of_knobs
def test_it_is_in_the_palette(knob):
    title = capitalised(knob.title)
    found = [
        command
        for command in table.commands()
        if command.id.startswith(f"schedule.{knob.name}") or title in command.title
    ]
    assert found


@of_knobs
def test_it_is_kept_by_a_session(knob, turn):
    history = History(present=Entry(Document(settings=turn(knob))))
    assert decode(encode(Session(history=history))).history == history


@of_knobs
def test_reports_and_the_summary_name_it(knob, turn):
    settings = turn(knob)
    text = knob.text(knob.value(settings))
    answer = answer_of("kws_dscnn", search=Settings().options.search)
    layout = replace(answer.scheduled.layout, allocator=settings.options.allocator)
    scheduled = replace(
        answer.scheduled, target=settings.target(), options=settings.options, layout=layout
    )
    if knob.is_option:
        assert (knob.title, text) in option_rows(scheduled)
    document = replace(answer.document, settings=settings)
    rows = asked_rows(replace(answer, document=document, scheduled=scheduled))
    (row,) = (row for row in rows if row.title == knob.title)
    assert row.asked == row.applied


def redone(before: Settings, after: Settings) -> Stage:
    """The first stage that is given something else."""

    def given(settings: Settings) -> dict[Stage, object]:
        target, options = settings.target(), settings.options
        no_addresses = {
            "allocator": Allocator.GREEDY,
            "hill_climb_orders": 1,
            "cpu_alignment": 16,
            "container": Container.COP1,
            "separate_io_regions": False,
        }
        return {
            Stage.LOWERING: (target.accelerator, options.lowering),
            Stage.PREPARATION: (target.with_limit(None), settings.configs),
            Stage.SCHEDULE: (target, replace(options, **no_addresses)),
            Stage.ALLOCATION: options,
        }

    old, new = given(before), given(after)
    return next(stage for stage in Stage if old[stage] != new[stage])


@of_knobs
def test_it_says_from_which_stage_on_the_work_is_done_again(knob, turn):
    settings = turn(knob)
    asked = settings.options
    plain = settings_with(engine=asked.engine, search=asked.search)
    if knob.name in ("engine", "search"):
        plain = Settings()
    assert redone(plain, settings) is knob.redoes


def test_what_says_what_it_is_says_it_once():
    for part in ("path", "option", "title"):
        told = [getattr(knob, part) for knob in knobs.KNOBS]
        assert len(told) == len(set(told)), part
    for knob in knobs.KNOBS:
        if isinstance(knob.takes, knobs.OneOf):
            assert knob.takes.kinds is type(knob.default)
            assert all(choice.meaning for choice in knob.choices(targets.load_configs()))


def test_a_number_can_be_typed_and_chosen():
    takes = Number(bounds=ORDERS, offers=(1 << 10, 1 << 20))
    knob = replace(knobs.knob_named("limit_bytes"), option="--tiles", takes=takes)
    assert knob.read("64") == 64
    for text in ("0", "-1", "many", "1.5"):
        with pytest.raises(OptionError, match="--tiles"):
            knob.read(text)
    even = replace(knob, takes=replace(takes, bounds=Bounds(is_power_of_two=True)))
    assert even.read("64") == 64
    with pytest.raises(OptionError, match="--tiles 48: has to be a power of two"):
        even.read("48")
    settings = Settings(limit_bytes=64)
    assert knob.words(settings) == ("--tiles", "64")
    known = offered(knob, settings, None, targets.load_configs())
    assert [choice.value for choice in known] == [64, 1 << 10, 1 << 20]
    assert _help(knob, targets.load_configs()).endswith("such as 1024, 1048576")


def test_only_the_target_is_set_back_for_an_accelerator():
    other = settings_with(accelerator="ethos-u55-64", memory_mode="Dedicated_Sram")
    assert resolvable(other).settings == Settings(accelerator="ethos-u55-64")
