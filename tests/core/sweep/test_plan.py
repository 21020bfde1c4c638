"""What is swept: every combination once, and a reason for each that is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api.sweeps import parse_limits, plan
from core.base.errors import OptionError
from core.base.frozen import replace
from core.ir import knobs
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.settings import Settings

KIB = 1024


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("64K", (64 * KIB,)),
        ("64K:128K:32K", (64 * KIB, 96 * KIB, 128 * KIB)),
        ("default,1M,1024K", (None, 1 << 20)),
        ("1K:2K:700", (1024, 1724)),
        ("4K,1K:3K:1K", (4 * KIB, KIB, 2 * KIB, 3 * KIB)),
    ],
)
def test_limits_are_lists_and_ranges_with_both_ends(text, limits):
    assert parse_limits(text) == limits


@pytest.mark.parametrize(
    "text", ["", "64K:1M", "2K:1K:1K", "1K:2K:0", "1:1G:1", "many", "1K:2K:-1"]
)
def test_what_is_no_list_of_limits_is_refused(text):
    with pytest.raises(OptionError):
        parse_limits(text)


def test_every_combination_is_there_once_in_one_order():
    axes = {
        "limit_bytes": (KIB, 2 * KIB, KIB),
        "accelerator": ("ethos-u55-128", "ethos-u65-256"),
        "strategy": tuple(Strategy),
    }
    made = plan(Settings(), axes)
    assert len(made.asked) == 2 * 2 * 2
    assert made.left_out == ()
    assert len({asked.swept.digest for asked in made.asked}) == len(made.asked)
    assert plan(Settings(), axes) == made


def test_words_ask_for_the_same():
    """What a file says of settings leads to the same digest again."""
    axes = {"limit_bytes": (None, 5 * KIB), "engine": tuple(Engine), "strategy": tuple(Strategy)}
    for asked in plan(Settings(), axes).asked:
        words = dict(zip(asked.swept.words[::2], asked.swept.words[1::2], strict=True))
        again = Settings()
        for knob in knobs.KNOBS:
            if knob.option in words:
                again = knob.turned(again, knob.read(words[knob.option]))
        assert plan(again, {}).asked[0].swept.digest == asked.swept.digest


def test_the_default_by_its_name_is_the_same_cell():
    target = Settings().target()
    named = {
        "memory_mode": (None, target.mode.name),
        "limit_bytes": (None, target.fast_limit_bytes),
    }
    assert len(plan(Settings(), named).asked) == 1


def test_content_counts_and_not_the_name_of_a_config(tmp_path: Path):
    for name, scale in (("a", "0.5"), ("b", "0.5"), ("c", "0.25")):
        (tmp_path / name).write_text(
            "[System_Config.Mine]\ninherit=System_Config.Ethos_U55_Deep_Embedded\n"
            f"Sram_clock_scale={scale}\n"
        )
    a, b, c = (
        plan(
            replace(Settings(), configs=(str(tmp_path / name),)), {"system_config": ("Mine",)}
        ).asked[0]
        for name in "abc"
    )
    assert a.swept.digest == b.swept.digest != c.swept.digest


def test_what_cannot_be_had_is_left_out_with_its_reason_and_count():
    most = Settings().target().accelerator.max_address
    made = plan(
        Settings(),
        {
            "engine": tuple(Engine),
            "search": (Search.DIRECT, Search.BEST),
            "limit_bytes": (KIB, 2 * KIB, most + 1),
        },
    )
    told = {part.reason: part.count for part in made.left_out}
    assert len(made.asked) == 6
    assert sum(told.values()) == 2 * 2 * 3 - 6
    assert any("best" in reason and count == 3 for reason, count in told.items())
    assert any("addresses" in reason and count == 3 for reason, count in told.items())


def test_modes_that_a_system_has_not_are_left_out():
    made = plan(
        Settings(accelerator="ethos-u65-256"),
        {
            "system_config": ("Ethos_U65_High_End", "Ethos_U65_Embedded"),
            "memory_mode": ("Dedicated_Sram", "Shared_Sram"),
        },
    )
    assert 0 < len(made.asked) < 4
    assert sum(part.count for part in made.left_out) == 4 - len(made.asked)


def test_systems_of_another_family_are_left_out_beside_ones_own():
    systems = ("Ethos_U55_High_End_Embedded", "Ethos_U65_Embedded")
    both = {"accelerator": ("ethos-u55-64", "ethos-u65-256")}
    made = plan(Settings(), both | {"system_config": systems, "memory_mode": ("Shared_Sram",)})
    assert [asked.swept.system_config for asked in made.asked] == list(systems)
    alone = plan(Settings(), {"system_config": systems[1:], "memory_mode": ("Shared_Sram",)})
    assert len(alone.asked) == 1


def test_a_slip_is_told_and_not_left_out():
    with pytest.raises(OptionError, match="did you mean"):
        plan(Settings(), {"accelerator": ("ethos-u55-128", "ethos-u55-129")})


def test_where_nothing_can_be_had_the_reason_is_told():
    settings = Settings(options=Options(engine=Engine.PARETO))
    with pytest.raises(OptionError, match="best"):
        plan(settings, {"search": (Search.BEST,)})


def test_effort_is_that_of_the_best_search_alone():
    axes = {"search": (Search.DIRECT, Search.BEST), "effort": (0, 10, 40)}
    searches = [asked.options.search for asked in plan(Settings(), axes).asked]
    assert (searches.count(Search.DIRECT), searches.count(Search.BEST)) == (1, 3)


def test_knobs_of_one_engine_make_no_cells_of_the_other():
    axes = {"engine": tuple(Engine), "pareto.blocks_per_end": (4, 8, 16)}
    engines = [asked.options.engine for asked in plan(Settings(), axes).asked]
    assert engines.count(Engine.CASCADING) == 1
    assert engines.count(Engine.PARETO) == 3
