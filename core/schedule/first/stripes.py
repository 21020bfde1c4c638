"""The first scheduler's search for higher stripes: a bisection, of which the last that fits counts.

Higher stripes may split a cascade into several, or into none; then there is nothing more to gain.
"""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.ir.decisions import Decision, StripeTried
from core.schedule.buffering import Room, with_buffers
from core.schedule.cascading.stripes import striped
from core.schedule.draft import CascadeDraft, Draft, Snapshot, copied, replace_cascade
from core.schedule.first.cascades import Surroundings, with_cascades


def with_higher_stripes(
    draft: Draft, now: Snapshot, around: Surroundings, limit_bytes: int
) -> tuple[Draft, tuple[Decision, ...]]:
    """Each cascade in the highest stripes for which some fit, and what was tried."""
    result, told = copied(draft), list[Decision]()
    for cascade in draft.cascades.values():
        around.estimates.progress.advance("choosing stripes", cascade.first, len(around.nodes))
        trial = _trial(draft, cascade, now, around, limit_bytes)
        best, tried = trial.best()
        told += tried
        if best is not None:
            told += best.grown
            replace_cascade(result, cascade, best)
    return result, tuple(told)


class _Trial(Frozen):
    """The nodes of a cascade, whose last stripe may be higher."""

    around: Surroundings
    buffered: Draft
    limit_bytes: int

    def best(self) -> tuple[Draft | None, tuple[StripeTried, ...]]:
        """The last of the heights that fit, and all that were tried."""
        last = self.around.nodes[-1]
        heights = range(1, last.ofm.shape.h // 2 + 1)
        asked = self.around.estimates.fixed.height_of.get(last.op.id)
        best, tried = None, []
        while len(heights) > 1 and asked is None:
            middle = len(heights) // 2
            built, record = self._built(heights[middle])
            tried.append(record)
            if not record.fits:
                heights = heights[:middle]
                continue
            heights, best = heights[middle:], built
            if not built.cascades:
                break
        return best, tuple(tried)

    def _built(self, height: int) -> tuple[Draft, StripeTried]:
        nodes, estimates = self.around.nodes, self.around.estimates
        built = with_cascades(striped(nodes, estimates, self.buffered, height), self.around)
        size = self._size_bytes(built)
        of = {index: plan.cascade for index, plan in built.ops.items()}
        record = StripeTried(
            first=nodes[0].op.id,
            last=nodes[-1].op.id,
            height=height,
            size_bytes=size,
            limit_bytes=self.limit_bytes,
            cascades=len(built.cascades),
            fits=size <= self.limit_bytes and self.around.problem.bonds.hold_in(of),
        )
        return built, record

    def _size_bytes(self, draft: Draft) -> int:
        """Most memory that the nodes take; what is live beside a cascade counts once it is known
        to share its memory."""
        is_arena = self.around.problem.storage.has_all_maps
        beside = self.around.beside_bytes
        sizes = [
            cascade.size_bytes + (beside[cascade.first] if is_arena else 0)
            for cascade in draft.cascades.values()
        ]
        for node in self.around.nodes:
            plan = draft.ops[node.index]
            if plan.cascade is None:
                own = node.ifm.size_bytes + node.ofm.size_bytes + plan.buffer_bytes
                sizes.append(own + beside[node.index])
        return max(sizes)


def _trial(
    draft: Draft, cascade: CascadeDraft, now: Snapshot, around: Surroundings, limit_bytes: int
) -> _Trial:
    nodes = around.nodes[cascade.first : cascade.last + 1]
    part = Draft(
        ops={node.index: draft.ops[node.index] for node in nodes},
        cascades={cascade.last: cascade},
    )
    room = Room(limit_bytes=limit_bytes, now=now, evicted_bytes={})
    others = now.usage[now.times[nodes[0].index]] - cascade.size_bytes
    # An input that others read too is taken to stay, wherever it lives.
    first = nodes[0].ifm
    readers = sum(
        port is not None and port.fm == first.fm
        for node in around.problem.nodes
        for port in (node.ifm, node.ifm2)
    )
    stays = first.size_bytes if readers > 1 else 0
    beside = {node.index: others + (stays if place else 0) for place, node in enumerate(nodes)}
    return _Trial(
        around=replace(around, nodes=nodes, guide_bytes=limit_bytes, beside_bytes=beside),
        buffered=with_buffers(part, nodes, around.estimates, room),
        limit_bytes=limit_bytes,
    )
