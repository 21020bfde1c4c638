"""The contest for fast storage in sentences: who stays, who goes, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.ids import FmId
from core.ir.decisions import Fate, MapPlaced, SpillSolved, Worth
from core.ir.schedule import IslandSchedule
from core.ir.trace import EvictionCost
from core.report.why.facts import Facts, Sentence, area_title, in_bytes, in_cycles, listed
from core.report.words import counted
from core.target.region import Region

_MOST_RIVALS_TOLD = 4
_TOLD_BY = {
    Worth.ACCESSES: ("have", "accesses", "keeps"),
    Worth.CYCLES: ("save", "cycles", "saves"),
}


def eviction_sentences(facts: Facts, number: FmId) -> Iterator[Sentence]:
    """Why a map is in fast storage or not, how sure that is, and what it costs."""
    for decision in [d for d in facts.decisions(MapPlaced) if number in d.fms][-1:]:
        yield Sentence("memory", _verdict(facts, decision))
        rivals = _rivals(facts, decision)
        if rivals:
            yield Sentence("eviction", rivals)
    solved = [d for d in facts.decisions(SpillSolved) if number in d.fms]
    if solved:
        yield Sentence("eviction", solved_text(facts, solved[-1]))
    cost = facts.eviction(number)
    if cost is not None:
        text = f"That it is not in {facts.fast} {price_text(facts, cost)}"
        yield Sentence("eviction", f"{text}; {staying_text(facts, cost)}.")


def absence_text(facts: Facts, cost: EvictionCost) -> str:
    """That maps are not in fast storage, as far as it is known why."""
    is_roomless = _fate(facts, cost) in {Fate.LOST, Fate.NEVER_FITS}
    return f"found no room in {facts.fast}" if is_roomless else f"is not in {facts.fast}"


def staying_text(facts: Facts, cost: EvictionCost) -> str:
    """What would be live at once with a map, and why it is not there if that is within the limit:
    a hasty policy can leave room unused, and so can the search for cascades."""
    limit = facts.material.schedule.islands[cost.island].limit_bytes
    if cost.live_with_it_bytes <= limit:
        room = f"with {in_bytes(cost.live_with_it_bytes)} it would have room now"
        return f"{room}{_WITH_ROOM[_fate(facts, cost)]}"
    return (
        f"with it {in_bytes(cost.live_with_it_bytes)} would be needed at once, if all else stayed"
        " as it is; with a limit as high as that, a search may find a better use for the room"
    )


def _fate(facts: Facts, cost: EvictionCost) -> Fate | None:
    island = facts.material.schedule.islands[cost.island]
    return facts.fates.get(island.evicted[cost.position].fms[0])


_SAID = {
    Fate.ASKED: "as your edit asks for that",
    Fate.SHOWN: "as it was when your edits began",
}
_NOT_BACK = ", but this policy brings nothing back that has left"
_WITH_ROOM = {
    None: "",
    Fate.ALWAYS_FITS: "",
    Fate.WON: "",
    Fate.LOST: _NOT_BACK,
    Fate.NEVER_FITS: _NOT_BACK,
    Fate.ASKED: ", but an edit asks for something else",
    Fate.SHOWN: ", but your edits left it where it was shown",
    Fate.COUNTED_ON: "",
    Fate.CASCADED: ", and an edit can keep it there",
    Fate.FASTER_AWAY: ", but it is faster where it is",
}


def price_text(facts: Facts, cost: EvictionCost) -> str:
    """What an eviction costs; now and then the cost model finds that it saves something."""
    area = area_title(facts.material.target.arena.area)
    traffic = f"{in_bytes(cost.traffic_bytes)} of traffic in {area}"
    if round(cost.cycles) < 0:
        return f"saves {in_cycles(-cost.cycles)}, and costs {traffic}"
    return f"costs {in_cycles(cost.cycles)} and {traffic}"


def _verdict(facts: Facts, decision: MapPlaced) -> str:
    island = _island(facts, decision)
    start = facts.material.start_time(island)
    needs = (
        f"it needs {in_bytes(decision.size_bytes)} in steps {start + decision.start_time} to"
        f" {start + decision.end_time}, where {decision.accesses:,} elements of it are read and"
        " written"
    )
    if decision.region is not Region.SCRATCH_FAST:
        return _absence(facts, decision, island, needs)
    if decision.reason in _SAID:
        return f"It is in {facts.fast}, {_SAID[decision.reason]}: {needs}."
    if decision.reason is Fate.COUNTED_ON:
        limit = facts.limit_text(decision.within_bytes)
        return (
            f"It is in {facts.fast}, where the cascades beside it were found with it below {limit}:"
            f" {needs}."
        )
    if decision.reason is Fate.WON:
        limit = facts.limit_text(decision.within_bytes)
        return f"It won its place in {facts.fast} below {limit}: {needs}."
    return f"It is in {facts.fast}, since everything fits while it lives: {needs}."


def _absence(facts: Facts, decision: MapPlaced, island: IslandSchedule, needs: str) -> str:
    limit = facts.limit_text(decision.within_bytes)
    slow = area_title(facts.material.target.arena.area)
    if decision.reason in _SAID:
        return f"It lives in {slow}, {_SAID[decision.reason]}: {needs}."
    if decision.reason is Fate.CASCADED:
        return (
            f"It lives in {slow}, since a cascade makes it, and of such maps the search moves none"
            f" to {facts.fast}: {needs}."
        )
    if decision.reason is Fate.FASTER_AWAY:
        return (
            f"It lives in {slow}, though it has room: with it in {facts.fast}, what makes and reads"
            f" it would take longer. For {facts.fast}, {needs}."
        )
    beside = _beside(island, decision)
    if decision.reason is Fate.NEVER_FITS:
        where = f"{facts.fast} even with all other maps gone ({limit})"
        if decision.within_bytes < island.limit_bytes:
            # That it has no room is a choice of the search, not what the user allows.
            aim = in_bytes(decision.within_bytes)
            where = f"the {aim} that this schedule was made for, even with all other maps gone"
        return (
            f"It lives in {slow}, since it does not fit {where}: {needs}; up to"
            f" {in_bytes(beside)} are taken meanwhile."
        )
    return f"It lost its place in {facts.fast} below {limit}, and lives in {slow}: {needs}."


def _beside(island: IslandSchedule, decision: MapPlaced) -> int:
    return max(island.snapshot[decision.start_time : decision.end_time + 1], default=0)


def _island(facts: Facts, decision: MapPlaced) -> IslandSchedule:
    """The command stream whose operators touch the map: contenders are made and read in one."""
    island, _ = facts.place(facts.touch(decision.fms[0]).makers[0])
    return island


def _rivals(facts: Facts, decision: MapPlaced) -> str:
    """Who lived at the same time and got the room, or had to leave."""
    island = _island(facts, decision)
    ops = {plan.op for plan in island.ops}
    makers = {op.ofm.fm for op in facts.material.graph.ops if op.id in ops}
    rivals = [
        other
        for other in facts.decisions(MapPlaced)
        if other.fms != decision.fms
        and other.fms[0] in makers
        and other.start_time <= decision.end_time
        and decision.start_time <= other.end_time
        and other.reason in {Fate.WON, Fate.LOST}
    ]
    if decision.reason is Fate.LOST:
        rivals = [other for other in rivals if other.reason is Fate.WON]
        text = "The room that it would have needed is taken by"
    elif decision.reason is Fate.WON:
        rivals = [other for other in rivals if other.reason is Fate.LOST]
        text = "In its stead had to leave"
    else:
        return ""
    if not rivals:
        return ""
    rivals.sort(key=lambda other: -other.accesses)
    told = [
        f"{facts.map_name(other.fms[0])} ({in_bytes(other.size_bytes)},"
        f" {other.accesses:,} accesses)"
        for other in rivals[:_MOST_RIVALS_TOLD]
    ]
    if len(rivals) > _MOST_RIVALS_TOLD:
        told.append(counted(len(rivals) - _MOST_RIVALS_TOLD, "other"))
    return f"{text} {listed(told)}."


def solved_text(facts: Facts, decision: SpillSolved) -> str:
    """How good the choice is, of the group that was decided together."""
    count = counted(len(decision.fms), "map")
    verb, noun, more = _TOLD_BY[decision.unit]
    text = (
        f"It was decided together with all that compete, {count}: those that stay in"
        f" {facts.fast} {verb} {decision.worth_kept:,} {noun}"
    )
    if len(decision.fms) == 1:
        text = f"It was decided alone, by its {noun}: it {more} {decision.worth_kept:,}"
    if decision.is_proven_optimal:
        return f"{text}, and it is proven that no other choice {more} more."
    gap = decision.worth_bound - decision.worth_kept
    return (
        f"{text}; no choice {more} more than {decision.worth_bound:,}, so at most"
        f" {gap:,} could be gained."
    )
