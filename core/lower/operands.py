"""The first input of an element-wise operator is the one that it can be cascaded along.

SUB constant, x      becomes   SUB x, constant, marked as swapped
SUB row, x           becomes   SUB x, row, marked as swapped: only a second input can be spread

One number as the second is a part of the command, whatever dimensions the file gives it.

ADD row, column      becomes   ADD row[0], column,  ADD row[1], column,  and so on

Products take bytes with or without a sign, whatever they make.

a of uint8 -> QUANTIZE -> b of int8 -> CONV_2D      becomes   a -> CONV_2D
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import ONE_ELEMENT, Resampling, Shape4
from core.base.ids import FmId
from core.ir.freedoms import Freedoms
from core.ir.npugraph import NpuOp, OpKind, View
from core.lower.draft import Draft, Item, Pointwise, Uses


def put_main_operand_first(draft: Draft) -> None:
    """Exchange the inputs wherever the second one is whole, and the first one fixed or spread."""
    for index, item in enumerate(draft.items):
        if isinstance(item, NpuOp) and item.kind.is_binary and item.ifm2 is not None:
            first, second = item.ifm, item.ifm2
            is_spread = first.touched != item.ofm.touched == second.touched
            if is_spread or (_is_fixed(draft, first) and _is_whole(draft, second, item.ofm)):
                draft.items[index] = replace(
                    item, ifm=second, ifm2=first, operands_swapped=not item.operands_swapped
                )


def _is_fixed(draft: Draft, view: View) -> bool:
    return draft.is_constant(view.fm) or draft.feature_maps[view.fm].is_scalar


def _is_whole(draft: Draft, view: View, ofm: View) -> bool:
    same = draft.feature_maps[view.fm].shape == draft.feature_maps[ofm.fm].shape
    return same and not _is_fixed(draft, view)


def hold_numbers_in_commands(draft: Draft, freedoms: Freedoms) -> None:
    """Take the dimensions of constants of one element that nobody reads but as a second input.

    Those of 32 bits stay, for the copy that several of them have together.
    """
    if not freedoms.near_constants:
        return
    uses = Uses.of(draft)
    for number, fm in enumerate(draft.feature_maps):
        if fm.data is None or fm.data.array.size != 1 or fm.dtype.bits > 16:
            continue
        held = replace(fm, shape=())
        readers = (draft.items[at] for at in uses.readers.get(FmId(number), ()))
        if held.is_scalar and all(_reads_second(item, held.id) for item in readers):
            draft.feature_maps[number] = held


def _reads_second(item: Item, fm: FmId) -> bool:
    op = item.op if isinstance(item, Pointwise) else item
    if not isinstance(op, NpuOp) or not op.kind.is_binary:
        return False
    return op.ifm2 is not None and op.ifm2.fm == fm != op.ifm.fm


def parts_along(
    first: Sequence[int], second: Sequence[int], made: Sequence[int]
) -> tuple[int, ...]:
    """How many parts each dimension is made in, so that one input is full in each: none but one
    where an input is full as it is."""
    rank = max(len(shape) for shape in (first, second, made))
    *given, whole = ((*[1] * (rank - len(shape)), *shape) for shape in (first, second, made))
    counts = (
        tuple(size if one == 1 else 1 for one, size in zip(shape, whole, strict=True))
        for shape in given
    )
    return min(counts, key=prod)


def parts_of(first: View, second: View, made: View) -> Iterator[tuple[str, View, View, View]]:
    """The parts of an element-wise operator, each with a name."""
    counts = parts_along(first.shape, second.shape, made.shape)
    if prod(counts) == 1:
        yield "", first, second, made
        return
    for place in product(*(range(count) for count in counts)):
        one, other, part = (_part(view, place, counts) for view in (first, second, made))
        yield "_".join(map(str, place)), one, other, part


def _part(view: View, place: tuple[int, ...], counts: tuple[int, ...]) -> View:
    """The part of a view that belongs to a place; along a dimension that it is spread along, all of
    them have the same."""
    dims = list(zip(view.shape, place, counts, strict=True))
    offset = Shape4(*(at if size > 1 else 0 for size, at, _ in dims))
    return replace(
        view, offset=offset, extent=Shape4(*(1 if count > 1 else size for size, _, count in dims))
    )


_BYTES = {DType.INT8, DType.UINT8}
_BETWEEN_SIGNS = 128


def read_bytes_as_stored(draft: Draft, freedoms: Freedoms) -> None:
    """Leave out what gives bytes a sign, or takes it, for products alone."""
    if not freedoms.fewer_operators:
        return
    uses = Uses.of(draft)
    left_out: dict[FmId, NpuOp] = {}
    for item in draft.items:
        if isinstance(item, NpuOp) and _changes_sign_alone(draft, item):
            fm = item.ofm.fm
            readers = [draft.items[at] for at in uses.readers.get(fm, ())]
            is_alone = fm not in uses.outputs and len(uses.writers[fm]) == 1
            if is_alone and all(_takes_any_bytes(reader) for reader in readers):
                left_out[fm] = item
    draft.items[:] = [
        _reading_stored(item, left_out) if isinstance(item, NpuOp) else item
        for item in draft.items
        if not (isinstance(item, NpuOp) and item.ofm.fm in left_out)
    ]


def _changes_sign_alone(draft: Draft, op: NpuOp) -> bool:
    given, made = op.ifm.quant, op.ofm.quant
    dtypes = [draft.dtype(view.fm) for view in (op.ifm, op.ofm)]
    if given is None or made is None or set(dtypes) != _BYTES or op.kind is not OpKind.AVERAGE_POOL:
        return False
    signed, unsigned = (made, given) if dtypes[1] is DType.INT8 else (given, made)
    return (
        op.kernel == ONE_ELEMENT
        and op.resampling is Resampling.NONE
        and (op.activation, op.scaling) == (None, None)
        and replace(op.ifm, fm=op.ofm.fm, quant=made) == op.ofm
        and op.ofm.shape == Shape4.of(draft.feature_maps[op.ofm.fm].shape[-4:])
        and given.scale == made.scale
        and signed.zero_point + _BETWEEN_SIGNS == unsigned.zero_point
        and not op.ifm.is_raw
    )


def _takes_any_bytes(item: Item) -> bool:
    return isinstance(item, NpuOp) and item.weights is not None and not item.ifm.is_raw


def _reading_stored(op: NpuOp, left_out: dict[FmId, NpuOp]) -> NpuOp:
    before = left_out.get(op.ifm.fm)
    if before is None:
        return op
    ifm = replace(op.ifm, fm=before.ifm.fm, quant=before.ifm.quant)
    return replace(op, ifm=ifm, sources=tuple(dict.fromkeys((*op.sources, *before.sources))))
