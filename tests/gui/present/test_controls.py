"""What is said of knobs is true: the compiler is asked."""

from __future__ import annotations

import pytest

from core.base.errors import OptionError
from core.base.frozen import replace
from core.ir.knobs import KNOBS
from core.ir.options import (
    Engine,
    EvictionPolicy,
    ParetoOptions,
    Search,
    Strategy,
)
from core.ir.settings import Settings
from gui.document.display import ByteUnit
from gui.present.controls import (
    Verdict,
    applied,
    asked,
    limit_field,
    limit_text,
    own_limit,
    resolvable,
    verdict_of,
    without_effect,
)
from tests.gui.answers import answer_of
from tests.settings import settings_with

KIB = 1024
NO_LIMIT = {"ethos-u65-256": 1 << 40, "ethos-u55-256": 1 << 32}
EXAMPLES = ("kws_dscnn", "unet_128", "residual_tower", "shuffle_with_cpu", "denoise_int16")


def reasons(answer):
    return without_effect(answer.document, answer.scheduled.target, answer)


def schedule_of(answer):
    """What a knob without effect must not change; addresses are the allocator's affair."""
    scheduled = answer.scheduled
    islands = [
        (island.ops, island.cascades, island.snapshot, island.evicted)
        for island in scheduled.schedule.islands
    ]
    # Room that is left is no part of how a network runs.
    plans = [[replace(plan, slack_bytes=0) for plan in ops] for ops, *_ in islands]
    return plans, [rest for _, *rest in islands], scheduled.schedule.maps, scheduled.costs


@pytest.mark.long
@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("accelerator", list(NO_LIMIT))
@pytest.mark.parametrize("example", EXAMPLES)
def test_a_limit_without_effect_has_none(example, accelerator, strategy):
    def answer(limit):
        return answer_of(example, accelerator=accelerator, strategy=strategy, limit_bytes=limit)

    free = answer(NO_LIMIT[accelerator])
    needed = free.unlimited_bytes
    claims = 0
    for limit in (8 * KIB, needed // 4, needed // 2, needed - 1, needed, 3 * needed):
        found = answer(limit)
        if "limit_bytes" in reasons(found):
            claims += 1
            assert schedule_of(found) == schedule_of(free), limit
    assert claims >= 2


@pytest.mark.parametrize("limit", [64 * KIB, 256 * KIB, 2048 * KIB])
@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("accelerator", list(NO_LIMIT))
def test_a_spill_policy_without_effect_has_none(example, accelerator, limit):
    def answer(policy):
        return answer_of(example, accelerator=accelerator, limit_bytes=limit, eviction=policy)

    answers = [answer(policy) for policy in EvictionPolicy]
    for found in answers:
        if "eviction" in reasons(found):
            assert all(schedule_of(found) == schedule_of(other) for other in answers)


def test_the_spill_policy_has_an_effect_where_maps_are_evicted():
    found = answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=256 * KIB)
    assert found.scheduled.schedule.islands[0].evicted
    assert "eviction" not in reasons(found)


def test_effort_is_for_the_best_search():
    for search in Search:
        found = reasons(answer_of("kws_dscnn", search=search, effort=2))
        assert ("effort" in found) == (search is not Search.BEST)


def test_the_reasons_are_sentences_with_numbers():
    shared = answer_of("kws_dscnn")
    found = reasons(shared)
    assert found["eviction"] == "in Shared_Sram, feature maps never leave fast storage"
    assert found["limit_bytes"] == f"everything fits in {shared.unlimited_bytes / KIB:.2f} KiB"
    small = answer_of("kws_dscnn", strategy=Strategy.SIZE, limit_bytes=4 * KIB)
    assert "whatever the limit" in reasons(small)["limit_bytes"]
    dedicated = answer_of(
        "unet_128", accelerator="ethos-u65-256", strategy=Strategy.SIZE, limit_bytes=384 * KIB
    )
    taken = max(island.limit_bytes for island in dedicated.scheduled.schedule.islands)
    found = without_effect(
        dedicated.document, dedicated.scheduled.target, dedicated, ByteUnit.BYTES
    )
    assert found["limit_bytes"] == f"strategy Size takes no more than {taken:,} B"


def test_what_only_an_answer_can_tell_is_not_told_of_an_older_one():
    answer = answer_of("kws_dscnn")
    later = replace(answer.document, settings=Settings(limit_bytes=8 * KIB))
    assert "limit_bytes" not in without_effect(later, answer.scheduled.target, answer)
    assert "limit_bytes" not in without_effect(later, answer.scheduled.target, None)


def test_weights_that_are_symmetric_can_be_taken_as_such():
    answer = answer_of("kws_dscnn", force_symmetric_int_weights=True)
    assert reasons(answer)["force_symmetric_int_weights"] == "all signed weights are symmetric"
    plain = answer_of("kws_dscnn")
    assert answer.scheduled.run.graph.ops == plain.scheduled.run.graph.ops


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"limit_bytes": 64 * KIB}, (64 * KIB, 0)),
        ({"memory_mode": "Sram_Only"}, (None, 0)),
        ({"strategy": Strategy.SIZE, "limit_bytes": KIB}, (KIB, None)),
    ],
)
def test_the_verdict_is_that_of_the_layout(settings, expected):
    answer = answer_of("unet_128", **settings)
    verdict = verdict_of(answer)
    layout = answer.scheduled.layout
    limit, excess = expected
    assert verdict.limit_bytes == limit
    assert verdict.fits == layout.is_within_limits
    assert verdict.excess_bytes == sum(area.excess_bytes for area in layout.areas)
    assert verdict.required_bytes == layout.areas[0].height_bytes
    if excess is None:
        assert verdict.excess_bytes == verdict.required_bytes - KIB


def test_one_byte_too_much_does_not_fit():
    assert Verdict(required_bytes=100, limit_bytes=100).fits
    assert not Verdict(required_bytes=101, limit_bytes=100).fits
    assert Verdict(required_bytes=101, limit_bytes=100).excess_bytes == 1
    assert Verdict(required_bytes=101, limit_bytes=None).fits


def test_defaults_are_filled_in():
    answer = answer_of("kws_dscnn", accelerator="ethos-u65-256")
    done = applied(answer)
    assert done["system_config"] == "Ethos_U65_Client_Server"
    assert done["memory_mode"] == "Dedicated_Sram_384KB"
    assert done["limit_bytes"] == "384 KiB"
    assert done["configs"] == "none"
    assert set(done) == {knob.name for knob in KNOBS}
    settings = answer.document.settings
    assert asked(settings, settings.target()) == done


def test_limits_are_written_as_they_are_typed():
    assert limit_field(None) == ""
    assert limit_field(384 * KIB) == "384K"
    assert limit_field(1000) == "1000"
    assert limit_field(0) == "0"
    assert limit_text(None) == "no limit"
    assert limit_text(1536, ByteUnit.BYTES) == "1,536 B"
    assert own_limit(Settings().target()) is None
    assert own_limit(Settings(limit_bytes=5).target()) == 5


def test_another_accelerator_sets_back_what_does_not_go_with_it():
    u65 = settings_with(
        accelerator="ethos-u65-256", memory_mode="Dedicated_Sram", strategy=Strategy.SIZE
    )
    assert resolvable(u65) == (u65, ())
    found = resolvable(replace(u65, accelerator="ethos-u55-64"))
    assert found.set_back == ("memory_mode",)
    assert found.settings == settings_with(accelerator="ethos-u55-64", strategy=Strategy.SIZE)
    large = replace(u65, memory_mode=None, limit_bytes=1 << 39)
    found = resolvable(replace(large, accelerator="ethos-u55-64"))
    assert found.settings.limit_bytes is None
    with pytest.raises(OptionError, match="unknown accelerator"):
        resolvable(Settings(accelerator="ethos-u55-65"))


@pytest.mark.parametrize("example", ["kws_dscnn", "unet_128"])
@pytest.mark.parametrize("accelerator", list(NO_LIMIT))
@pytest.mark.parametrize("streams", [True, False])
def test_what_the_pareto_engine_does_not_heed_changes_nothing(example, accelerator, streams):
    given = {
        "accelerator": accelerator,
        "engine": Engine.PARETO,
        "limit_bytes": 256 * KIB,
        "search": Search.BEST,
        "pareto": ParetoOptions(ifm_streaming=streams, most_bytes=64 * KIB),
    }
    first = answer_of(example, **given)
    others = {"search": Search.DIRECT, "strategy": Strategy.SIZE}
    if not streams:
        others["pareto"] = replace(given["pareto"], cascading=False)
    told = reasons(first)
    assert {"search", "strategy"} <= told.keys()
    assert ("pareto.cascading" in told) == (not streams)
    for knob, value in others.items():
        assert schedule_of(answer_of(example, **given | {knob: value})) == schedule_of(first), knob
