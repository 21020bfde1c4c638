"""Parts of feature maps: whoever reads a part reads it where it lies, or the part is copied.

a[part] -> b, b -> CONV_2D      becomes   a[part] -> CONV_2D
a[part] -> b, b -> CPU          becomes   a[part] -> copy -> b
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.base.ids import FmId
from core.ir.npugraph import CpuOp, LinearReason, NpuOp, OpKind, View
from core.lower.draft import UNNUMBERED, Draft, Item, Pointwise, SliceRead, Uses


def read_slices_directly(draft: Draft) -> None:
    """Leave no slice in the draft."""
    uses = Uses.of(draft)
    parts: dict[FmId, SliceRead] = {}
    for index, item in enumerate(draft.items):
        if isinstance(item, SliceRead):
            readers = [draft.items[reader] for reader in uses.readers.get(item.ofm.fm, ())]
            if item.ofm.fm not in uses.outputs and _all_can_read(draft, item, readers):
                parts[item.ofm.fm] = item
            else:
                draft.items[index] = _copy(draft, item)
    draft.items[:] = [
        _redirect(item, parts)
        for item in draft.items
        if not (isinstance(item, SliceRead) and item.ofm.fm in parts)
    ]


def _all_can_read(draft: Draft, part: SliceRead, readers: list[Item]) -> bool:
    whole = Shape4.of(draft.feature_maps[part.ofm.fm].shape)
    if part.ofm.shape != whole or part.ifm.step_h != 1 or part.ifm.step_w != 1:
        return False
    return all(_can_read(draft, part, reader) for reader in readers)


def _can_read(draft: Draft, part: SliceRead, reader: Item) -> bool:
    op = reader.op if isinstance(reader, Pointwise) else reader
    if isinstance(op, CpuOp | SliceRead) or op.kind is OpKind.COPY or op.ofm.is_transposed:
        return False
    for view in _readings(op, part.ofm.fm):
        fits = all(a <= b for a, b in zip(part.ofm.shape, view.shape, strict=True))
        is_part_of_part = view.offset is not None
        if not fits or (is_part_of_part and view.shape != part.ofm.shape):
            return False
    # A part that is spread over a larger output has no shape of its own that the hardware could
    # tell from the map it is cut out of.
    made = Shape4.of(draft.feature_maps[op.ofm.fm].shape)
    return not (op.kind.is_binary and made != part.ofm.shape)


def _readings(op: NpuOp, fm: FmId) -> list[View]:
    return [view for view in (op.ifm, op.ifm2) if view is not None and view.fm == fm]


def _redirect(item: Item, parts: dict[FmId, SliceRead]) -> Item:
    if isinstance(item, Pointwise):
        return Pointwise(op=_read_parts(item.op, parts))
    if isinstance(item, NpuOp):
        return _read_parts(item, parts)
    return item


def _read_parts(op: NpuOp, parts: dict[FmId, SliceRead]) -> NpuOp:
    ifm = _part(op.ifm, parts)
    ifm2 = None if op.ifm2 is None else _part(op.ifm2, parts)
    if ifm is op.ifm and ifm2 is op.ifm2:
        return op
    taken = [parts[view.fm] for view in (op.ifm, op.ifm2) if view is not None and view.fm in parts]
    sources = dict.fromkeys((*op.sources, *(ref for part in taken for ref in part.sources)))
    return replace(op, ifm=ifm, ifm2=ifm2, sources=tuple(sources))


def _part(view: View, parts: dict[FmId, SliceRead]) -> View:
    if view.fm not in parts:
        return view
    part = parts[view.fm]
    source = replace(part.ifm, cut_by=part.origin)
    if view.offset is None:
        return replace(source, quant=view.quant)
    offset = source.start.plus(view.offset)
    return replace(source, quant=view.quant, offset=offset, extent=view.extent)


def _copy(draft: Draft, part: SliceRead) -> NpuOp:
    if part.ifm.step_h != 1 or part.ifm.step_w != 1:
        draft.must_be_linear(part.ifm.fm, LinearReason.READ_IN_STEPS)
    return NpuOp(
        id=UNNUMBERED,
        kind=OpKind.AVERAGE_POOL,
        name=f"{part.name}_part",
        ifm=replace(part.ifm, cut_by=part.origin),
        ofm=part.ofm,
        origin=part.origin,
        sources=part.sources,
    )
