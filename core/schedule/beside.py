"""What is in the arena beside an island: maps that come before it, go past it, or come after it.

The search looks at islands one by one. Where maps of all of them, and those of operators on the
CPU, share one memory, an island has less of it than the limit says, and operators between islands
may need more than any island does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.base.frozen import Frozen, replace
from core.base.ids import FmId, IslandId
from core.ir.npugraph import CpuOp, NpuGraph, Step
from core.liveness.lives import Life, usage

_NOBODY: frozenset[FmId] = frozenset()


class Beside(Frozen):
    """What is live beside the operators of an island."""

    size_bytes: int = 0
    """Of maps that none of its operators touches."""
    start_bytes: int = 0
    """Of maps that are gone when its first operator has run: inputs that nobody reads."""
    before: frozenset[FmId] = _NOBODY
    """Maps that are there when it begins."""
    after: frozenset[FmId] = _NOBODY
    """Maps that are needed when it is done."""

    elsewhere_bytes: int = 0
    """The most that is live while an operator on the CPU runs, before or after it."""

    def usage(self, lives: Sequence[Life], end: int) -> list[int]:
        """Bytes over time, up to an end, with what these lives of the island do not have."""
        if self == NOTHING:
            return usage(lives, end)
        whole = [self._whole(life, end) for life in lives]
        found = [self.size_bytes + each for each in usage(whole, end)]
        # What is needed at a time is needed until the next.
        return [each + self.start_bytes for each in found[:2]] + found[2:]

    def _whole(self, life: Life, end: int) -> Life:
        is_before = not self.before.isdisjoint(life.fms)
        is_after = not self.after.isdisjoint(life.fms)
        if not is_before and not is_after:
            return life
        return replace(
            life,
            start_time=0 if is_before else life.start_time,
            end_time=end if is_after else life.end_time,
        )


NOTHING = Beside()


def around_islands(graph: NpuGraph, sizes: Sequence[int]) -> Mapping[IslandId, Beside]:
    """What is live beside each island of a network; sizes of its maps are given."""
    steps = graph.steps[0]
    touched = [frozenset(_touched(graph, step)) for step in steps]
    first, last = _spans(graph, touched)
    live = usage([Life(sizes[fm], max(first[fm], 0), last[fm]) for fm in first], len(steps))
    unread = sum(sizes[fm] for fm in first if last[fm] < 0)
    on_cpu = [
        live[step] + (0 if step else unread)
        for step, kind in enumerate(steps)
        if isinstance(kind, CpuOp)
    ]
    return {
        kind: Beside(
            size_bytes=live[step] - sum(sizes[fm] for fm in touched[step]),
            start_bytes=0 if step else unread,
            before=frozenset(fm for fm in touched[step] if first[fm] < step),
            after=frozenset(fm for fm in touched[step] if last[fm] > step),
            elsewhere_bytes=max(on_cpu, default=0),
        )
        for step, kind in enumerate(steps)
        if not isinstance(kind, CpuOp)
    }


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
