"""Why an operator is in a cascade or not, and why its stripes are as high as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from core.base.geometry import ceil_div
from core.base.ids import NpuOpId
from core.base.sentences import capitalised
from core.ir.decisions import (
    Candidate,
    CascadeEnd,
    CascadeGrown,
    FullMapNeeded,
    Role,
    StrategyTaken,
    Streaming,
    StripesImpossible,
    StripeTried,
)
from core.ir.schedule import IslandSchedule
from core.ir.search_records import PartTaken
from core.report.why.facts import Facts, Sentence, in_bytes, in_cycles, listed, ops_text
from core.report.why.reasons import because
from core.report.words import counted, ranges_text, shape_text

_MOST_HEIGHTS_TOLD = 6
_ROLES = {Role.IFM: "input", Role.IFM2: "second input", Role.OFM: "output"}
_STREAMING = {
    Streaming.WEIGHTS: "lets its weights pass in slices",
    Streaming.FEATURE_MAP: "lets its input pass in rows of blocks",
    Streaming.NOTHING: "reads everything from where it is",
}


def stripe_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """In which stripes an operator runs, in which cascade, and why."""
    island, plan = facts.place(number)
    rows, height = facts.op(number).ofm.touched.h, plan.stripe.ofm.h
    if height < rows:
        count = ceil_div(rows, max(height, 1))
        text = f"It makes {counted(height, 'row')} at once, and so its {rows:,} rows in {count:,}"
        yield Sentence("stripe", f"{text} stripes.")
    else:
        yield Sentence("stripe", f"It makes its whole output of {counted(rows, 'row')} at once.")
    if plan.cascade is None:
        yield Sentence("cascade", alone_text(facts, number))
    else:
        ops = island.cascades[plan.cascade].ops
        place = ops.index(number) + 1
        where = f"of the {len(ops):,} operators {ranges_text(ops)}"
        yield Sentence("cascade", f"It is number {place} {where} that run as one cascade.")
        yield from growth_sentences(facts, ops)
        yield from height_sentences(facts, island, ops)
    yield from _strategy(facts, number)
    yield from whole_sentences(facts, number)


def _strategy(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """What the search over all strategies has taken for an operator."""
    for decision in facts.decisions(StrategyTaken):
        if number in decision.ops:
            at = decision.ops.index(number)
            text = (
                f"Of all strategies that were compared, it has blocks of"
                f" {shape_text(decision.blocks[at])} and {_STREAMING[decision.streaming[at]]};"
                f" {in_bytes(decision.size_bytes)} of {facts.fast} are live meanwhile."
            )
            yield Sentence("schedule", text)


def whole_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """Which maps of an operator must exist whole."""
    for decision in facts.decisions(FullMapNeeded):
        if decision.op == number:
            role = _ROLES[decision.role]
            why = because(decision.reason, f"that {role.removeprefix('second ')}")
            yield Sentence("cascade", f"Its {role} must exist whole, since {why}.")


def alone_text(facts: Facts, number: NpuOpId) -> str:
    """Why an operator is in no cascade."""
    island, _ = facts.place(number)
    whole = _whole_maps(facts, island)
    if whole:
        return f"It is in no cascade, because none was needed: {whole}."
    for impossible in facts.decisions(StripesImpossible):
        if impossible.op == number:
            return f"It cannot be part of a cascade: {because(impossible.reason)}."
    grown = [d for d in facts.decisions(CascadeGrown) if d.first == number]
    if grown:
        return _no_growth(facts, grown[-1])
    if any(number in d.ops for d in facts.decisions(StrategyTaken)):
        return "It is in no cascade: none that was tried is faster, or as fast with less memory."
    passed = [d for d in facts.decisions(CascadeGrown) if d.first < number <= d.tried_until]
    if passed:
        return _left_out(facts, passed[-1])
    rows = counted(facts.op(number).ofm.touched.h, "row")
    why = f"with {rows} of output, even its lowest stripe is all of it"
    if _is_cut(facts, island):
        why = "of all cuts into cascades that have room, none with it is faster"
    return f"It is in no cascade: {why}."


def uncascaded_sentences(facts: Facts, island: IslandSchedule) -> Iterator[str]:
    """Why nothing of a command stream is in a cascade."""
    whole = _whole_maps(facts, island)
    ops = {plan.op for plan in island.ops}
    ends = {d.first: d.end for d in facts.decisions(CascadeGrown) if d.first in ops}
    if whole:
        yield f"Nothing needed cascading: {whole}."
    elif _is_cut(facts, island):
        yield (
            "None of its operators is in a cascade: of all cuts into cascades that have room, none"
            " is faster than whole maps, of which some may stay in slower memory."
        )
    elif not ends:
        impossible = {each.op for each in facts.decisions(StripesImpossible)}
        yield (
            "None of its operators can be part of a cascade."
            if ops <= impossible
            else "None of its operators is in a cascade; what else was tried is not told."
        )
    else:
        yield f"Cascades were tried from {counted(len(ends), 'operator')}, and none was worth it:"
        for end, count in Counter(ends.values()).most_common():
            why = because(end, "the last one tried")
            yield f"from {counted(count, 'operator')}: {why}."


def _is_cut(facts: Facts, island: IslandSchedule) -> bool:
    """Whether all cuts were looked at, and no cascade was grown by itself."""
    ops = {plan.op for plan in island.ops}
    is_within = island.candidate in {Candidate.CASCADES, Candidate.WHOLE_WITHIN_LIMIT}
    is_grown = any(each.first in ops for each in facts.decisions(CascadeGrown))
    return is_within and not is_grown and not facts.decisions(StrategyTaken)


def _whole_maps(facts: Facts, island: IslandSchedule) -> str:
    """What is true of a command stream whose maps are all whole; empty for others."""
    if island.candidate is not Candidate.WHOLE_MAPS:
        return ""
    limit = facts.limit_text(island.limit_bytes)
    return (
        f"with whole maps everywhere the peak of {facts.fast} is {in_bytes(island.peak_bytes)},"
        f" which {'is within' if facts.is_limit(island.limit_bytes) else 'meets'} {limit}, and"
        " nothing is faster"
    )


def growth_sentences(facts: Facts, ops: Sequence[NpuOpId]) -> Iterator[Sentence]:
    """How far a cascade was grown, and what ended that."""
    grown = [d for d in facts.decisions(CascadeGrown) if d.first == ops[0] and d.last == ops[-1]]
    if not grown:
        yield from _grouped(facts, ops)
        return
    decision = grown[-1]
    yield Sentence(
        "cascade",
        f"As a cascade, operators {ranges_text(ops)} need {in_bytes(decision.size_bytes)} where"
        f" {facts.op_name(decision.first)} alone needs {in_bytes(decision.uncascaded_bytes)};"
        f" {_measure(facts, decision)}.",
    )
    until = ""
    if decision.tried_until != decision.last:
        until = (
            f"Longer ones were tried up to {facts.op_name(decision.tried_until)}, but the best"
            f" ends with {facts.op_name(decision.last)}; "
        )
    text = f"{until}it does not go on because {_end(facts, decision)}."
    yield Sentence("cascade", capitalised(text))


def _grouped(facts: Facts, ops: Sequence[NpuOpId]) -> Iterator[Sentence]:
    """Why operators run together that are no chain."""
    for part in facts.decisions(PartTaken):
        if part.ops == tuple(ops):
            limit = facts.limit_text(part.limit_bytes)
            yield Sentence(
                "cascade",
                f"Of all cuts into cascades within {limit}, the fastest have operators"
                f" {ranges_text(ops)} as one: its estimate is {in_cycles(part.cycles)} and"
                f" {in_bytes(part.size_bytes)}, and each by itself {in_cycles(part.cycles_alone)}.",
            )


def _measure(facts: Facts, decision: CascadeGrown) -> str:
    if not facts.is_limit(decision.limit_bytes):
        return "there is no limit"
    what = "buffers may take" if facts.material.target.is_spilling else "the peak to stay below is"
    return f"{what} {in_bytes(decision.limit_bytes)}"


def _end(facts: Facts, decision: CascadeGrown) -> str:
    if decision.end is CascadeEnd.LAST:
        return _last(facts, decision.tried_until)
    return because(decision.end, facts.op_name(decision.tried_until))


def _last(facts: Facts, number: NpuOpId) -> str:
    """What is behind an operator that nothing can follow in a cascade."""
    name, readers = facts.op_name(number), facts.touch(facts.op(number).ofm.fm).readers
    if len(readers) > 1:
        return f"{ops_text(readers)} all read the output of {name}"
    if readers == (number + 1,) and facts.place(number)[0] is facts.place(readers[0])[0]:
        return f"no cascade that goes on behind {name} was tried"
    return f"no operator of its command stream reads the output of {name}"


def _no_growth(facts: Facts, decision: CascadeGrown) -> str:
    """Why no cascade begins with an operator."""
    alone = in_bytes(decision.uncascaded_bytes)
    measure = _measure(facts, decision)
    if decision.last != decision.first:
        tried = f"operators {decision.first}-{decision.last} could be a cascade"
        return (
            f"It is in no cascade: {tried}, but higher stripes without it were faster. Alone it"
            f" needs {alone}; {measure}."
        )
    return (
        f"No cascade begins with it, because {_end(facts, decision)}. Alone it needs {alone};"
        f" {measure}."
    )


def _left_out(facts: Facts, decision: CascadeGrown) -> str:
    end = f"ends with {facts.op_name(decision.last)}"
    if decision.last == decision.first:
        end = f"would have left {facts.op_name(decision.first)} alone"
    return (
        f"A cascade from {facts.op_name(decision.first)} was tried up to"
        f" {facts.op_name(decision.tried_until)}, but the best {end}, as {_end(facts, decision)};"
        f" that takes {in_bytes(decision.size_bytes)}, and {_measure(facts, decision)}."
    )


def height_sentences(
    facts: Facts, island: IslandSchedule, ops: Sequence[NpuOpId]
) -> Iterator[Sentence]:
    """Which heights were tried for a cascade's last stripe, what fitted, and what was taken."""
    tried = [d for d in facts.decisions(StripeTried) if d.first <= ops[0] and ops[-1] <= d.last]
    if any(part.ops == tuple(ops) for part in facts.decisions(PartTaken)):
        return
    last = next(plan for plan in island.ops if plan.op == ops[-1])
    rows = facts.op(last.op).ofm.touched.h
    if not tried:
        yield Sentence(
            "stripe",
            f"No other height was tried: between {counted(last.stripe.ofm.h, 'row')} and half of"
            f" {rows:,} there is none.",
        )
        return
    about = "the cascade's last operator"
    if (tried[0].first, tried[0].last) != (ops[0], ops[-1]):
        about = f"operator {tried[0].last}, when {tried[0].first}-{tried[0].last} were one cascade"
    fitting = sorted({d.height for d in tried if d.fits})
    yield Sentence("stripe", _tried(facts, tried, fitting, about))
    if not fitting or last.stripe.ofm.h < fitting[0]:
        why = "So" if not fitting else "No higher stripe is faster, so"
        yield Sentence(
            "stripe", f"{why} it keeps the lowest stripes, of {counted(last.stripe.ofm.h, 'row')}."
        )
    elif tried[0].last == ops[-1]:
        height = last.stripe.ofm.h
        choice = f"{'takes' if height == 1 else 'take'} the fewest cycles"
        if len(fitting) == 1:
            choice = f"{'is' if height == 1 else 'are'} all that fits"
        yield Sentence("stripe", f"Of these, {counted(height, 'row')} {choice}.")


def _tried(facts: Facts, tried: Sequence[StripeTried], fitting: list[int], about: str) -> str:
    heights = counted(len(tried), "height")
    fit = f"{_rows(fitting)} fit" if fitting else "none fits"
    text = f"{capitalised(heights)} were tried for {about}: {fit}"
    refused = [d for d in tried if not d.fits]
    if refused:
        lowest = min(refused, key=lambda d: d.height)
        if lowest.size_bytes > lowest.limit_bytes:
            allowed = facts.limit_text(lowest.limit_bytes)
            why = f"would need {in_bytes(lowest.size_bytes)}, above {allowed}"
        else:
            why = f"would break it into {counted(lowest.cascades, 'cascade')}"
        text += f"; {counted(lowest.height, 'row')} {why}"
    return f"{text}."


def _rows(heights: list[int]) -> str:
    told = [f"{height:,}" for height in heights]
    if len(told) > _MOST_HEIGHTS_TOLD:
        told = [*told[: _MOST_HEIGHTS_TOLD - 1], f"up to {told[-1]}"]
        return f"{', '.join(told)} rows"
    return f"{listed(told)} row{'' if told == ['1'] else 's'}"
