"""Activations merge into the operator before them.

CONV_2D -> a -> table -> b       becomes   CONV_2D with the table -> b
CONV_2D -> a -> RELU -> b        becomes   CONV_2D with the clamp -> b
"""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import replace
from core.base.geometry import ceil_div
from core.base.ids import FmId
from core.ir.freedoms import Freedoms
from core.ir.npugraph import Activation, ActivationKind, NpuOp, OpKind
from core.lower.draft import Draft, Item, Pointwise, Uses
from core.target.accelerator import Accelerator
from core.target.format import BRICK_DEPTH

_FEW_CHANNELS = 4
"""Up to so many the second operator takes less than is spared."""
_FEW_INPUTS = 18
"""Blocks of input channels of all taps: with more, products take longer than the table."""
_MANY_ELEMENTS = 1024
"""What is smaller is not worth an operator."""


def merges_tables(accelerator: Accelerator, freedoms: Freedoms) -> bool:
    """Whether operators take over look-up tables of those after them.

    Without banks of the shared buffer for tables alone the ecosystem's older compiler merges none:
    blocks beside a table have less room, and who has no table writes over it.
    """
    return accelerator.tables.is_apart or freedoms.fewer_operators


def fuse_tables(draft: Draft, *, leaves_few_channels: bool = False) -> None:
    """Merge look-up tables, but for those behind few channels that are sooner looked up apart."""

    def combined(op: NpuOp, table: NpuOp) -> NpuOp | None:
        is_left = leaves_few_channels and _waits_for_table(op)
        return None if is_left else _with_table(op, table)

    _merge(draft, ActivationKind.LUT, combined)


def looks_up_few_channels_apart(accelerator: Accelerator, freedoms: Freedoms) -> bool:
    """Whether tables behind few channels are operators of their own.

    One of two cores looks up eight channels of each pixel, whether they are there or not, and the
    other waits; seen as pixels of 16 channels, both look up what is there.
    """
    return accelerator.cores > 1 and freedoms.fewer_operators and freedoms.folded_shapes


def _waits_for_table(op: NpuOp) -> bool:
    """Whether a convolution is made in less time than is spared."""
    made = op.ofm.shape
    inputs = op.kernel.taps * ceil_div(op.ifm.shape.c, BRICK_DEPTH // 2)
    return (
        op.weights is not None
        and made.c <= _FEW_CHANNELS
        and made.elements >= _MANY_ELEMENTS
        and inputs <= _FEW_INPUTS
    )


def fuse_clamps(draft: Draft) -> None:
    """Merge clamps; afterwards what is left of either kind is an operator of its own."""
    _merge(draft, ActivationKind.CLAMP, _with_clamp)
    draft.items[:] = [item.op if isinstance(item, Pointwise) else item for item in draft.items]


Combine = Callable[[NpuOp, NpuOp], NpuOp | None]


def _merge(draft: Draft, kind: ActivationKind, combine: Combine) -> None:
    uses = Uses.of(draft)
    items: list[Item | None] = list(draft.items)
    moved: dict[FmId, int] = {}
    for index, item in enumerate(draft.items):
        if not isinstance(item, Pointwise) or _kind(item.op) is not kind:
            continue
        before = _only_writer(uses, moved, item.op.ifm.fm)
        previous = None if before is None else items[before]
        merged = _combined(previous, item.op, combine)
        if before is None or merged is None:
            continue
        items[before], items[index] = merged, None
        moved[item.op.ofm.fm] = before
        # Whatever the maker writes in rows only, it now writes to the map of the activation.
        reason = draft.feature_maps[item.op.ifm.fm].linear_reason
        if reason is not None:
            draft.must_be_linear(item.op.ofm.fm, reason)
    draft.items[:] = [item for item in items if item is not None]


def _combined(item: Item | None, op: NpuOp, combine: Combine) -> Item | None:
    if isinstance(item, Pointwise):
        merged = combine(item.op, op)
        return None if merged is None else Pointwise(op=merged)
    return combine(item, op) if isinstance(item, NpuOp) else None


def _kind(op: NpuOp) -> ActivationKind | None:
    return None if op.activation is None else op.activation.kind


def _only_writer(uses: Uses, moved: dict[FmId, int], fm: FmId) -> int | None:
    """The one item that makes a feature map which nobody else reads."""
    if uses.count(fm) != 1:
        return None
    if fm in moved:
        return moved[fm]
    writers = uses.writers.get(fm, [])
    return writers[0] if len(writers) == 1 else None


def takes_table(op: NpuOp) -> bool:
    """Whether what an operator makes can be looked up on its way out."""
    return op.kind is not OpKind.COPY and op.activation is None


def _with_table(op: NpuOp, table: NpuOp) -> NpuOp | None:
    if not takes_table(op):
        return None
    # The table takes what the operator would have stored, so the output has the operator's scaling.
    ofm = replace(op.ofm, fm=table.ofm.fm, quant=table.ofm.quant)
    return replace(op, ofm=ofm, activation=table.activation, sources=op.sources + table.sources)


def _with_clamp(op: NpuOp, clamp: NpuOp) -> NpuOp | None:
    if op.kind is OpKind.COPY or op.ofm.shape != clamp.ifm.shape or clamp.ifm.offset is not None:
        return None
    both = _intersect(op.activation, clamp.activation)
    if both is None:
        return None
    ofm = replace(op.ofm, fm=clamp.ofm.fm, quant=clamp.ofm.quant)
    return replace(op, ofm=ofm, activation=both, sources=op.sources + clamp.sources)


def _intersect(first: Activation | None, second: Activation | None) -> Activation | None:
    if first is None or second is None:
        return second
    if first.kind is not ActivationKind.CLAMP:
        return None
    lows = [low for low in (first.minimum, second.minimum) if low is not None]
    highs = [high for high in (first.maximum, second.maximum) if high is not None]
    return replace(
        second,
        minimum=max(lows) if lows else None,
        maximum=min(highs) if highs else None,
        stands_alone=first.stands_alone and second.stands_alone,
    )
