"""Whatever is advised was tried: asked for again, it brings what is claimed, to the cycle."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import cli
from core.api import advices, networks, schedules
from core.api.advices import Effect, Occasion, Tip, Topic
from core.base.frozen import replace
from core.base.ids import FmId
from core.ir.edits import What
from core.ir.npugraph import NpuOp
from core.ir.options import Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.pipeline.advice import helps
from core.pipeline.proposals import Proposal, proposals
from core.target.family import Family
from core.target.region import Region
from core.target.registry import ACCELERATORS
from tests.networks.small_networks import five_operators, small_or_example
from tests.shared import files, need

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
SHARED = Settings(accelerator="ethos-u55-128", limit_bytes=64 << 10)
DEDICATED = Settings(
    accelerator="ethos-u65-256",
    system_config="Ethos_U65_High_End",
    memory_mode="Dedicated_Sram",
    limit_bytes=48 << 10,
)
SIZES = Settings(accelerator="ethos-u55-32")


def bench_of(model: Path, settings: Settings) -> schedules.Workbench:
    return schedules.Workbench(
        networks.run(model.read_bytes(), settings.target(), settings.options)
    )


@cache
def advised(model: Path, settings: Settings, *, tries_best: bool) -> tuple[Tip, ...]:
    bench, lowering = bench_of(model, settings), settings.options.lowering
    trials = advices.Trials(bench, lowering, grows_fronts=tries_best)
    return advices.in_order(advices.advice(trials, settings))


@cache
def shown(model: Path, settings: Settings) -> Scheduled:
    """What a process that knows nothing finds."""
    return schedules.schedule(model.read_bytes(), settings.target(), settings.options)


def found(model: Path, settings: Settings) -> Effect:
    return advices.effect_of(shown(model, settings))


def check_stays(model: Path, tip: Tip) -> None:
    """The map that the tip names is in fast storage within its limit, and not within less."""
    assert tip.because is not None
    limit = tip.settings.limit_bytes
    assert limit is not None
    for size_bytes, expected in ((limit, True), (limit - 1024, False)):
        settings = replace(tip.settings, limit_bytes=size_bytes)
        done = shown(model, settings)
        regions = {
            plan.region
            for fm, plan in zip(done.graph.feature_maps, done.schedule.maps, strict=True)
            if fm.name == tip.because.map
        }
        assert (Region.SCRATCH_FAST in regions) is expected, tip.because


def check(model: Path, settings: Settings, *, tries_best: bool) -> tuple[Tip, ...]:
    tips = advised(model, settings, tries_best=tries_best)
    before = found(model, settings)
    for tip in tips:
        assert tip.before == before
        assert tip.after == found(model, tip.settings), str(tip.settings)
        assert helps(tip.before, tip.after, settings.target().accelerator.family)
        assert advices.effect_text(tip)
        if tip.topic is Topic.MORE_MEMORY and tip.because is not None:
            check_stays(model, tip)
    assert len({tip.settings for tip in tips}) == len(tips)
    return tips


@pytest.mark.long
@pytest.mark.parametrize("settings", [SHARED, DEDICATED], ids=["shared", "dedicated"])
@pytest.mark.parametrize("name", ["kws_dscnn", "resnet8", "shuffle_with_cpu"])
def test_every_claim_holds(name: str, settings: Settings) -> None:
    check(EXAMPLES / f"{name}.tflite", settings, tries_best=False)


@pytest.mark.long
def test_the_best_search_is_advised_where_it_is_better() -> None:
    model = EXAMPLES / "resnet8.tflite"
    settings = replace(DEDICATED, options=Options(search=Search.COMPATIBLE, effort=4))
    tips = check(model, settings, tries_best=True)
    searches = [tip for tip in tips if tip.topic is Topic.SEARCH]
    best = found(model, replace(settings, options=Options(search=Search.BEST, effort=4)))
    assert best.cycles < tips[0].before.cycles
    assert min(tip.after.cycles for tip in searches) <= best.cycles


def told(bench: schedules.Workbench, settings: Settings) -> tuple[Tip, ...]:
    """What is advised where no searches are wanted."""
    trials = advices.Trials(bench, settings.options.lowering, grows_fronts=False)
    return advices.in_order(advices.advice(trials, settings))


@pytest.mark.long
def test_where_no_searches_are_wanted_the_best_search_tells_what_it_knows_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A report does so: for who asks directly, whatever the front has."""
    # What is better here is better by less than the error of the estimate.
    monkeypatch.setattr(Family, "tells_apart", lambda _, one, other: one != other)
    model = EXAMPLES / "resnet8.tflite"
    best = replace(DEDICATED, limit_bytes=24 << 10, options=Options(search=Search.BEST, effort=16))
    direct = replace(best, options=Options())
    bench = bench_of(model, best)
    young = {tip.settings.options.search for tip in told(bench, direct)}
    assert Search.BEST not in young
    done = bench.schedule(best.target(), best.options)
    (tip,) = (tip for tip in told(bench, direct) if tip.settings.options.is_best)
    assert tip.after == advices.effect_of(done)


@pytest.mark.long
def test_where_no_searches_are_wanted_the_front_tells_what_it_has_for_other_limits() -> None:
    model = EXAMPLES / "resnet8.tflite"
    best = replace(SHARED, limit_bytes=24 << 10, options=Options(search=Search.BEST, effort=4))
    bench = bench_of(model, best)
    done = bench.schedule(best.target(), best.options)
    of_best = told(bench, best)
    assert {tip.topic for tip in of_best} == {Topic.MORE_MEMORY}
    for tip in of_best:
        assert tip.before == advices.effect_of(done)
        again = bench.fronts.look_up(tip.settings.target(), tip.settings.options)
        assert tip.after == advices.effect_of(again)


@pytest.mark.long
@pytest.mark.parametrize("strategy", Strategy)
def test_the_other_strategy_is_advised_where_it_is_better(strategy: Strategy) -> None:
    model = EXAMPLES / "resnet8.tflite"
    settings = replace(DEDICATED, options=Options(strategy=strategy))
    (other,) = set(Strategy) - {strategy}
    asked = replace(settings, options=Options(strategy=other))
    advised_settings = {tip.settings for tip in advised(model, settings, tries_best=False)}
    assert (asked in advised_settings) is helps(
        found(model, settings), found(model, asked), settings.target().accelerator.family
    )
    # As little memory as possible is never the fastest.
    assert strategy is Strategy.PERFORMANCE or asked in advised_settings


@pytest.mark.slow
@pytest.mark.parametrize("settings", [SHARED, DEDICATED, SIZES], ids=["u55", "u65", "free"])
@pytest.mark.parametrize("model", files("models/*.tflite"), ids=lambda file: file.stem)
def test_every_claim_about_a_real_network_holds(model: Path, settings: Settings) -> None:
    check(model, settings, tries_best=True)


@pytest.mark.long
def test_what_is_told_of_the_trials_is_how_many_were_made(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []

    class Watched:
        def advance(self, stage: str, done: int, total: int) -> None:
            told.append((stage, done, total))

    model = tmp_path / "five.tflite"
    model.write_bytes(five_operators())
    bench = bench_of(model, SHARED)
    trials = advices.Trials(bench, SHARED.options.lowering, Watched(), grows_fronts=False)
    list(advices.advice(trials, SHARED))
    assert {stage for stage, _, _ in told} == {"trying what would help"}
    counts = [done for _, done, total in told if total > 1]
    assert counts == sorted(counts)
    (total,) = {total for _, _, total in told} - {1}
    assert len(set(counts)) > total / 2
    assert max(counts) < total


def test_rows_for_padded_maps_and_cascades_at_the_peak_are_tried() -> None:
    tried = {
        proposal.because.occasion
        for settings in (SHARED, DEDICATED)
        for proposal in proposals(shown(EXAMPLES / "resnet8.tflite", settings))
    }
    assert {Occasion.PADDED, Occasion.AT_PEAK, Occasion.WORST} <= tried


@pytest.mark.long
def test_an_evicted_map_stays_within_the_limit_that_is_named_for_it() -> None:
    model = EXAMPLES / "resnet8.tflite"
    settings = replace(DEDICATED, limit_bytes=4 << 10)
    tips = advised(model, settings, tries_best=False)
    named = [tip for tip in tips if tip.because is not None and tip.topic is Topic.MORE_MEMORY]
    assert named
    for tip in named:
        assert tip.because.title in advices.because_text(tip)
        check_stays(model, tip)
    # Tables have it beside what it brings.
    listing = advices.listing(tips, settings, bench_of(model, settings).run.graph)
    (*_, last) = listing.headers
    told = [row[-1] for row in listing.rows]
    assert last == "because"
    assert told == [advices.because_text(tip) or None for tip in tips]


@pytest.mark.parametrize("name", ["short_tower", "resnet8", "shuffle_with_cpu"])
@pytest.mark.parametrize("settings", [SHARED, SIZES], ids=["shared", "free"])
def test_how_long_maps_wait_is_counted(name: str, settings: Settings) -> None:
    done = schedules.schedule(small_or_example(name), settings.target(), settings.options)
    order = [plan.op for island in done.schedule.islands for plan in island.ops]
    for proposal in proposals(done):
        because = proposal.because
        if because.occasion is not Occasion.WAITING:
            continue
        held = next(fm for fm in done.graph.feature_maps if fm.name == because.map)
        touched = [
            turn
            for turn, op in enumerate(order)
            if any(done.graph.feature_maps[fm] is held for fm in touches(done.graph.ops[op]))
        ]
        assert because.steps in [after - before - 1 for before, after in pairwise(touched)]
        assert because.steps >= 2
        assert f"waits {because.steps} steps" in advices.because_text(tip_of(proposal, settings))


def test_skips_are_among_what_waits() -> None:
    done = shown(EXAMPLES / "residual_tower.tflite", SIZES)
    waiting = [each for each in proposals(done) if each.because.occasion is Occasion.WAITING]
    assert {each.edit.what for each in waiting} >= {What.CASCADE}


def touches(op: NpuOp) -> set[FmId]:
    return {view.fm for view in (op.ifm, op.ifm2, op.ofm) if view is not None}


def tip_of(proposal: Proposal, settings: Settings) -> Tip:
    nothing = Effect(cycles=1, fast_bytes=1, evicted_bytes=0, excess_bytes=0)
    return Tip(
        topic=Topic.EDIT,
        settings=settings,
        edit=proposal.edit,
        before=nothing,
        after=nothing,
        because=proposal.because,
    )


def test_operators_on_the_cpu_are_told_with_what_they_cost(capsys) -> None:
    assert cli.main(["advise", str(EXAMPLES / "shuffle_with_cpu.tflite"), "--quick"]) == 0
    printed = capsys.readouterr().out
    assert "GATHER 8: no NPU of this kind has it" in printed
    assert "the CPU reads and writes 16 KiB" in printed
    assert "the NPU waits for it between two command streams" in printed


def test_each_cause_of_a_place_on_the_cpu_is_told_once_the_most_bytes_first() -> None:
    model = need("models/movenet_single_pose_lightning_ptq.tflite")
    run = networks.run(model.read_bytes(), SIZES.target(), SIZES.options)
    lines = advices.cpu_lines(run.graph)
    assert len(lines) < len(run.graph.cpu_ops)
    # No list of all that the NPU has, which helps nobody.
    assert not any("one of ABS" in line for line in lines)
    sizes = [float(re.search(r"([\d,.]+) KiB", line)[1].replace(",", "")) for line in lines]
    assert sizes == sorted(sizes, reverse=True)
    causes = [line.split(": ", 1)[1].split(";")[0] for line in lines if "no NPU" not in line]
    assert len(causes) == len(set(causes))
    assert sum(map(operators_of, lines)) == len(run.graph.cpu_ops)


def operators_of(line: str) -> int:
    """How many a line is about: those with their number, and those that are counted."""
    named, _, more = line.split(": ", maxsplit=1)[0].partition(" and ")
    counted = int(more.removesuffix(" more")) if more else 0
    return len(re.findall(r"\b\d+\b", named)) + counted


EFFECTS = st.builds(
    Effect,
    cycles=st.integers(1, 2_000).map(float),
    fast_bytes=st.integers(0, 2_000),
    evicted_bytes=st.integers(0, 10),
    excess_bytes=st.integers(0, 2),
)


@pytest.mark.parametrize("name", ["ethos-u55-256", "ethos-u65-256"])
@given(one=EFFECTS, other=EFFECTS)
def test_what_helps_is_never_undone_by_what_helps(name: str, one: Effect, other: Effect) -> None:
    family = ACCELERATORS[name].family
    assert not helps(one, one, family)
    if one.excess_bytes == other.excess_bytes and one.cycles <= other.cycles:
        assert not helps(one, other, family) or other.fast_bytes < one.fast_bytes
    if helps(one, other, family) and helps(other, one, family):
        raise AssertionError("each is better than the other")


@pytest.mark.parametrize(("name", "error"), [("ethos-u55-256", 0.03), ("ethos-u65-256", 0.10)])
def test_what_the_estimate_cannot_tell_is_no_gain(name: str, error: float) -> None:
    family = ACCELERATORS[name].family
    before = Effect(cycles=1e6, fast_bytes=4096, evicted_bytes=0, excess_bytes=0)
    nearly = replace(before, cycles=1e6 * (1 - error + 0.001))
    clearly = replace(before, cycles=1e6 * (1 - error - 0.001))
    assert not helps(before, nearly, family)
    assert helps(before, clearly, family)
    # What is smaller as well is offered for that alone.
    smaller = replace(nearly, fast_bytes=2048)
    assert helps(before, smaller, family)
    tip = Tip(
        topic=Topic.SEARCH,
        settings=SHARED,
        edit=None,
        before=before,
        after=smaller,
        tells_cycles=family.tells_apart(before.cycles, smaller.cycles),
    )
    told = advices.effect_text(tip)
    # What it brings comes first, and what it does not change is said all the same.
    assert told == "2 KiB less fast storage, as many cycles, as far as the estimate can tell"
    dearer = replace(tip, after=replace(smaller, cycles=1.5e6), tells_cycles=True)
    assert advices.effect_text(dearer) == "2 KiB less fast storage, 500 k cycles more (+50.0%)"


@pytest.mark.long
def test_what_is_printed_as_json_can_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, file = EXAMPLES / "kws_dscnn.tflite", tmp_path / "advice.json"
    target = ["--accelerator-config", "ethos-u55-128", "--arena-cache-size", "16000"]
    assert cli.main(["advise", str(model), *target, "--quick", "--json", str(file)]) == 0
    told = json.loads(file.read_text())
    assert told["advice"]
    for each in told["advice"]:
        if each["edit"] is not None:
            continue
        again = tmp_path / "again.json"
        asked = ["schedule", str(model), *each["options"], "--json", str(again)]
        assert cli.main(asked) == 0
        totals = json.loads(again.read_text())["totals"]
        assert {name: totals[name] for name in each["after"]} == each["after"]
    capsys.readouterr()
    assert cli.main(["advise", str(model), *target, "--quick"]) == 0
    printed = capsys.readouterr().out
    assert all(each["effect"] in printed for each in told["advice"])
