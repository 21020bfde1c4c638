"""An edit around a schedule that was shown changes what it says and what follows, nothing else; and
its price is the difference of the two, to the digit."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

import pytest

from core.api import compiler, edits, listings
from core.api.networks import run
from core.base.frozen import replace
from core.base.geometry import Block
from core.edits.names import Names
from core.ir.edits import (
    Edit,
    EditFate,
    Grouping,
    Living,
    OpNamed,
    OpsNamed,
    Traversal,
    WeightsAsked,
    What,
)
from core.ir.options import Options, Search
from core.ir.scheduled import Scheduled
from core.ir.shown import Cause, Followed
from core.pipeline.adoption import shown_in
from core.pipeline.around import Grounded
from core.pipeline.legal_values import legal_blocks
from core.pipeline.scheduled import Workbench
from core.report.naming import titled
from core.target.format import Format
from core.target.resolve import resolve
from core.target.target import Target
from tests.core.edits.closure_judge import differences, faults
from tests.core.edits.frozen import compiled, what_runs
from tests.core.edits.random_edits import random_edits
from tests.shared import need

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = resolve("ethos-u55-128")
KIB = 1 << 10
SMALL = {
    "kws_dscnn": DEDICATED.with_limit(12 * KIB),
    "resnet8": DEDICATED.with_limit(32 * KIB),
    "shuffle_with_cpu": SHARED.with_limit(64 * KIB),
    "unet_128": DEDICATED.with_limit(96 * KIB),
    "denoise_int16": SHARED.with_limit(48 * KIB),
    "residual_tower": DEDICATED.with_limit(48 * KIB),
}
LARGE = {
    "models/mobilenet_v2_1.0_224_quant": DEDICATED.with_limit(384 * KIB),
    "models/omv_yolov8n_192": DEDICATED.with_limit(256 * KIB),
    "models/omv_blazeface_front_128": DEDICATED.with_limit(64 * KIB),
    "models/person_detect": resolve("ethos-u55-64").with_limit(60 * KIB),
    "models/movenet_single_pose_lightning_ptq": DEDICATED.with_limit(200 * KIB),
    "models/resnet8_int8": SHARED.with_limit(64 * KIB),
}
OPTIONS = Options()
_HEARD = (EditFate.HONOURED, EditFate.CHANGED)


def path_of(name: str) -> Path:
    return need(f"{name}.tflite") if "/" in name else EXAMPLES / f"{name}.tflite"


@cache
def bench(name: str, target: Target) -> Workbench:
    return Workbench(run(path_of(name).read_bytes(), target, OPTIONS))


@cache
def ground(name: str, target: Target) -> Scheduled:
    return bench(name, target).schedule(target, OPTIONS)


def around(name: str, target: Target, *asked: Edit) -> Scheduled:
    shown = edits.shown_of(ground(name, target))
    return bench(name, target).around(shown, target, replace(OPTIONS, edits=asked))


def other_edit(done: Scheduled, draws: random.Random) -> Edit:
    """Something else than a schedule has, as a hand in the window asks for it."""
    graph, names = done.graph, Names.of(done.graph)
    order = [plan.op for plan in done.plans()]
    at = draws.randrange(len(order))
    plan = next(plan for plan in done.schedule.ops if plan.op == order[at])
    op, fm = names.ops[plan.op], names.maps[graph.ops[plan.op].ofm.fm]
    kept = done.schedule.maps[graph.ops[plan.op].ofm.fm]
    run_of = OpsNamed(tuple(names.ops[each] for each in order[at : at + draws.randint(2, 4)]))
    what = draws.choice([each for each in What if each is not What.AFTER])
    match what:
        case What.REGION:
            is_fast = Living.of(kept.region) is Living.FAST
            return Edit(subject=fm, what=what, value=Living.SLOW if is_fast else Living.FAST)
        case What.FORMAT:
            value = next(each for each in Format if each is not kept.format)
            return Edit(subject=fm, what=what, value=value)
        case What.ADDRESS:
            return Edit(subject=fm, what=what, value=16 * draws.randint(0, 2000))
        case What.CASCADE if len(run_of.ops) > 1:
            return Edit(subject=run_of, what=what, value=draws.choice(list(Grouping)))
        case What.BLOCK if blocks := legal_blocks(done, plan.op):
            return Edit(subject=op, what=what, value=draws.choice(blocks[:12]).block)
        case What.TRAVERSAL if plan.weights is not None:
            value = Traversal.of(not plan.block.is_part_kernel)
            return Edit(subject=op, what=what, value=value)
        case What.WEIGHTS if plan.weights is not None:
            buffers = (len(plan.weights.buffer_bytes) + draws.randint(1, 2)) % 3
            return Edit(subject=op, what=what, value=WeightsAsked(buffers=buffers))
        case What.BEFORE:
            earlier = names.ops[order[max(at - draws.randint(1, 3), 0)]]
            return Edit(subject=op, what=what, value=earlier)
        case _:
            return Edit(subject=op, what=What.STRIPE, value=draws.randint(1, 8))


def holds(name: str, target: Target, *asked: Edit) -> Scheduled:
    """What is said of edits around a schedule, after all of it was judged."""
    before, done = ground(name, target), around(name, target, *asked)
    heard = [each.edit for each in done.edits if each.fate in _HEARD]
    assert [*faults(before, done, heard)] == []
    assert done.around is not None
    assert done.around.ground.cycles == before.total.total_cycles
    if not heard:
        assert not differences(before, done)
        assert done.total == before.total
    elif len(asked) == 1:
        price = done.edits[0].price
        assert price is not None
        assert price.cycles == done.total.total_cycles
        assert price.cycles_without == before.total.total_cycles
    assert done.layout.is_within_limits or not before.layout.is_within_limits
    return done


def case(name: str, target: Target, seed: int) -> Scheduled:
    """One edit of a random kind, or whatever somebody may try."""
    draws = random.Random(seed)
    if seed % 4:
        return holds(name, target, other_edit(ground(name, target), draws))
    return holds(name, target, random_edits(ground(name, target).graph, seed, 1)[0])


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("seed", range(3))
def test_an_edit_changes_what_it_says_and_what_follows(name: str, seed: int):
    case(name, SMALL[name], seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_so_do_many_edits_of_real_networks(name: str):
    fates = [case(name, LARGE[name], seed).edits[0].fate for seed in range(200)]
    # Most of what a hand asks for is possible where it is asked for.
    assert sum(fate in _HEARD for fate in fates) > 100


@pytest.mark.parametrize("name", SMALL)
def test_what_was_shown_is_found_again_to_the_byte(name: str):
    target = SMALL[name]
    before, again = ground(name, target), around(name, target)
    assert what_runs(again) == what_runs(before)
    assert not differences(before, again)
    assert again.total == before.total
    assert compiled(bench(name, target), again) == compiled(bench(name, target), before)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_what_was_shown_of_a_real_network_is(name: str):
    target = LARGE[name]
    before, again = ground(name, target), around(name, target)
    assert not differences(before, again)
    assert again.total == before.total


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_so_is_what_a_front_has_found(name: str):
    target, options = SMALL[name], Options(search=Search.BEST, effort=12)
    table = bench(name, target)
    before = table.schedule(target, options)
    again = table.around(edits.shown_of(before), target, options)
    assert not differences(before, again)
    assert again.total == before.total


@pytest.mark.parametrize("name", ["kws_dscnn", "resnet8"])
def test_several_edits_hold_beside_each_other_and_each_has_its_price(name: str):
    target, draws = SMALL[name], random.Random(3)
    before = ground(name, target)
    asked = tuple(other_edit(before, draws) for _ in range(4))
    done = holds(name, target, *asked)
    priced = edits.tried(bench(name, target), done)
    for place, outcome in enumerate(priced.edits):
        rest = tuple(replace(e, is_on=False) if at == place else e for at, e in enumerate(asked))
        without = around(name, target, *rest)
        if outcome.price is not None:
            assert outcome.price.cycles == done.total.total_cycles
            assert outcome.price.cycles_without == without.total.total_cycles


def test_an_edit_that_is_off_is_as_if_it_were_none():
    name, target = "resnet8", SMALL["resnet8"]
    edit = other_edit(ground(name, target), random.Random(5))
    off = around(name, target, replace(edit, is_on=False))
    assert not differences(off, ground(name, target))
    assert off.edits[0].fate is EditFate.OFF


def test_what_has_no_room_there_is_refused_with_what_it_would_take():
    name = "unet_128"
    target = SMALL[name]
    before = ground(name, target)
    evicted = max(before.schedule.evicted, key=lambda each: each.size_bytes)
    largest = Names.of(before.graph).maps[evicted.fms[0]]
    done = holds(name, target, Edit(subject=largest, what=What.REGION, value=Living.FAST))
    outcome = done.edits[0]
    assert outcome.fate is EditFate.REFUSED
    assert outcome.reasons
    assert not differences(before, done)


def test_what_is_proved_to_be_impossible_is_tried_once(monkeypatch):
    name, target = "kws_dscnn", SMALL["kws_dscnn"]
    names = Names.of(ground(name, target).graph)
    pair = OpsNamed((names.ops[-2], names.ops[-1]))
    within, closures = Grounded._within, []
    monkeypatch.setattr(
        Grounded,
        "_within",
        lambda grounded, asked, closure: (
            closures.append(closure) or within(grounded, asked, closure)
        ),
    )
    edit = Edit(subject=pair, what=What.CASCADE, value=Grouping.TOGETHER)
    (outcome,) = holds(name, target, edit).edits
    assert outcome.fate is EditFate.REFUSED
    assert any(each.is_proved for each in outcome.reasons)
    assert len(closures) == 1


@pytest.mark.parametrize("name", ["kws_dscnn", "unet_128", "shuffle_with_cpu"])
def test_a_schedule_as_json_is_what_was_shown(name: str):
    target = SMALL[name]
    before = ground(name, target)
    data = json.dumps(listings.describe_schedule(name, before)).encode()
    shown, found = shown_in(data, before.graph, target)
    assert found.unadopted == ()
    again = bench(name, target).around(shown, target, OPTIONS)
    assert not differences(before, again)
    assert again.total == before.total


@pytest.mark.parametrize("name", ["kws_dscnn", "resnet8"])
def test_a_compiled_model_is_what_was_shown(name: str):
    target = SMALL[name]
    before = ground(name, target)
    data = compiler.compile_model(before, encodings=bench(name, target).encodings).data
    shown, _ = shown_in(data, before.graph, target)
    again = bench(name, target).around(shown, target, OPTIONS)
    assert again.total.total_cycles == pytest.approx(before.total.total_cycles, rel=0.01)


def test_names_that_the_network_has_not_are_orphans_and_change_nothing():
    name, target = "kws_dscnn", SMALL["kws_dscnn"]
    lost = Edit(subject=OpNamed("nobody"), what=What.STRIPE, value=2)
    done = around(name, target, lost)
    assert done.edits[0].fate is EditFate.ORPHAN
    assert not differences(done, ground(name, target))


def test_what_followed_has_the_names_of_all_other_tables():
    graph = ground("resnet8", SMALL["resnet8"]).graph
    op = graph.ops[3]
    followed = Followed(
        subject=Names.of(graph).ops[op.id],
        what=What.BLOCK,
        before=Block(2, 12, 40),
        now=Block(2, 16, 40),
        cause=Cause.BESIDE,
    )
    title = graph.titles.op(op.id)
    told = edits.followed_text(followed, titled(graph))
    assert told == f"block of {title}: 2x12x40, now 2x16x40"
