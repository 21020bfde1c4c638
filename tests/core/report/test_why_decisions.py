"""Every kind of decision is told of with the numbers that decided."""

from __future__ import annotations

import pytest

from core.api import reasons
from core.base.frozen import replace
from core.ir.addresses_tried import ArrivalsTried, LimitMet, TakenAsHigh
from core.ir.decisions import (
    BlockChosen,
    Buffering,
    BuffersReduced,
    Candidate,
    CandidateSized,
    CascadeGrown,
    ConstantPlaced,
    Decision,
    FormatChosen,
    FrontAnswered,
    FrontFound,
    FullMapNeeded,
    MapPlaced,
    Role,
    RoomGiven,
    SmallestMemory,
    SpillSolved,
    StrategyTaken,
    StripesImpossible,
    StripeTried,
    WeightsBuffered,
)
from core.ir.npugraph import ShapeFolded
from core.ir.options import Engine
from core.ir.rewritten import Measure, RewriteReason, RewriteTried
from core.ir.robust_tried import Finalist, RobustTaken
from core.ir.search_records import OrderTried, PartTaken
from core.report.why.reasons import because
from tests.core.report.explained import (
    LARGE,
    NAMES,
    SETTINGS,
    Explained,
    explained,
)

ROLES = {Role.IFM: "input", Role.IFM2: "second input", Role.OFM: "output"}


BUFFERS = {Buffering.SINGLE: "one buffer", Buffering.DOUBLE: "two buffers in turn"}


def buffered(decision: WeightsBuffered) -> tuple[str, ...]:
    stream = f"{decision.stream_bytes:,} bytes"
    if decision.buffering is Buffering.DIRECT:
        return (stream, "as they are used")
    room = f"{max(decision.limit_bytes, 0):,} byte"
    return (
        stream,
        BUFFERS[decision.buffering],
        room if decision.limit_bytes < 1 << 40 else "any amount",
    )


NETWORK = lambda _: reasons.AboutNetwork()  # noqa: E731

TOLD = {
    ShapeFolded: (
        lambda d: reasons.AboutOp(d.ops[0]),
        lambda d: ("x".join(map(str, d.seen_as)), f"{round(d.cycles):,} cycles"),
    ),
    FormatChosen: (
        lambda d: reasons.AboutMap(d.fm),
        lambda d: (
            d.format.value,
            because(d.reason, channel=d.channel),
            *(f"{price.size_bytes:,} byte" for price in (d.rows, d.bricks) if price),
        ),
    ),
    FullMapNeeded: (
        lambda d: reasons.AboutOp(d.op),
        lambda d: (f"Its {ROLES[d.role]} must exist whole, since",),
    ),
    StripesImpossible: (lambda d: reasons.AboutOp(d.op), lambda d: (because(d.reason),)),
    SmallestMemory: (NETWORK, lambda d: (f"{d.size_bytes:,} bytes", f"operator {d.op} ")),
    RoomGiven: (NETWORK, lambda d: (f"needs {d.size_bytes:,} bytes", "may take as much")),
    CandidateSized: (NETWORK, lambda d: (d.candidate.value, f"{d.peak_bytes:,} bytes")),
    CascadeGrown: (
        lambda d: reasons.AboutOp(d.first),
        lambda d: (f"{d.uncascaded_bytes:,} bytes",),
    ),
    StripeTried: (lambda d: reasons.AboutOp(d.last), lambda d: ("tried for", f"{d.height:,}")),
    BlockChosen: (
        lambda d: reasons.AboutOp(d.op),
        lambda d: (f"{d.asked:,} block", f"takes {round(d.cycles[0]):,} cycle"),
    ),
    WeightsBuffered: (lambda d: reasons.AboutOp(d.op), buffered),
    MapPlaced: (
        lambda d: reasons.AboutMap(d.fms[0]),
        lambda d: (f"{d.size_bytes:,} bytes", f"{d.accesses:,} elements"),
    ),
    SpillSolved: (lambda d: reasons.AboutMap(d.fms[0]), lambda d: (f"{d.worth_kept:,}",)),
    BuffersReduced: (
        NETWORK,
        lambda d: (f"{round(d.cycles):,} cycles", f"{d.evicted_bytes:,} bytes evicted"),
    ),
    ConstantPlaced: (lambda d: reasons.AboutOp(d.op), lambda d: (because(d.reason),)),
    FrontAnswered: (
        NETWORK,
        lambda d: (f"found by {d.engine.value}", f"{round(d.cycles):,} cycles"),
    ),
    PartTaken: (
        lambda d: reasons.AboutOp(d.ops[0]),
        lambda d: (f"{round(d.cycles):,} cycles", f"{d.size_bytes:,} bytes"),
    ),
    OrderTried: (
        NETWORK,
        lambda d: (f"{d.peak_bytes:,} bytes", f"{d.peak_bytes_before:,} bytes"),
    ),
    RobustTaken: (
        NETWORK,
        lambda d: (
            f"The schedule of {d.taken.value} is taken",
            *(f"at worst {d.of(each).worst:.2f}" for each in {d.taken, Finalist.USUAL}),
            *["slower than it"] * d.of(d.taken).crosses,
        ),
    ),
    LimitMet: (
        NETWORK,
        lambda d: (
            f"{d.asked.value} left {d.excess_bytes:,} bytes above",
            f"{d.limit_bytes:,} bytes",
            f"{d.found_by.value} found addresses within it",
        ),
    ),
    TakenAsHigh: (
        NETWORK,
        lambda d: (
            f"{d.size_bytes:,} bytes",
            f"{d.peak_bytes_before:,} bytes live",
            f"{round(d.cycles):,} cycles instead of {round(d.cycles_before):,}",
        ),
    ),
    ArrivalsTried: (
        NETWORK,
        lambda d: (
            f"{d.size_bytes:,} bytes",
            f"{d.size_bytes_before:,} bytes",
            f"{round(d.cycles):,} cycles",
            f"The {'first' if d.is_taken else 'second'} was taken",
        ),
    ),
    StrategyTaken: (
        lambda d: reasons.AboutOp(d.ops[0]),
        lambda d: ("x".join(map(str, d.blocks[0])), f"{d.size_bytes:,} bytes"),
    ),
    FrontFound: (
        NETWORK,
        lambda d: (
            f"{d.combinations:,} combinations",
            *[f"{d.sizes[0]:,} bytes", f"{d.sizes[-1]:,} bytes"] * (len(d.sizes) > 1),
            *["none is within"] * d.is_above_limit,
            *["found by the cascading engine"] * (d.taken_of is Engine.CASCADING),
        ),
    ),
}
"""By kind of decision: who is asked about it, and what has to be in the answer."""

# What a decision for another limit, or before the last one, said is no longer of interest.
SUPERSEDED = (CascadeGrown, StripeTried, StripesImpossible)

QUICK = [(name, case) for name in NAMES for case in SETTINGS if name not in LARGE]


@pytest.mark.parametrize(
    "asked",
    [
        [*QUICK, ("residual_tower", "compatible"), ("unet_128", "dedicated")],
        pytest.param([(name, case) for name in NAMES for case in SETTINGS], marks=pytest.mark.slow),
    ],
    ids=["some", "all"],
)
def test_every_kind_of_decision_is_told_with_its_numbers(asked):
    seen = set()
    for name, case in asked:
        found = explained(name, case)
        for number, decision in enumerate(found.done.schedule.decisions):
            if type(decision) in seen and number % 7:
                continue
            if isinstance(decision, SUPERSEDED) and is_superseded(found, decision):
                continue
            if isinstance(decision, SmallestMemory) and decision.op is None:
                continue
            if isinstance(decision, RewriteTried):
                assert_told_of_its_operators(found, decision)
                seen.add(RewriteTried)
                continue
            subject_of, parts_of = TOLD[type(decision)]
            text = found.text(subject_of(decision))
            for part in parts_of(decision):
                assert part.lower() in text.lower(), (name, case, decision, part, text)
            seen.add(type(decision))
    assert seen == set(Decision.__args__)


def assert_told_of_its_operators(found: Explained, tried: RewriteTried) -> None:
    about = [op.id for op in found.done.graph.ops if set(tried.sources) <= set(op.sources)]
    figures = (tried.figure_without, tried.figure_with)
    unit = "cycle" if tried.measure is Measure.CYCLES else "byte"
    for number in about:
        text = found.text(reasons.AboutOp(number))
        assert because(tried.reason) in text
        assert all(f"{round(figure):,} {unit}" in text for figure in figures)
    assert about or not tried.reason.speaks_for


@pytest.mark.parametrize("reason", RewriteReason)
def test_every_reason_of_a_rewrite_is_told(reason):
    found = explained("unet_128")
    tried = replace(next(iter(found.of(RewriteTried))), reason=reason)
    op = next(op for op in found.done.graph.ops if set(tried.sources) <= set(op.sources))
    text = found.with_decisions(tried).text(reasons.AboutOp(op.id))
    assert because(reason) in text
    assert (" not " in text) >= (not reason.speaks_for)


def is_superseded(
    found: Explained, decision: CascadeGrown | StripeTried | StripesImpossible
) -> bool:
    """Whether a later decision says more of the operator, or the text has only the end of it."""
    if isinstance(decision, StripeTried):
        heights = [each for each in found.of(StripeTried) if each.first == decision.first]
        in_cascade = found.done.schedule.ops[decision.last].cascade is not None
        lowest = min((each.height for each in heights if not each.fits), default=0)
        return not in_cascade or (not decision.fits and decision.height != lowest) or decision.fits
    op = decision.op if isinstance(decision, StripesImpossible) else decision.first
    islands = found.done.schedule.islands
    if any(
        each.is_taken
        and each.candidate is Candidate.WHOLE_MAPS
        and op in {p.op for p in islands[each.island].ops}
        for each in found.of(CandidateSized)
    ):
        return True
    if isinstance(decision, StripesImpossible):
        return False
    *_, last = (each for each in found.of(CascadeGrown) if each.first == decision.first)
    return last is not decision or found.done.schedule.ops[decision.first].cascade is not None
