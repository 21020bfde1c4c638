"""What is in the arena beside an island: maps that come before it, go past it, or come after it.

The search looks at islands one by one. Where maps of all of them, and those of operators on the
CPU, share one memory, an island has less of it than the limit says, and operators between islands
may need more than any island does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.base.ids import FmId, IslandId
from core.ir.npugraph import CpuOp, NpuGraph, Step
from core.liveness.lives import Life, usage
from core.schedule.draft import Snapshot

_NOBODY: frozenset[FmId] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What is live beside the operators of an island."""

    size_bytes: int = 0
    """Of maps that none of its operators touches."""
    start_bytes: int = 0
    """Of maps that are gone when its first operator has run: inputs that nobody reads."""
    before: frozenset[FmId] = _NOBODY
    """Maps that are there when it begins."""
    after: frozenset[FmId] = _NOBODY
    """Maps that are needed when it is done."""

    def usage(self, now: Snapshot) -> Sequence[int]:
        """Bytes over time, with what a snapshot of the island alone does not have."""
        if self == NOTHING:
            return now.usage
        end = len(now.usage) - 1
        lives = [self._whole(life, end) for life in now.lives]
        found = [self.size_bytes + each for each in usage(lives, end)]
        # What is needed at a time is needed until the next.
        return [each + self.start_bytes for each in found[:2]] + found[2:]

    def _whole(self, life: Life, end: int) -> Life:
        return life._replace(
            start_time=0 if self.before.intersection(life.fms) else life.start_time,
            end_time=end if self.after.intersection(life.fms) else life.end_time,
        )


NOTHING = Beside()


class Outside(NamedTuple):
    """Memory that no schedule of an island changes."""

    beside: Mapping[IslandId, Beside]
    """By island; others have nothing beside them."""
    least_bytes: int
    """The most that is live while an operator on the CPU runs."""


INSIDE = Outside({}, 0)
"""Where islands have their memory for themselves."""


def outside(graph: NpuGraph, sizes: Sequence[int]) -> Outside:
    """What is live around the islands of a network; sizes of its maps are given."""
    steps = graph.steps[0]
    touched = [frozenset(_touched(graph, step)) for step in steps]
    first, last = _spans(graph, touched)

    def live(step: int) -> set[FmId]:
        return {fm for fm in first if first[fm] <= step <= last[fm]}

    unread = sum(sizes[fm] for fm in first if last[fm] < 0)
    beside = {}
    least = 0
    for step, kind in enumerate(steps):
        if isinstance(kind, CpuOp):
            least = max(least, sum(sizes[fm] for fm in live(step)) + (0 if step else unread))
            continue
        beside[kind] = Beside(
            size_bytes=sum(sizes[fm] for fm in live(step) - touched[step]),
            start_bytes=0 if step else unread,
            before=frozenset(fm for fm in touched[step] if first[fm] < step),
            after=frozenset(fm for fm in touched[step] if last[fm] > step),
        )
    return Outside(beside, least)


def _spans(
    graph: NpuGraph, touched: Sequence[frozenset[FmId]]
) -> tuple[dict[FmId, int], dict[FmId, int]]:
    """The first and the last step that needs each map; -1 where it is there before all others."""
    end = len(touched)
    always = frozenset(_always(graph))
    needed = [
        (-1, frozenset(_storages(graph, graph.inputs[0])) | always),
        *enumerate(touched),
        (end, frozenset(_storages(graph, graph.outputs[0])) | always),
    ]
    first: dict[FmId, int] = {}
    last: dict[FmId, int] = {}
    for step, fms in needed:
        for fm in fms:
            first.setdefault(fm, step)
            last[fm] = step
    return first, last


def _always(graph: NpuGraph) -> Iterator[FmId]:
    """States of recurrent operators, and what other subgraphs have: their callers run beside."""
    for fm in graph.feature_maps:
        if fm.is_variable or fm.storage != fm.id:
            yield fm.storage
    for fms in (*graph.inputs[1:], *graph.outputs[1:]):
        yield from _storages(graph, fms)
    for steps in graph.steps[1:]:
        for step in steps:
            yield from _touched(graph, step)


def _touched(graph: NpuGraph, step: Step) -> Iterator[FmId]:
    """Where the bytes of maps are that a step needs."""
    if isinstance(step, CpuOp):
        yield from _storages(graph, (*step.inputs, *step.outputs))
        return
    island = graph.islands[step]
    yield from _storages(graph, (*island.inputs, *island.outputs))
    for number in island.ops:
        yield from _storages(graph, (view.fm for view in graph.ops[number].views))


def _storages(graph: NpuGraph, fms: Iterable[FmId]) -> Iterator[FmId]:
    for fm in fms:
        source = graph.feature_maps[fm]
        if source.data is None:
            yield source.storage
