"""Moves feature maps to fast storage as far as there is room, where they live elsewhere.

Where fast storage is the arena, all of them are there already, and none has to move.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol

from core.base.frozen import Frozen, replace
from core.base.ids import FmId, NpuOpId
from core.base.progress import Progress
from core.ir.decisions import Decision, Fate, MapPlaced, SpillSolved, Worth
from core.ir.edits import Living
from core.ir.schedule import Evicted
from core.liveness.lives import Life, usage
from core.schedule.draft import Draft, Snapshot, rolling_maps, snapshot
from core.schedule.estimates import Estimates
from core.schedule.eviction.contest import (
    DEFAULT_OPTIONS,
    Contender,
    Contest,
    EvictionOptions,
    Policy,
    Verdict,
)
from core.schedule.problem import IslandProblem
from core.target.region import Region

_MOST_ROUNDS = 3

_Decided = tuple[Verdict, frozenset[FmId]]
"""What a policy says, and the maps that are in fast storage then."""


class SavedCycles(Protocol):
    """Who knows how many cycles maps save in fast storage."""

    def cycles(self, fast: Collection[FmId]) -> float:
        """Of all operators, with these maps there."""

    def beside(self, fast: Collection[FmId] | None) -> Mapping[FmId, int]:
        """What each map saves beside these, less than nothing where it is faster away; with None,
        nobody knows which are there."""


class Spill(Frozen):
    """Which maps are in fast storage, and what the others would have taken."""

    fast: frozenset[FmId]
    sent_away: tuple[Evicted, ...]
    """Those that could have moved: they found no room, or it is asked that they stay where they
    live."""
    now: Snapshot
    """Fast storage over time with what is in it."""
    decisions: tuple[Decision, ...]


def spill(  # noqa: PLR0913 - for what, where to, and how far it is searched
    problem: IslandProblem,
    estimates: Estimates,
    draft: Draft,
    limit_bytes: int,
    policy: Policy,
    progress: Progress,
    movable: frozenset[FmId] | None = None,
    *,
    away: frozenset[FmId] = frozenset(),
    effort: EvictionOptions = DEFAULT_OPTIONS,
    saved: SavedCycles | None = None,
) -> Spill:
    """Move every map to fast storage that a policy finds room for.

    Where it is not said which may move, those that operators outside of cascades make do, but for
    some that stay away; where nobody knows how many cycles each saves, it is worth its accesses.
    """
    if movable is None:
        alone = (node for node in problem.nodes if draft.ops[node.index].cascade is None)
        movable = problem.movable.intersection(node.ofm.fm for node in alone) - away
    asked = _asked(problem, estimates, draft)
    sent_away = tuple(_sent_away(problem, draft, movable, asked))
    movable = movable.difference(asked.away) | asked.stay
    movable, full = _with_room(problem, draft, movable, asked.stay, limit_bytes)
    accesses = accesses_of(problem, estimates, draft)
    left = tuple(_left_away(problem, draft, away - asked.stay, accesses, limit_bytes))
    if not movable:
        return Spill(fast=movable, sent_away=sent_away, now=full, decisions=left)
    near = [life for life in full.lives if asked.stay.intersection(life.fms)]
    able = movable.difference(fm for life in near for fm in life.fms)
    candidates = [life for life in full.lives if able.intersection(life.fms)]
    fixed = [life for life in full.lives if not able.intersection(life.fms)]
    base_bytes = tuple(usage(fixed, len(full.usage) - 1))

    def decided(worth: Mapping[FmId, int]) -> _Decided:
        contenders = tuple(_contender(problem, life, worth) for life in candidates)
        contest = Contest(contenders=contenders, base_bytes=base_bytes, limit_bytes=limit_bytes)
        verdict = policy(contest, effort, progress)
        kept = (life for life, stays in zip(candidates, verdict.kept, strict=True) if stays)
        return verdict, frozenset(fm for life in (*kept, *near) for fm in life.fms)

    saved = saved if candidates else None  # Of maps that are fixed nobody has to know it.
    verdict, fast = decided(accesses) if saved is None else _by_cycles(saved, decided)
    unit = Worth.ACCESSES if saved is None else Worth.CYCLES
    fates = [*map(asked.fate_of, near), *zip(candidates, verdict.fates, strict=True)]
    regions = [
        Region.SCRATCH_FAST if fast.issuperset(life.fms) else Region.SCRATCH for life, _ in fates
    ]
    records = [
        placed(life, fate, region, accesses, limit_bytes)
        for (life, fate), region in zip(fates, regions, strict=True)
    ]
    lost = [life for life, stays in zip(candidates, verdict.kept, strict=True) if not stays]
    return Spill(
        fast=fast,
        sent_away=(*map(evicted, lost), *sent_away),
        now=snapshot(problem, draft, fast) if lost else full,
        decisions=(*left, *records, *_solved(problem, candidates, verdict, unit)),
    )


def _by_cycles(saved: SavedCycles, decided: Callable[[Mapping[FmId, int]], _Decided]) -> _Decided:
    """The fewest cycles: by what maps save wherever the others are, and from there by what they
    save beside those that stay, as long as that leads to fewer."""

    def cycles(found: _Decided) -> float:
        return saved.cycles(found[1])

    best = decided(saved.beside(None))
    for _ in range(_MOST_ROUNDS):
        found = decided(saved.beside(best[1]))
        if cycles(found) >= cycles(best):
            break
        best = found
    return best


def _with_room(
    problem: IslandProblem,
    draft: Draft,
    movable: frozenset[FmId],
    stay: frozenset[FmId],
    limit_bytes: int,
) -> tuple[frozenset[FmId], Snapshot]:
    """What can move, and all of it at once. Where maps that could lie on those that stay make
    these live for longer than there is room, they do not move."""
    while True:
        full = snapshot(problem, draft, movable)
        joined = _joined(full.lives, stay)
        if not joined or _peak_beside(full, movable - stay - joined) <= limit_bytes:
            return movable, full
        # Without these, others may come to lie on those that stay.
        movable -= joined


def _joined(lives: Sequence[Life], stay: frozenset[FmId]) -> frozenset[FmId]:
    """Maps that could lie on those that stay, which are then live for longer."""
    return frozenset(fm for life in lives if stay.intersection(life.fms) for fm in life.fms) - stay


def _peak_beside(full: Snapshot, others: frozenset[FmId]) -> int:
    """Most bytes that are live at once without those of some maps."""
    lives = [life for life in full.lives if not others.intersection(life.fms)]
    return max(usage(lives, len(full.usage) - 1), default=0)


def _solved(
    problem: IslandProblem, candidates: Sequence[Life], verdict: Verdict, unit: Worth
) -> Iterator[SpillSolved]:
    """How well each part of the contest was solved."""
    for part in verdict.components:
        yield SpillSolved(
            island=problem.island.id,
            fms=tuple(fm for member in part.members for fm in candidates[member].fms),
            unit=unit,
            worth_kept=part.worth_kept,
            worth_bound=part.worth_bound,
        )


class _Asked(Frozen, kw_only=False):
    """Maps of which it is fixed where they live."""

    near: frozenset[FmId]
    away: frozenset[FmId]
    counted_on: frozenset[FmId]
    """Maps without which the draft would have been cut otherwise."""

    @property
    def stay(self) -> frozenset[FmId]:
        """Maps that are in fast storage in any case."""
        return self.near | self.counted_on

    def fate_of(self, life: Life) -> tuple[Life, Fate]:
        """Why such maps are there."""
        return life, Fate.COUNTED_ON if self.near.isdisjoint(life.fms) else Fate.ASKED


def _asked(problem: IslandProblem, estimates: Estimates, draft: Draft) -> _Asked:
    living, movable = estimates.fixed.living_of, problem.movable
    here = movable.intersection(living).difference(rolling_maps(draft))
    near = frozenset(fm for fm in here if living[fm] is Living.FAST)
    return _Asked(near, here - near, draft.near - here)


def _sent_away(
    problem: IslandProblem, draft: Draft, movable: frozenset[FmId], asked: _Asked
) -> Iterator[Evicted]:
    """Maps that could have moved to fast storage, had nobody asked for something else."""
    if movable.isdisjoint(asked.away):
        return
    for life in snapshot(problem, draft, movable | asked.near).lives:
        # What would lie on it in fast storage may be there without it.
        away = tuple(fm for fm in life.fms if fm in asked.away)
        if away and asked.near.isdisjoint(life.fms):
            yield evicted(replace(life, fms=away))


def _left_away(
    problem: IslandProblem,
    draft: Draft,
    away: frozenset[FmId],
    accesses: Mapping[FmId, int],
    limit_bytes: int,
) -> Iterator[MapPlaced]:
    """Records of maps that would have room, without others that may lie on them."""
    for life in snapshot(problem, draft, away).lives if away else ():
        fms = tuple(fm for fm in life.fms if fm in away)
        if fms:
            own = replace(life, fms=fms)
            yield placed(own, Fate.FASTER_AWAY, Region.SCRATCH, accesses, limit_bytes)


def evicted(life: Life) -> Evicted:
    """Bytes of maps that are not in fast storage."""
    return Evicted(
        fms=life.fms,
        start_time=life.start_time,
        end_time=life.end_time,
        size_bytes=life.size_bytes,
    )


def accesses_of(problem: IslandProblem, estimates: Estimates, draft: Draft) -> dict[FmId, int]:
    """Elements that are read and written of each map."""
    found: dict[FmId, int] = {}
    for node in problem.nodes:
        counts = estimates.accesses(node, draft.ops[node.index].cost.block)
        for view, count in zip(node.op.views, counts, strict=True):
            found[view.fm] = found.get(view.fm, 0) + count
    return found


def _contender(problem: IslandProblem, life: Life, worth: Mapping[FmId, int]) -> Contender:
    return Contender(
        name=problem.graph.feature_maps[life.fms[0]].name,
        start_time=life.start_time,
        end_time=life.end_time,
        size_bytes=life.size_bytes,
        worth=max(_summed(life.fms, worth), 0),
    )


def _summed(fms: Sequence[FmId], of: Mapping[FmId, int]) -> int:
    return sum(of.get(fm, 0) for fm in fms)


def placed(
    life: Life, fate: Fate, region: Region, accesses: Mapping[FmId, int], within_bytes: int
) -> MapPlaced:
    """The record of where the maps are that have some bytes one after the other."""
    return MapPlaced(
        fms=life.fms,
        region=region,
        reason=fate,
        size_bytes=life.size_bytes,
        start_time=life.start_time,
        end_time=life.end_time,
        accesses=_summed(life.fms, accesses),
        within_bytes=within_bytes,
    )


def evicted_beside(
    problem: IslandProblem, lives: Sequence[Life], sent_away: Sequence[Evicted]
) -> dict[int, int]:
    """By node: bytes of the maps that were evicted while its weight buffers were there.

    Both have to be there for more than the moment between two operators.
    """
    buffers: dict[NpuOpId, list[Life]] = {}
    for life in lives:
        if life.op is not None:
            buffers.setdefault(life.op, []).append(life)
    last = max(
        max((life.end_time for life in lives), default=0),
        max((item.end_time for item in sent_away), default=0),
    )
    there: list[list[Evicted]] = [[] for _ in range(last + 1)]
    for item in sent_away:
        for time in range(item.start_time, item.end_time):
            there[time].append(item)
    found = {}
    for node in problem.nodes:
        beside = {
            id(item): item
            for life in buffers.get(node.op.id, ())
            for time in range(life.start_time, life.end_time)
            for item in there[time]
        }
        if beside:
            found[node.index] = sum(item.size_bytes for item in beside.values())
    return found
