"""Parts of feature maps: whoever makes a part writes it where it belongs, and no copy is left.

CONV_2D -> a, a -> copy -> c[part]                  becomes   CONV_2D -> c[part]
MUL -> a, a -> copy -> c[part], a[half] -> ABS      becomes   MUL -> c[part], c[half of it] -> ABS
CONV_2D -> a, a in another shape -> copy -> c[part] becomes   CONV_2D -> c[part], c in rows of a

The whole map is then live from its first part on. That must not raise what is live at most.
Operators are in their final order by now, so a part can be read before the others are made.

Parts in another shape can be of many maps, with much between them. Where memory is saved, copies
bring them, if that leaves less where most is live: stripes may take less there than a whole map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from core.base.frozen import Frozen, replace
from core.base.geometry import ONE_ELEMENT, Resampling, Shape4
from core.base.ids import FmId, OpRef
from core.ir.npugraph import CpuOp, NpuOp, OpKind, View
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.draft import Draft, Item, reads, sources_of, writes
from core.lower.places import Places

LONGEST_SIDE = 1 << 16
"""Registers hold a height, width or depth less 1 in 16 bits."""


def with_parts_in_place(
    draft: Draft, items: Sequence[Item], *, saves_memory: bool = False
) -> list[Item]:
    """Items in order, with each part of a map where it belongs as its maker or a copy has it."""
    told = len(draft.rewrites)
    written = with_copies_late(draft, without_copies_into_parts(draft, items))
    if not saves_memory:
        return written
    tried = draft.rewrites[told:]
    del draft.rewrites[told:]
    copied = with_copies_late(draft, without_copies_into_parts(draft, items, is_reshaped=False))
    fullest, otherwise = (Places(draft, each).fullest for each in (written, copied))
    if fullest <= otherwise:
        draft.rewrites[told:] = tried
        return written
    both = zip(fullest, otherwise, strict=False)
    most_then, most = next((pair for pair in both if pair[0] > pair[1]), (fullest[0], otherwise[0]))
    stay = {id(item) for item in written}
    draft.rewrites += (
        _tried(Rewrite.WRITTEN_IN_PLACE, item.sources, most, most_then, RewriteReason.MORE_LIVE)
        for item in copied
        if _is_copy(item) and id(item) not in stay
    )
    return copied


def without_copies_into_parts(
    draft: Draft, items: Sequence[Item], *, is_reshaped: bool = True
) -> list[Item]:
    """Items in order, without the copies that the makers of what is copied can do without,
    also where these see it in another shape, if asked."""
    places = Places(draft, items)
    most = places.live.most
    for fm in dict.fromkeys(item.ifm.fm for item in items if _is_copy(item)):
        join = _join_of(draft, places, fm)
        if join is None or (join.is_reshaped and not is_reshaped):
            continue
        before = places.exchange(join.changes())
        most_then = places.live.most
        is_better = most_then <= most
        reason = RewriteReason.NO_MORE_LIVE if is_better else RewriteReason.MORE_LIVE
        copies = tuple(join.copies.values())
        copied = sources_of((join.maker, *copies)) if is_better else copies[0].sources
        draft.rewrites.append(_tried(Rewrite.WRITTEN_IN_PLACE, copied, most, most_then, reason))
        if is_better:
            most = most_then
        else:
            places.exchange(before)
    return places.items


def with_copies_late(draft: Draft, items: Sequence[Item]) -> list[Item]:
    """Items with each copy into a part right before what reads the whole, where that saves memory.

    What is copied is smaller than the whole map, which then need not wait for the other parts.
    """
    current, live = list(items), Places(draft, items).live
    # The bytes of states are written again under another name.
    states = {source.storage for source in draft.feature_maps if source.storage != source.id}
    for copy in filter(_is_copy, items):
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
        live_then = Places(draft, moved).live
        is_better = live_then < live
        reason = RewriteReason.LESS_LIVE if is_better else RewriteReason.NOT_LESS_LIVE
        draft.rewrites.append(
            _tried(Rewrite.COPIED_LATE, copy.sources, live.most, live_then.most, reason)
        )
        if is_better:
            current, live = moved, live_then
    return current


def _tried(
    rewrite: Rewrite,
    sources: tuple[OpRef, ...],
    most: int,
    most_then: int,
    reason: RewriteReason,
) -> RewriteTried:
    return RewriteTried(
        rewrite=rewrite,
        sources=sources,
        measure=Measure.LIVE_BYTES,
        figure_without=most,
        figure_with=most_then,
        reason=reason,
    )


def _is_copy(item: Item) -> TypeGuard[NpuOp]:
    """Whether an operator does nothing but move elements as they are to a part of a map."""
    return (
        isinstance(item, NpuOp)
        and item.kind is OpKind.AVERAGE_POOL
        and item.kernel == ONE_ELEMENT
        and item.resampling is Resampling.NONE
        and (item.activation, item.scaling, item.rounding) == (None, None, None)
        and item.ofm.offset is not None
        and item.ifm.quant == item.ofm.quant
        and lies_as_it_is(item.ifm)
        and lies_as_it_is(item.ofm)
    )


def lies_as_it_is(view: View) -> bool:
    """Whether its elements are in the order of the map."""
    moved = (view.step_h, view.step_w, view.base_offset_bytes, view.is_transposed)
    return moved == (1, 1, 0, False)


class _Join(Frozen, kw_only=False):
    """A map of which all is copied to one place in another, where its maker can write instead."""

    made_at: int
    maker: NpuOp
    copies: dict[int, NpuOp]
    """By place."""
    readers: dict[int, NpuOp]
    """Those that read parts of the map."""
    whole: View
    """The other map, as the maker is to see it."""
    start: Shape4
    """Where in it the first element belongs."""

    @property
    def is_reshaped(self) -> bool:
        """Whether copies see what is made in another shape."""
        return any(copy.ifm.shape != self.maker.ofm.shape for copy in self.copies.values())

    def changes(self) -> dict[int, Item | None]:
        """What takes the place of what, without the copies."""
        reading = {at: self._reading(reader) for at, reader in self.readers.items()}
        return {**dict.fromkeys(self.copies), **reading, self.made_at: self._writing()}

    def _writing(self) -> NpuOp:
        own = self.maker.ofm
        ofm = replace(
            self.whole,
            quant=own.quant,
            is_raw=own.is_raw,
            offset=self.start,
            extent=own.shape,
            is_joined=True,
        )
        copied = (ref for copy in self.copies.values() for ref in copy.sources)
        sources = tuple(dict.fromkeys((*self.maker.sources, *copied)))
        return replace(self.maker, ofm=ofm, sources=sources)

    def _reading(self, op: NpuOp) -> NpuOp:
        second = None if op.ifm2 is None else self._moved(op.ifm2)
        return replace(op, ifm=self._moved(op.ifm), ifm2=second)

    def _moved(self, view: View) -> View:
        if view.fm != self.maker.ofm.fm:
            return view
        offset = self.start.plus(view.start)
        return replace(view, fm=self.whole.fm, shape=self.whole.shape, offset=offset)


def _join_of(draft: Draft, places: Places, fm: FmId) -> _Join | None:
    """How the copies of a map can be left out, if they can."""
    source = draft.feature_maps[fm]
    if fm in (*draft.inputs, *draft.outputs) or source.data is not None or source.is_variable:
        return None
    if source.storage != fm or source.linear_reason is not None:
        return None
    makers, users = places.writing(fm), places.reading(fm)
    if len(makers) != 1:
        return None
    ((made_at, maker),) = makers.items()
    copies = {at: item for at, item in users.items() if _is_copy(item) and item.ifm.fm == fm}
    if not isinstance(maker, NpuOp) or not copies:
        return None
    place = _place(draft, maker, [*copies.values()])
    if place is None:
        return None
    readers = {
        at: item
        for at, item in users.items()
        if at not in copies and isinstance(item, NpuOp) and _reads_parts(item, maker)
    }
    join = _Join(made_at, maker, copies, readers, *place)
    # Where the CPU runs between parts, these are made in different streams.
    is_whole = len(copies) + len(readers) == len(users)
    return join if is_whole and not places.meets_cpu(made_at, join.whole.fm) else None


def _place(draft: Draft, maker: NpuOp, copies: Sequence[NpuOp]) -> tuple[View, Shape4] | None:
    """The other map as a maker sees it, and where its first element belongs, if it can go there."""
    made, whole = maker.ofm, copies[0].ofm
    target = draft.feature_maps[whole.fm]
    can_write = (
        maker.kind is not OpKind.COPY
        and made.offset is None
        and lies_as_it_is(made)
        and target.dtype is draft.dtype(made.fm)
        and not target.is_variable
        and target.storage == whole.fm
    )
    if not can_write:
        return None
    if len(copies) == 1 and copies[0].ifm.shape != made.shape:
        return _place_in_rows(maker, copies[0])
    return (whole, _displacement(copies[0])) if _are_its_parts(maker, copies) else None


def _are_its_parts(maker: NpuOp, copies: Sequence[NpuOp]) -> bool:
    """Whether copies bring all that is made to one place, where the maker sees nothing else."""
    made, whole = maker.ofm, copies[0].ofm
    return (
        all(_are_apart(view, copies[0]) for view in maker.views if view.fm == whole.fm)
        and all(copy.ifm.shape == made.shape for copy in copies)
        and {(copy.ofm.fm, copy.ofm.shape, _displacement(copy)) for copy in copies}
        == {(whole.fm, whole.shape, _displacement(copies[0]))}
        and sum(copy.ifm.touched.elements for copy in copies) == made.shape.elements
    )


def _place_in_rows(maker: NpuOp, copy: NpuOp) -> tuple[View, Shape4] | None:
    """The same where a map is copied in another shape: its rows have to be some of the other's."""
    made, whole = maker.ofm.shape, copy.ofm
    row, first = made.w * made.c, first_element(whole)
    is_whole = copy.ifm.offset is None and copy.ifm.shape.elements == made.elements
    is_seen = any(view.fm == whole.fm for view in maker.views)
    if first is None or is_seen or not is_whole or made.n != 1:
        return None
    if whole.shape.elements % row or first % row or whole.shape.elements // row > LONGEST_SIDE:
        return None
    seen = Shape4(1, whole.shape.elements // row, made.w, made.c)
    return replace(whole, shape=seen), Shape4(0, first // row, 0, 0)


def first_element(view: View) -> int | None:
    """How many elements lie before a part, if nothing else lies between those of the part."""
    sides = [*zip(view.start, view.touched, view.shape, strict=True)]
    while sides and sides[0][1] == 1:
        del sides[0]
    if any(touched != size for _, touched, size in sides[1:]):
        return None
    before = 0
    for start, size in zip(view.start, view.shape, strict=True):
        before = before * size + start
    return before


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
        view.offset is not None and view.shape == maker.ofm.shape and lies_as_it_is(view)
        for view in views
    )
