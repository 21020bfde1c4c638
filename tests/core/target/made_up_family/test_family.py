"""A family is what its values say: nothing in `core` knows this one, and yet it is compiled for."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api import compiler, networks, schedules
from core.base.errors import InternalError, OptionError
from core.base.frozen import replace
from core.base.geometry import Block
from core.check.target import verify
from core.ir.options import Engine, Options
from core.target.registry import ACCELERATORS, registered
from core.target.resolve import resolve
from core.target.target import Target
from tests.core.target.made_up_family.reef_x9 import FAMILY, LARGE, SMALL

MODEL = (Path(__file__).parents[4] / "resources" / "examples" / "kws_dscnn.tflite").read_bytes()
EVERY_ENGINE = pytest.mark.parametrize("engine", Engine)


def scheduled(target: Target, engine: Engine = Engine.CASCADING) -> schedules.Scheduled:
    return schedules.schedule(MODEL, target, Options(engine=engine))


@pytest.mark.parametrize("accelerator", [SMALL, LARGE])
def test_nothing_is_wrong_with_it_but_that_nobody_can_ask_for_it(accelerator):
    target = resolve(accelerator)
    assert verify(target) == ()
    assert (target.system.name, target.mode.name) == (
        FAMILY.defaults.system_config,
        FAMILY.defaults.memory_mode,
    )
    assert accelerator.name not in ACCELERATORS
    with pytest.raises(OptionError, match=f"unknown accelerator '{accelerator.name}'"):
        resolve(accelerator.name)


@EVERY_ENGINE
def test_a_network_is_scheduled_in_its_blocks_and_priced_by_its_figures(engine):
    small, large = (scheduled(resolve(each), engine) for each in (SMALL, LARGE))
    assert large.total.macs_per_cycle == 2 * small.total.macs_per_cycle == 1024
    assert large.total.npu_cycles < small.total.npu_cycles
    for done, accelerator in ((small, SMALL), (large, LARGE)):
        blocks = [plan.block for island in done.schedule.islands for plan in island.ops]
        assert {block.ofm_ublock for block in blocks} == {accelerator.ofm_ublock}
        assert all(block.ofm_block.w <= FAMILY.max_ofm_block.w for block in blocks)


def test_what_its_figures_say_decides_the_price():
    slow = replace(SMALL.throughput, output=tuple(8 * each for each in SMALL.throughput.output))
    usual, slower = (
        scheduled(resolve(replace(SMALL, throughput=each))) for each in (SMALL.throughput, slow)
    )
    assert slower.total.npu_cycles > usual.total.npu_cycles


def test_what_goes_beyond_its_limits_stays_on_the_cpu_and_says_them():
    def run(accelerator):
        return networks.run(MODEL, resolve(accelerator), Options())

    found = run(SMALL).graph.rejections
    assert ("1 to 5 rows", "10 rows") in {(each.accepted, each.found) for each in found}
    roomy = replace(FAMILY, limits=ACCELERATORS["ethos-u55-128"].family.limits)
    assert run(replace(SMALL, family=roomy)).graph.rejections == ()


def test_commands_for_it_are_refused_in_one_sentence():
    with pytest.raises(OptionError) as caught:
        compiler.compile_model(scheduled(resolve(SMALL)))
    assert str(caught.value) == (
        "cannot write commands for Reef-X9: its instruction set is not known here"
    )


# Families that are not whole

LACKS = {
    "lowering": "Reef-X9 needs the set of rules 'tides', which is not there;",
    "block_search": "Reef-X9 needs the block search 'tides', which is not there;",
    "cycles": "Reef-X9 needs the formula for cycles 'tides', which is not there;",
}


@pytest.mark.parametrize(("name", "sentence"), LACKS.items())
def test_an_algorithm_that_is_not_there_is_named_with_the_family_that_needs_it(name, sentence):
    algorithms = replace(FAMILY.algorithms, **{name: "tides"})
    accelerator = replace(SMALL, family=replace(FAMILY, algorithms=algorithms))
    with pytest.raises(OptionError) as caught:
        scheduled(resolve(accelerator))
    assert str(caught.value).startswith(sentence)


def test_a_search_for_banks_asks_for_a_buffer_that_has_them():
    with pytest.raises(OptionError, match="reef-x9-512 has no shared buffer"):
        scheduled(resolve(replace(SMALL, buffer=None)))


HALVES = {
    "no figures": {"throughput": replace(SMALL.throughput, output=())},
    "a figure too few": {
        "throughput": replace(SMALL.throughput, output=SMALL.throughput.output[1:])
    },
    "no time": {"throughput": replace(SMALL.throughput, clamp=0.0)},
    "no decoder": {"throughput": replace(SMALL.throughput, weights_per_cycle=0)},
    "no block": {"ofm_ublock": Block(0, 0, 0)},
    "no cores": {"cores": 0},
    "no tables": {"tables": replace(SMALL.tables, size_bytes=0)},
    "tables elsewhere": {"tables": replace(SMALL.tables, start=1 << 20)},
    "another's name": {"name": "ethos-u55-512"},
    "no ports": {"family": replace(FAMILY, port_bytes_per_cycle=0)},
    "no blocks at all": {"family": replace(FAMILY, max_ofm_block=Block(0, 0, 0))},
    "no taps": {"family": replace(FAMILY, weights=replace(FAMILY.weights, part_kernel_taps=0))},
    "no types": {"family": replace(FAMILY, limits=replace(FAMILY.limits, element_types=()))},
    "no strides": {"family": replace(FAMILY, limits=replace(FAMILY.limits, longest_stride=0))},
}


@pytest.mark.parametrize("parts", HALVES.values(), ids=HALVES)
def test_half_a_family_is_refused_before_anything_is_done_for_it(parts):
    with pytest.raises(InternalError, match="the target breaks"):
        networks.run(MODEL, resolve(replace(SMALL, **parts)), Options())


@pytest.mark.parametrize("field", ["limits", "algorithms", "concurrency", "product"])
def test_a_part_that_is_left_out_is_missed_when_the_family_is_made(field):
    parts = {name: getattr(FAMILY, name) for name in FAMILY.__slots__ if name != field}
    with pytest.raises(TypeError, match=field):
        type(FAMILY)(**parts)


def test_a_family_is_registered_with_accelerators_of_its_own():
    assert registered((SMALL,), (LARGE,)) == {SMALL.name: SMALL, LARGE.name: LARGE}
    with pytest.raises(InternalError, match="has no accelerators"):
        registered((SMALL,), ())
    with pytest.raises(InternalError, match="share a name"):
        registered((SMALL,), (LARGE, SMALL))
