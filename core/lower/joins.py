"""Parts of feature maps: whoever makes a part writes it where it belongs, and no copy is left.

CONV_2D -> a, a -> copy -> c[part]                  becomes   CONV_2D -> c[part]
MUL -> a, a -> copy -> c[part], a[half] -> ABS      becomes   MUL -> c[part], c[half of it] -> ABS

The whole map is then live from its first part on. That must not raise what is live at most.
Operators are in their final order by now, so a part can be read before the others are made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from core.base.frozen import Frozen, replace
from core.base.geometry import ONE_ELEMENT, Resampling, Shape4
from core.base.ids import FmId, OpRef
from core.ir.npugraph import CpuOp, NpuOp, OpKind, View
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.draft import Draft, Item, reads, sources_of, writes


def without_copies_into_parts(draft: Draft, items: Sequence[Item]) -> list[Item]:
    """Items in order, without the copies that the makers of what is copied can do without."""
    current, live = list(items), _live_bytes(draft, items)
    for fm in dict.fromkeys(item.ifm.fm for item in _copies(current)):
        join = _join_of(draft, current, fm)
        if join is not None:
            joined = join.done(current)
            live_then = _live_bytes(draft, joined)
            is_better = live_then.most <= live.most
            reason = RewriteReason.NO_MORE_LIVE if is_better else RewriteReason.MORE_LIVE
            copied = sources_of((join.maker, *join.copies)) if is_better else join.copies[0].sources
            draft.rewrites.append(_tried(Rewrite.WRITTEN_IN_PLACE, copied, live, live_then, reason))
            if is_better:
                current, live = joined, live_then
    return current


def with_copies_late(draft: Draft, items: Sequence[Item]) -> list[Item]:
    """Items with each copy into a part right before what reads the whole, where that saves memory.

    What is copied is smaller than the whole map, which then need not wait for the other parts.
    """
    current, live = list(items), _live_bytes(draft, items)
    # The bytes of states are written again under another name.
    states = {source.storage for source in draft.feature_maps if source.storage != source.id}
    for copy in list(_copies(current)):
        ends = [draft.feature_maps[fm] for fm in (copy.ifm.fm, copy.ofm.fm)]
        if any(end.is_variable or end.storage != end.id or end.id in states for end in ends):
            continue
        at = next(index for index, item in enumerate(current) if item is copy)
        if any(copy.ofm.fm in writes(item) for item in current[:at]):
            continue
        later = current[at + 1 :]
        reader = next((n for n, item in enumerate(later) if copy.ofm.fm in reads(item)), None)
        if reader is None or any(isinstance(item, CpuOp) for item in later[:reader]):
            continue
        # States of one variable lie in the same bytes: the next one overwrites what is copied.
        source = draft.feature_maps[copy.ifm.fm].storage
        written = (fm for item in later[:reader] for fm in writes(item))
        if any(draft.feature_maps[fm].storage == source for fm in written):
            continue
        moved = [*current[:at], *later[:reader], copy, *later[reader:]]
        live_then = _live_bytes(draft, moved)
        is_better = live_then < live
        reason = RewriteReason.LESS_LIVE if is_better else RewriteReason.NOT_LESS_LIVE
        draft.rewrites.append(_tried(Rewrite.COPIED_LATE, copy.sources, live, live_then, reason))
        if is_better:
            current, live = moved, live_then
    return current


def _tried(
    rewrite: Rewrite,
    sources: tuple[OpRef, ...],
    live: _Live,
    live_then: _Live,
    reason: RewriteReason,
) -> RewriteTried:
    return RewriteTried(
        rewrite=rewrite,
        sources=sources,
        measure=Measure.LIVE_BYTES,
        figure_without=live.most,
        figure_with=live_then.most,
        reason=reason,
    )


def _copies(items: Sequence[Item]) -> Iterator[NpuOp]:
    """Operators that do nothing but move elements as they are to a part of a map."""
    for item in items:
        if (
            isinstance(item, NpuOp)
            and item.kind is OpKind.AVERAGE_POOL
            and item.kernel == ONE_ELEMENT
            and item.resampling is Resampling.NONE
            and (item.activation, item.scaling, item.rounding) == (None, None, None)
            and item.ofm.offset is not None
            and item.ifm.quant == item.ofm.quant
            and _lies_as_it_is(item.ifm)
            and _lies_as_it_is(item.ofm)
        ):
            yield item


def _lies_as_it_is(view: View) -> bool:
    moved = (view.step_h, view.step_w, view.base_offset_bytes, view.is_transposed)
    return moved == (1, 1, 0, False)


class _Join(Frozen, kw_only=False):
    """A map of which all is copied to one place in another, where its maker can write instead."""

    maker: NpuOp
    copies: tuple[NpuOp, ...]
    readers: tuple[NpuOp, ...]

    @property
    def whole(self) -> View:
        """The other map."""
        return self.copies[0].ofm

    @property
    def place(self) -> Shape4:
        """Where in it the first element belongs."""
        return _displacement(self.copies[0])

    def done(self, items: Sequence[Item]) -> list[Item]:
        """The items without the copies."""
        changed: dict[int, Item] = {id(reader): self._reading(reader) for reader in self.readers}
        changed[id(self.maker)] = self._writing()
        left_out = {id(copy) for copy in self.copies}
        return [changed.get(id(item), item) for item in items if id(item) not in left_out]

    def _writing(self) -> NpuOp:
        own = self.maker.ofm
        ofm = replace(
            self.whole,
            quant=own.quant,
            is_raw=own.is_raw,
            offset=self.place,
            extent=own.shape,
            is_joined=True,
        )
        copied = (ref for copy in self.copies for ref in copy.sources)
        sources = tuple(dict.fromkeys((*self.maker.sources, *copied)))
        return replace(self.maker, ofm=ofm, sources=sources)

    def _reading(self, op: NpuOp) -> NpuOp:
        second = None if op.ifm2 is None else self._moved(op.ifm2)
        return replace(op, ifm=self._moved(op.ifm), ifm2=second)

    def _moved(self, view: View) -> View:
        if view.fm != self.maker.ofm.fm:
            return view
        offset = self.place.plus(view.start)
        return replace(view, fm=self.whole.fm, shape=self.whole.shape, offset=offset)


def _join_of(draft: Draft, items: Sequence[Item], fm: FmId) -> _Join | None:
    """How the copies of a map can be left out, if they can."""
    source = draft.feature_maps[fm]
    if fm in (*draft.inputs, *draft.outputs) or source.data is not None or source.is_variable:
        return None
    if source.storage != fm or source.linear_reason is not None:
        return None
    makers = [item for item in items if fm in writes(item)]
    users = [item for item in items if fm in reads(item)]
    copies = [item for item in _copies(users) if item.ifm.fm == fm]
    others = [item for item in users if not any(item is copy for copy in copies)]
    maker = makers[0] if len(makers) == 1 else None
    if not isinstance(maker, NpuOp) or not _can_write_there(draft, maker, copies):
        return None
    readers = [item for item in others if isinstance(item, NpuOp) and _reads_parts(item, maker)]
    if len(readers) < len(others) or _meets_cpu(items, maker, copies[0].ofm.fm):
        return None
    return _Join(maker, tuple(copies), tuple(readers))


def _can_write_there(draft: Draft, maker: NpuOp, copies: Sequence[NpuOp]) -> bool:
    made, whole = maker.ofm, copies[0].ofm
    target = draft.feature_maps[whole.fm]
    return (
        maker.kind is not OpKind.COPY
        and made.offset is None
        and _lies_as_it_is(made)
        and target.dtype is draft.dtype(made.fm)
        and not target.is_variable
        and target.storage == whole.fm
        and all(_are_apart(view, copies[0]) for view in maker.views if view.fm == whole.fm)
        and all(copy.ifm.shape == made.shape for copy in copies)
        and {(copy.ofm.fm, copy.ofm.shape, _displacement(copy)) for copy in copies}
        == {(whole.fm, whole.shape, _displacement(copies[0]))}
        and sum(copy.ifm.touched.elements for copy in copies) == made.shape.elements
    )


def _are_apart(view: View, copy: NpuOp) -> bool:
    """Whether a view of the other map sees nothing of what lies where a map is copied."""
    place = _displacement(copy)
    return view.shape == copy.ofm.shape and any(
        here + seen <= there or there + size <= here
        for here, seen, there, size in zip(
            view.start, view.touched, place, copy.ifm.shape, strict=True
        )
    )


def _displacement(copy: NpuOp) -> Shape4:
    """How far the copy moves elements, along each axis."""
    ends = zip(copy.ofm.start, copy.ifm.start, strict=True)
    return Shape4(*(there - here for there, here in ends))


def _reads_parts(op: NpuOp, maker: NpuOp) -> bool:
    """Whether an operator reads parts of the map anyway, so that it could not run in stripes."""
    views = [view for view in op.views[:-1] if view.fm == maker.ofm.fm]
    return op.kind is not OpKind.COPY and all(
        view.offset is not None and view.shape == maker.ofm.shape and _lies_as_it_is(view)
        for view in views
    )


def _meets_cpu(items: Sequence[Item], maker: NpuOp, whole: FmId) -> bool:
    """Whether the CPU runs between the parts, so that they are made in different streams."""
    makers = [at for at, item in enumerate(items) if item is maker or whole in writes(item)]
    between = items[min(makers) : max(makers)]
    return any(isinstance(item, CpuOp) for item in between)


def _overwritten(draft: Draft, last: dict[FmId, int], at: int, item: Item) -> tuple[FmId, ...]:
    """The input that an operator can write its output over, if there is one."""
    if not isinstance(item, NpuOp) or not item.kind.is_elementwise or item.ofm.offset is not None:
        return ()
    dtype = draft.dtype(item.ofm.fm)
    for view in item.views[:-1]:
        fits = view.shape == item.ofm.shape and view.offset is None
        if fits and last[view.fm] == at and draft.dtype(view.fm) is dtype:
            return (view.fm,)
    return ()


class _Live(NamedTuple):
    """What is live at most, and in sum over all times."""

    most: int
    total: int


def _live_bytes(draft: Draft, items: Sequence[Item]) -> _Live:
    """What is live if maps are whole and may lie on what is overwritten."""
    first: dict[FmId, int] = dict.fromkeys(draft.inputs, 0)
    last: dict[FmId, int] = {}
    for at, item in enumerate(items):
        for fm in (*reads(item), *writes(item)):
            first.setdefault(fm, at)
            last[fm] = at
    last |= dict.fromkeys(draft.outputs, len(items))
    for at, item in enumerate(items):
        last |= dict.fromkeys(_overwritten(draft, last, at, item), at - 1)
    changes = [0] * (len(items) + 2)
    for fm, start in first.items():
        source = draft.feature_maps[fm]
        if source.data is None:
            size = math.prod(source.shape) * source.dtype.size_bytes
            changes[start] += size
            changes[last.get(fm, start) + 1] -= size
    live = tuple(accumulate(changes))
    return _Live(max(live), sum(live))
