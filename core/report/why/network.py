"""A whole schedule in sentences: which one was taken, for which limit, and whether it fits."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.sentences import capitalised
from core.ir.addresses_tried import ArrivalsTried, LimitMet, TakenAsHigh
from core.ir.cost import Bound
from core.ir.decisions import (
    BuffersReduced,
    Candidate,
    CandidateSized,
    FrontAnswered,
    FrontFound,
    RoomGiven,
    SmallestMemory,
)
from core.ir.layout import AreaLayout
from core.ir.options import Engine
from core.ir.schedule import IslandSchedule
from core.ir.search_records import OrderTried
from core.report.front import found_text
from core.report.spread import robust_text
from core.report.why.cost import BOUND_AREAS
from core.report.why.facts import (
    Facts,
    Sentence,
    area_title,
    in_bytes,
    in_cycles,
    listed,
    share_text,
)
from core.report.why.formats import padding_sentences
from core.report.why.weights import reduction_text
from core.report.words import counted, ranges_text, rate_text, seconds_text

_CANDIDATES = {
    Candidate.WHOLE_MAPS: "whole maps everywhere",
    Candidate.WHOLE_WITHIN_LIMIT: "whole maps, as many of them in fast storage as have room",
    Candidate.SMALLEST_STRIPES: "the smallest stripes",
    Candidate.SMALLEST_WITHIN_LIMIT: "the smallest stripes",
    Candidate.CASCADES: "cascades and the highest stripes that fit",
    Candidate.FROM_FRONT: "what was taken of the front",
    Candidate.AS_COMPILED: "what the streams do",
}


def network_sentences(facts: Facts) -> Iterator[Sentence]:
    """Everything that explains a schedule as a whole."""
    yield from speed_sentences(facts)
    for area in facts.material.layout.areas:
        if area.height_bytes:
            yield Sentence("memory", area_text(facts, area))
    yield from _room(facts)
    yield from _met(facts)
    yield from _as_high(facts)
    yield from _arrivals(facts)
    yield from _answered(facts)
    yield from _robust(facts)
    for island in facts.material.schedule.islands:
        where = ""
        if len(facts.material.schedule.islands) > 1:
            where = f"Command stream {island.island}: "
        for sentence in _island(facts, island):
            text = f"{where}{sentence.text}"
            yield Sentence(sentence.topic, capitalised(text))
    yield from padding_sentences(facts)
    yield from _evictions(facts)
    yield from _on_cpu(facts)
    for warning in facts.material.graph.warnings:
        yield Sentence("warning", f"{capitalised(warning)}.")


def speed_sentences(facts: Facts) -> Iterator[Sentence]:
    """How long an inference takes, and what bounds its operators."""
    total = facts.material.total
    if not total.total_cycles:
        yield Sentence("cost", "The accelerator has nothing to do.")
        return
    yield Sentence(
        "cost",
        f"An inference takes {in_cycles(total.total_cycles)} of the accelerator"
        f" ({seconds_text(total.seconds)}, {rate_text(total.inferences_per_second)} a second),"
        f" and keeps its multipliers busy for {share_text(total.utilisation, 1)} of that.",
    )
    bounds = [
        f"{count:,} {'is' if count == 1 else 'are'} bound by {_bound(bound)}"
        for bound, count in sorted(total.bounds, key=lambda item: -item[1])
        if count
    ]
    yield Sentence("bound", f"Of its operators, {listed(bounds)}.")


def _room(facts: Facts) -> Iterator[Sentence]:
    for given in facts.decisions(RoomGiven):
        limit = facts.limit_text(given.limit_bytes)
        although = f", although {limit} is lower" if given.size_bytes > given.limit_bytes else ""
        yield Sentence(
            "memory",
            f"Some part of the network needs {in_bytes(given.size_bytes)}, however it runs, so that"
            f" every command stream may take as much{although}.",
        )


def _met(facts: Facts) -> Iterator[Sentence]:
    for met in facts.decisions(LimitMet):
        limit = facts.limit_text(met.limit_bytes)
        lower = f", once the search was given {in_bytes(met.searched_bytes)}"
        if met.lost_bytes:
            most = max(size for _, size in met.lost_bytes)
            count = counted(len(met.lost_bytes), "operator")
            lower = f", once the search had left up to {in_bytes(most)} free at {count}"
        yield Sentence(
            "memory",
            f"{met.asked.value} left {in_bytes(met.excess_bytes)} above {limit};"
            f" {met.found_by.value} found addresses within it"
            f"{lower if met.lost_bytes or met.searched_bytes < met.limit_bytes else ''}.",
        )


def _as_high(facts: Facts) -> Iterator[Sentence]:
    for taken in facts.decisions(TakenAsHigh):
        yield Sentence(
            "memory",
            f"The smallest schedule has {in_bytes(taken.peak_bytes_before)} live at once, but no"
            f" addresses below {in_bytes(taken.size_bytes)} were found for it. This one takes no"
            f" more, and {in_cycles(taken.cycles)} instead of {in_cycles(taken.cycles_before)}.",
        )


def _arrivals(facts: Facts) -> Iterator[Sentence]:
    for tried in facts.decisions(ArrivalsTried):
        which = "first" if tried.is_taken else "second"
        yield Sentence(
            "memory",
            "Addresses were laid out in two ways. One leaves room for weights to arrive while"
            f" operators before run: {in_bytes(tried.size_bytes)} and {in_cycles(tried.cycles)}."
            f" One is as low as can be: {in_bytes(tried.size_bytes_before)} and"
            f" {in_cycles(tried.cycles_before)}. The {which} was taken.",
        )


def _bound(bound: Bound) -> str:
    return "the accelerator itself" if bound is Bound.NPU else area_title(BOUND_AREAS[bound])


def area_text(facts: Facts, area: AreaLayout) -> str:
    """What a memory has to have room for."""
    what = listed([region.value for region in area.regions])
    verb = "takes" if len(area.regions) == 1 else "take"
    text = f"{what} {verb} {in_bytes(area.height_bytes)} of {area_title(area.area)}"
    if area.limit_bytes is not None and facts.is_limit(area.limit_bytes):
        if area.excess_bytes:
            text += f", {in_bytes(area.excess_bytes)} above"
        else:
            text += f", {in_bytes(area.limit_bytes - area.height_bytes)} below"
        text += f" the limit of {in_bytes(area.limit_bytes)}"
    if area.height_bytes == area.lower_bound_bytes:
        return f"{text}; no layout of its ranges is lower."
    return f"{text}; no layout of its ranges is lower than {in_bytes(area.lower_bound_bytes)}."


def _island(facts: Facts, island: IslandSchedule) -> Iterator[Sentence]:
    for decision in facts.decisions(SmallestMemory):
        if decision.island == island.island and decision.op is not None:
            yield Sentence(
                "memory",
                "no schedule that keeps the order of operators needs less than"
                f" {in_bytes(decision.size_bytes)} for maps that must exist whole, in whichever"
                f" memory, because of {facts.op_name(decision.op)}.",
            )
    for sized in facts.decisions(CandidateSized):
        if sized.island == island.island:
            yield Sentence("schedule", _candidate(facts, sized))
    for found in facts.decisions(FrontFound):
        if found.island == island.island:
            yield Sentence("schedule", _front(facts, found))
    yield from _ordered(facts, island)
    numbers = {plan.op for plan in island.ops}
    for reduced in facts.decisions(BuffersReduced):
        if numbers.issuperset(reduced.ops):
            yield Sentence("weights", reduction_text(reduced))
    if island.cascades:
        ops = sum(len(cascade.ops) for cascade in island.cascades)
        yield Sentence(
            "cascade",
            f"{counted(ops, 'operator')} of {len(island.ops):,} run in"
            f" {counted(len(island.cascades), 'cascade')}.",
        )


def _candidate(facts: Facts, decision: CandidateSized) -> str:
    is_whole = decision.candidate is Candidate.WHOLE_MAPS
    what = f"{_CANDIDATES[decision.candidate]} ('{decision.candidate.value}')"
    text = f"with {what} the peak of {facts.fast} is"
    text = f"{text} {in_bytes(decision.peak_bytes)}"
    if facts.is_limit(decision.limit_bytes):
        side = "within" if decision.peak_bytes <= decision.limit_bytes else "above"
        text += f", {side} {facts.limit_text(decision.limit_bytes)}"
    if decision.is_taken:
        why = ", as nothing is faster, and it fits" if is_whole else ""
        if decision.peak_bytes > decision.limit_bytes:
            why = ", as none that was found is within it"
        return f"{text}; this was taken{why}."
    dropped = "it does not fit, and so was not taken"
    return f"{text}; {dropped if is_whole else 'it was the start for higher ones'}."


def _front(facts: Facts, found: FrontFound) -> str:
    """What the search over all strategies has found."""
    count = counted(len(found.sizes), "schedule")
    text = f"of {counted(found.combinations, 'combination')} of strategies {count}"
    text += f" {'is' if len(found.sizes) == 1 else 'are'} left that no other is better than"
    if len(found.sizes) > 1:
        text += (
            f": from {in_cycles(found.cycles[0])} with {in_bytes(found.sizes[0])}"
            f" to {in_cycles(found.cycles[-1])} with {in_bytes(found.sizes[-1])}, as the search"
            " counts"
        )
        if not facts.material.options.freedoms.measured_price:
            text += ", which goes by the ecosystem's estimate"
    if found.taken_of is Engine.CASCADING:
        text += "; the one that is taken of them was found by the cascading engine"
    if found.is_above_limit and facts.is_limit(found.limit_bytes):
        text += f"; none is within {facts.limit_text(found.limit_bytes)}"
    return f"{text}."


def _ordered(facts: Facts, island: IslandSchedule) -> Iterator[Sentence]:
    for each in facts.decisions(OrderTried):
        if each.island == island.island:
            fate = "This order is taken" if each.is_taken else "It is not taken"
            yield Sentence(
                "order",
                f"With {counted(len(each.ops), 'operator')} put off"
                f" ({ranges_text(sorted(each.ops))}) the peak of {facts.fast} is"
                f" {in_bytes(each.peak_bytes)} in {in_cycles(each.cycles)}, in the file's order"
                f" {in_bytes(each.peak_bytes_before)} in {in_cycles(each.cycles_before)}."
                f" {fate}.",
            )


def _answered(facts: Facts) -> Iterator[Sentence]:
    for each in facts.decisions(FrontAnswered):
        end = ", and more promise nothing" if each.is_done else ""
        found, direct = found_text(each.engine, each.searched_bytes, each.changes), ""
        if each.direct_cycles is not None:
            direct = f", with the direct search {in_cycles(each.direct_cycles)}"
        yield Sentence(
            "schedule",
            f"The front has {counted(each.points, 'schedule')} after {each.searches:,} searches"
            f"{end}; the one that is taken was found by {found}, and takes"
            f" {in_cycles(each.cycles)}{direct}. No schedule takes fewer than"
            f" {in_cycles(each.least_cycles)}, whatever its limit; this one takes"
            f" {each.times_least:.2f} times as many.",
        )


def _robust(facts: Facts) -> Iterator[Sentence]:
    if text := robust_text(facts.material):
        yield Sentence("schedule", f"{capitalised(text)}.")


def _evictions(facts: Facts) -> Iterator[Sentence]:
    costs = facts.analysis.evictions
    if not costs:
        if facts.material.target.is_spilling:
            yield Sentence("eviction", f"Every map that could move to {facts.fast} did.")
        return
    cycles = sum(cost.cycles for cost in costs)
    yield Sentence(
        "eviction",
        f"{counted(len(costs), 'group')} of maps could be in {facts.fast} and"
        f" {'is' if len(costs) == 1 else 'are'} not,"
        f" {in_bytes(facts.material.schedule.evicted_bytes)} in all;"
        f" one by one, they cost {in_cycles(cycles)}.",
    )


def _on_cpu(facts: Facts) -> Iterator[Sentence]:
    count = len(facts.material.graph.cpu_ops)
    if count:
        yield Sentence(
            "why on the CPU",
            f"{counted(count, 'operator')} of the model {'runs' if count == 1 else 'run'} on the"
            " CPU, between"
            f" {counted(len(facts.material.graph.islands), 'command stream')} of the"
            " accelerator.",
        )
