"""What differs between two schedules is told, nothing else is, and what most of it comes from."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import cli
from core.api import comparisons, compiler, listings, networks, programs
from core.api.comparisons import Account, Aspect, Comparison, Fate
from core.base.errors import InputError
from core.base.frozen import replace
from core.base.ids import NpuOpId
from core.base.rough import rough_text
from core.compare.cause import causes_of, told_causes
from core.compare.comparison import Difference
from core.edits.names import Names
from core.ir.edits import Edit, Grouping, Living, OpsNamed, What
from core.ir.npugraph import OpKind
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.report.comparison.words import NO_DIFFERENCE, cause_text, difference_text
from core.target.resolve import resolve
from core.target.target import Target
from core.tflite import writer
from tests.networks.random_networks import random_network
from tests.shared import need

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
SHARED = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(48 << 10)
PEERS = (
    "u55-128-shared-256k/vww_96_int8",
    "u55-256-shared-perf/resnet8_int8",
    "u55-32-shared-64k/person_detect",
    "u55-64-sramonly-perf/micro_speech_quantized",
    "u65-256-dedicated-384k/kws_dscnn_int8",
    "u65-256-shared-48k/str_ww_int8",
)


@cache
def bench(model: str, target: Target) -> Workbench:
    data = (EXAMPLES / f"{model}.tflite").read_bytes()
    return Workbench(networks.run(data, target, Options()))


@cache
def scheduled(model: str, target: Target, *edits: Edit) -> Scheduled:
    return bench(model, target).schedule(target, Options(edits=edits))


def told(found: Scheduled) -> Account:
    return comparisons.account_of_schedule(found)


def compared(model: str, target: Target, *edits: Edit) -> Comparison:
    """The schedule with some edits, held against the one without."""
    without = told(scheduled(model, target))
    return comparisons.compare(without, told(scheduled(model, target, *edits)))


@pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=["shared", "dedicated"])
@pytest.mark.parametrize("model", ["kws_dscnn", "resnet8", "shuffle_with_cpu"])
def test_a_schedule_is_equal_to_itself(model: str, target: Target) -> None:
    found = compared(model, target)
    assert found.is_equal
    assert found.cause is None
    assert all(pair.a is not None and pair.b is not None for pair in found.operators)


@pytest.mark.parametrize(("number", "seed"), [(22, 4), (27, 0), (39, 1)])
def test_names_that_several_have_make_no_difference(number: int, seed: int) -> None:
    """These were told to be other decisions: a range of several maps was taken for another one."""
    chance, network = Random(seed), random_network(number)
    tensors = (
        replace(each, name=chance.choice(("", "a", "b", each.name)))
        for each in network.main.tensors
    )
    main = replace(network.main, tensors=tuple(tensors))
    renamed = writer.write(replace(network, subgraphs=(main, *network.subgraphs[1:])))
    run = networks.run(renamed, SHARED, Options())
    account = told(Workbench(run).schedule(SHARED, Options()))
    assert comparisons.compare(account, account).is_equal


@given(st.randoms(use_true_random=False))
def test_operators_that_run_in_another_order_are_told_once_each(random: Random) -> None:
    before = told(scheduled("shuffle_with_cpu", SHARED))
    # No order that data allows: for the pairs it is all one.
    after = replace(before, ops=tuple(random.sample(before.ops, len(before.ops))))
    found = comparisons.compare(before, after)
    assert [pair.b for pair in found.operators if pair.b] == list(after.ops)
    firsts = [pair.a.places for pair in found.operators if pair.a]
    assert sorted(firsts) == [op.places for op in before.ops]
    assert sum(pair.cycles for pair in found.operators) == pytest.approx(0)
    # Whoever is not told to have moved runs in the order of before.
    still = [
        pair.a.places
        for pair in found.operators
        if pair.a and pair.b and all(each.aspect is not Aspect.ORDER for each in pair.differences)
    ]
    assert still == sorted(still)


def test_operators_are_called_what_their_schedules_call_them_whenever_they_run() -> None:
    names = Names.of(scheduled("resnet8", SHARED).graph).ops
    sooner = Edit(subject=names[NpuOpId(5)], what=What.BEFORE, value=names[NpuOpId(4)])
    found = compared("resnet8", SHARED, sooner)
    pairs = [(pair.a, pair.b) for pair in found.operators if pair.a and pair.b]
    assert len(pairs) == len(found.operators)
    assert [a.numbers for a, _ in pairs] == [b.numbers for _, b in pairs]
    assert any(a.places != b.places for a, b in pairs)
    # Whose weights a range holds is told by the same numbers.
    held = [(pair.a, pair.b) for pair in found.ranges if pair.a and pair.b]
    assert {a.op for a, _ in held} > {None}
    assert [a.op for a, _ in held] == [b.op for _, b in held]


def test_one_operator_that_runs_later_is_told_alone() -> None:
    before = told(scheduled("shuffle_with_cpu", SHARED))
    first, *rest = before.ops
    numbers = [op.places for op in before.ops]
    moved = zip((*rest, first), numbers, strict=True)
    after = replace(before, ops=tuple(replace(op, places=places) for op, places in moved))
    found = comparisons.compare(before, after)
    (pair,) = (pair for pair in found.operators if pair.differences)
    (difference,) = pair.differences
    assert pair.a is first
    told_as = f"runs as number {len(rest)} instead of 0"
    assert difference_text(difference) == told_as


@pytest.mark.parametrize("model", ["kws_dscnn", "resnet8", "residual_tower"])
def test_a_compiled_model_is_equal_to_the_schedule_that_it_was_made_from(model: str) -> None:
    target = SHARED.with_limit(SHARED.accelerator.max_address)
    before = scheduled(model, target)
    read = programs.read_program(compiler.compile_model(before).data)
    assert read is not None
    after = programs.read_back(programs.study_program(read, lambda _: target)).scheduled
    found = comparisons.compare(told(before), told(after))
    assert found.is_equal, comparisons.render(found)


def test_a_planted_block_is_the_first_cause() -> None:
    before = scheduled("resnet8", SHARED)
    plan = max(before.schedule.ops, key=lambda plan: before.cost(plan).total_cycles)

    name = Names.of(before.graph).ops[plan.op]
    block = plan.block.ofm_block._replace(h=2, w=2)
    found = compared("resnet8", SHARED, Edit(subject=name, what=What.BLOCK, value=block))
    assert found.cause is not None
    assert found.cause.difference.aspect is Aspect.BLOCK
    assert found.cause.difference.after == block
    assert [found.operators[at].a.places for at in found.cause.pairs] == [(int(plan.op),)]
    assert found.cause.share == pytest.approx(1, abs=0.1)


def test_tables_say_what_operators_do_as_the_rest_of_the_app_does() -> None:
    one, other = (scheduled("kws_dscnn", target) for target in (SHARED, DEDICATED))
    comparison = comparisons.compare(told(one), told(other))
    kinds = {row[2] for row in comparisons.tables.operators(comparison).rows}
    assert kinds
    assert kinds <= {kind.value for kind in OpKind}


def test_a_cause_that_others_take_back_is_told_in_cycles() -> None:
    before = scheduled("resnet8", SHARED)
    plan = max(before.schedule.ops, key=lambda plan: before.cost(plan).total_cycles)
    name = Names.of(before.graph).ops[plan.op]
    block = plan.block.ofm_block._replace(h=2, w=2)
    found = compared("resnet8", SHARED, Edit(subject=name, what=What.BLOCK, value=block))
    assert found.cause is not None
    back = replace(found.cause, cycles=-found.cause.cycles / 2, share=-1.0)
    twice = replace(found, causes=(replace(found.cause, share=2.0), back))
    told = comparisons.render(twice)
    assert f"{round(found.cause.cycles):+,} cycles are operator" in told
    assert f"all others together are {round(back.cycles):+,}" in told


def check_ranking(found: Comparison) -> None:
    """Each operator that differs is in one cause, they come to the whole, and what is told explains
    most of it."""
    total = sum(pair.cycles for pair in found.operators)
    assert sum(each.cycles for each in found.causes) == pytest.approx(total, abs=1e-3)
    places = [at for each in found.causes for at in each.pairs]
    assert sorted(places) == [at for at, pair in enumerate(found.operators) if not pair.is_equal]
    aspects = [None if each.difference is None else each.difference.aspect for each in found.causes]
    assert len(set(aspects)) == len(aspects)
    named = told_causes(found.causes)
    assert named == found.causes[: len(named)]
    if total:
        shares = [each.share for each in found.causes]
        assert sum(shares) == pytest.approx(1)
        assert shares == sorted(shares, reverse=True)
        assert sum(each.share for each in named) >= 0.8
        assert len(named) == 1 or sum(each.share for each in named[:-1]) < 0.8
    elif found.causes:
        whole = sum(abs(each.cycles) for each in found.causes)
        assert sum(abs(each.cycles) for each in named) >= 0.8 * whole
    text = cause_text(found)
    assert bool(text) is bool(found.causes)
    for each in named:
        assert not each.cycles or f"{round(each.cycles):+,}" in text


@given(st.lists(st.tuples(st.sampled_from((None, *Aspect)), st.integers(-9, 9)), max_size=12))
def test_causes_come_to_the_whole_and_those_told_explain_most_of_it(
    drawn: list[tuple[Aspect | None, int]],
) -> None:
    account = told(scheduled("resnet8", SHARED))
    same = comparisons.compare(account, account)
    pairs = list(same.operators)
    for at, (aspect, cycles) in enumerate(drawn):
        differences = (
            () if aspect is None else (Difference(aspect=aspect, before=(at,), after=None),)
        )
        pairs[at] = replace(
            pairs[at],
            after_cycles=pairs[at].before_cycles + 100 * cycles,
            differences=differences,
        )
    check_ranking(replace(same, operators=tuple(pairs), causes=causes_of(pairs)))


@pytest.mark.parametrize("model", ["kws_dscnn", "resnet8", "shuffle_with_cpu", "residual_tower"])
@pytest.mark.parametrize("limit", [24 << 10, 48 << 10, 96 << 10])
def test_what_a_limit_costs_is_explained(model: str, limit: int) -> None:
    a, b = (told(scheduled(model, target)) for target in (DEDICATED, DEDICATED.with_limit(limit)))
    check_ranking(comparisons.compare(a, b))
    check_ranking(comparisons.compare(b, a))
    check_ranking(comparisons.compare(a, told(scheduled(model, SHARED))))


def test_a_planted_cascade_is_the_first_cause() -> None:
    names = Names.of(scheduled("kws_dscnn", SHARED).graph).ops[:2]
    both = Edit(subject=OpsNamed(names), what=What.CASCADE, value=Grouping.TOGETHER)
    found = compared("kws_dscnn", SHARED, both)
    assert [(each.before, each.after) for each in found.cascades] == [((), (0, 1))]
    assert found.cause is not None
    assert found.cause.difference.aspect is Aspect.CASCADE
    assert "a cascade of 0 to 1 instead of no cascade" in comparisons.render(found)
    assert found.cause.pairs == (0, 1)


def test_a_planted_eviction_is_the_first_cause() -> None:
    before = scheduled("resnet8", DEDICATED)
    op = next(
        op for op in before.graph.ops if before.map_plan(op.ofm).region.value == "Scratch_fast"
    )
    slow = Edit(subject=Names.of(before.graph).maps[op.ofm.fm], what=What.REGION, value=Living.SLOW)
    found = compared("resnet8", DEDICATED, slow)
    assert found.cause is not None
    assert found.cause.difference.aspect is Aspect.MEMORY
    assert found.cause.difference.about == before.graph.fm(op.ofm).name
    fates = {pair.name: pair.fate for pair in found.ranges}
    assert fates[before.graph.fm(op.ofm).name] in (Fate.EVICTED, Fate.MOVED)


def test_what_one_side_has_more_has_no_partner() -> None:
    account = told(scheduled("kws_dscnn", SHARED))
    found = comparisons.compare(account, replace(account, ops=account.ops[:-3]))
    lonely = [pair for pair in found.operators if pair.b is None]
    assert [pair.a.places[0] for pair in lonely] == [op.places[0] for op in account.ops[-3:]]
    assert not found.is_equal


def test_where_one_side_tells_totals_alone_nothing_is_said_of_operators():
    account = told(scheduled("kws_dscnn", SHARED))
    totals = {name: value for name, value in account.totals.items() if name == "total_cycles"}
    alone = replace(account, ops=(), ranges=(), totals={"total_cycles": totals["total_cycles"] + 9})
    for a, b in ((alone, account), (account, alone)):
        found = comparisons.compare(a, b)
        assert found.cause is None
        said = comparisons.render(found)
        assert "One side tells totals alone" in said
        assert "no partner" not in said
        assert "Operators" not in said
        assert "Ranges of bytes" not in said
    # A network without any operator for the NPU tells all of them.
    nothing = replace(account, ops=(), totals=account.totals | {"npu_operators": 0.0})
    assert "no partner" in comparisons.render(comparisons.compare(nothing, account))


def test_swapped_sides_give_the_opposite() -> None:
    one, other = told(scheduled("resnet8", SHARED)), told(scheduled("resnet8", DEDICATED))
    there, back = comparisons.compare(one, other), comparisons.compare(other, one)
    assert [-pair.cycles for pair in there.operators] == [pair.cycles for pair in back.operators]
    assert sum(pair.size_bytes for pair in there.ranges) == -sum(
        pair.size_bytes for pair in back.ranges
    )


@pytest.mark.parametrize("pair", PEERS)
@pytest.mark.parametrize("core", ["schedules", "regor"])
def test_figures_are_those_of_the_files(pair: str, core: str) -> None:
    """The peer's cores against ours: each figure is recomputed from what the files say."""
    peer = json.loads(need(f"peer/{core}/{pair}.json").read_text())
    model = need(f"models/{pair.split('/')[1]}.tflite").read_bytes()
    run = networks.run(model, SHARED, Options())
    ours = listings.describe_schedule("ours", Workbench(run).schedule(SHARED, Options()))
    a, b = (comparisons.account_of_json(json.dumps(each).encode()) for each in (peer, ours))
    told = comparisons.describe(comparisons.compare(a, b))
    for name, (theirs, factor) in {
        "total_cycles": ("cycles_total", 1),
        "sram_bytes": ("sram_memory_used", 1024),
        "off_chip_flash_bytes": ("off_chip_flash_memory_used", 1024),
        "sram_moved_bytes": ("sram_total_bytes", 1),
        "macs": ("nn_macs", 1),
    }.items():
        before, after = (float(each["summary"][theirs]) * factor for each in (peer, ours))
        assert told["totals"][name] == {"a": before, "b": after, "difference": after - before}
    check_operators(told["operators"], "a", peer)
    check_operators(told["operators"], "b", ours)


def check_operators(told: list[dict[str, Any]], side: str, plain: dict[str, Any]) -> None:
    """Each operator of a file is there once, in its order, with its cycles."""
    ops = [op for island in plain.get("schedules", ()) for op in island["ops"]]
    places = [place for pair in told for place in pair[f"{side}_operators"]]
    assert places == list(range(len(ops)))
    for pair in told:
        mine = [ops[place] for place in pair[f"{side}_operators"]]
        if mine:
            own = {sum(op["op_cycles"] for op in mine)}
            own |= {sum(op["cost"]["total_cycles"] for op in mine if "cost" in op)}
            assert pair[f"{side}_cycles"] in own
        assert pair["difference_cycles"] == (pair["b_cycles"] or 0) - (pair["a_cycles"] or 0)


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", '{"schedules": 3}', '{"schedules": [], "allocations": [3]}', "{", "\0"],
)
def test_what_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        comparisons.account_of_json(text.encode())


def of_cycles(cycles: float, accelerator: str) -> Account:
    """A schedule of which nothing but cycles is told."""
    plain = {"totals": {"total_cycles": cycles}, "target": {"accelerator_config": accelerator}}
    return comparisons.account_of_json(json.dumps(plain).encode())


@pytest.mark.parametrize(
    ("accelerators", "after", "is_told"),
    [
        (("ethos-u55-256", "ethos-u55-128"), 1.029e6, False),
        (("ethos-u55-256", "ethos-u55-128"), 1.035e6, True),
        (("ethos-u65-256", "ethos-u65-512"), 0.91e6, False),
        (("ethos-u65-256", "ethos-u65-512"), 0.89e6, True),
        (("ethos-u55-256", "ethos-u65-256"), 1.001e6, True),
    ],
)
def test_what_the_estimate_cannot_tell_is_no_difference(accelerators, after, is_told) -> None:
    a, b = (of_cycles(*side) for side in zip((1e6, after), accelerators, strict=True))
    found = comparisons.compare(a, b)
    plain = comparisons.describe(found)
    assert (NO_DIFFERENCE in plain["headline"]) is not is_told
    assert (rough_text(after - 1e6) in plain["headline"]) is is_told
    assert plain["tells_cycles_apart"] is is_told
    # Scripts count exactly all the same, and nothing is equal that is not.
    assert comparisons.demand_of("cycles>+0").is_met(found) is (after > 1e6)
    assert not found.is_equal
    assert plain["totals"]["total_cycles"]["difference"] == pytest.approx(after - 1e6)


@pytest.mark.parametrize(("limit", "code"), [("64K", 1), ("80K", 0)])
def test_compiled_files_are_held_against_a_limit_that_is_asked(limit, code, tmp_path, capsys):
    path = str(need("peer/compiled/person_detect_vela.tflite"))
    out = tmp_path / "found.json"
    words = ["--arena-cache-size", limit, "--fail-if", "excess>0"]
    assert cli.main(["compare", path, path, *words, "--json", str(out)]) == code
    told = json.loads(out.read_text())
    size = int(limit[:-1]) << 10
    assert told["a"]["target"]["arena_cache_size"] == str(size)
    excess = max(0, told["totals"]["fast_storage_bytes"]["b"] - size)
    assert told["totals"]["excess_bytes"] == {"a": excess, "b": excess, "difference": 0}
    assert ("excess" in capsys.readouterr().err) is bool(code)
