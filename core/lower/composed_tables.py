"""What operators make of one 8-bit map alone is one table, however many operators make it.

x -> LOGISTIC -> a,  x, a -> MUL -> y               becomes   x -> ADD 0, with a table -> y
x -> ADD 3 -> RELU6 -> a,  x, a -> MUL -> MUL c     becomes   the same
CONV_2D -> x -> QUANTIZE -> y                       becomes   CONV_2D with a table -> y, by `fuse`

The entries are what the reference kernels give for each of the 256 values, step by step. What is
left out has to be read by nobody else, and what is left must take no longer: a table in the place
of one operator has to be brought besides.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.fixedpoint import (
    Ints,
    Multiplier,
    elementwise_mul_scale,
    multiply_by_quantized_multiplier,
    quantise_scale,
    round_away_from_zero,
    simplified_add_scale,
)
from core.base.frozen import Frozen, replace
from core.base.geometry import NO_PADDING, ONE_ELEMENT, Resampling
from core.base.ids import FmId
from core.cost.from_graph import ARITHMETIC
from core.ir.npugraph import Activation, ActivationKind, NpuOp, OpKind, Quant, View
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.draft import UNNUMBERED, Draft, Item, Pointwise, Uses, sources_of
from core.lower.fuse import takes_table
from core.lower.rewrites.lookup import stored_table, stored_values
from core.lower.scaling import Scaling, scaling_of
from core.lower.scope import CLAMPS
from core.target.accelerator import Accelerator
from core.target.throughput import Arithmetic, Finish
from core.target.unit import Unit

_TYPES = ({DType.INT8}, {DType.UINT8})
_SUM_HEADROOM_BITS = 20
"""By which the reference shifts the operands of an 8-bit sum before it scales them."""
_MOST_STEPS = 64
_BRINGING_CYCLES = 256
"""What a table takes on its way, a byte a cycle; that an operator is gone makes up for it."""
_ORIGINS = frozenset({"ADD", "SUB", "MUL", "QUANTIZE", *CLAMPS})
"""Of operators that compute what the reference kernel of their origin does."""
_COMPUTED = frozenset({OpKind.ADD, OpKind.SUB, OpKind.MUL, OpKind.AVERAGE_POOL})


def compose_tables(draft: Draft, accelerator: Accelerator, *, is_merged: bool) -> None:
    """Put one table in the place of operators wherever they are a function of one map; those that
    can be merged are parts of what makes that map."""
    steps = _Steps(draft, Uses.of(draft), list(draft.items))
    # From the end, so that the longest function is found first.
    for last in reversed(range(len(draft.items))):
        found = steps.function_ending(last)
        if found is None:
            continue
        maker = steps.only_maker(found) if is_merged else None
        tried = _tried(steps, found, accelerator, maker)
        draft.rewrites.append(tried)
        if tried.reason.speaks_for:
            steps.replace(found, _as_table(draft, found))
    draft.items[:] = [item for item in steps.items if item is not None]


class _Function(Frozen, kw_only=False):
    """Operators in order, and their positions in the draft, that make one map of one other."""

    given: FmId
    positions: tuple[int, ...]
    ops: tuple[NpuOp, ...]


class _Steps(Frozen, kw_only=False):
    """A draft's items while functions are looked for among them; what is replaced is gone."""

    draft: Draft
    uses: Uses
    items: list[Item | None]

    def function_ending(self, last: int) -> _Function | None:
        """The longest function whose result an item makes."""
        if not self._is_step(last):
            return None
        steps: list[int] = []
        made, given = set[FmId](), set[FmId]()
        ready = [(-last, self.op(last).ofm.fm)]
        count, source = 0, None
        while ready and len(steps) < _MOST_STEPS:
            place, makes = heapq.heappop(ready)
            if makes in made:
                continue
            steps.append(-place)
            read = dict.fromkeys(self._maps_read(self.op(-place)))
            made.add(makes)
            given = (given | read.keys()) - made
            for fm in read:
                for maker in self._makers_within(fm, steps):
                    heapq.heappush(ready, (-maker, fm))
            if len(given) == 1 and not (len(steps) == 1 and _is_table(self.op(last))):
                count, (source,) = len(steps), given
        if source is None:
            return None
        positions = tuple(sorted(steps[:count]))
        return _Function(source, positions, tuple(self.op(step) for step in positions))

    def replace(self, function: _Function, table: Pointwise) -> None:
        """Put a table in the place of a function."""
        for position in function.positions:
            self.items[position] = None
        self.items[function.positions[-1]] = table

    def op(self, position: int) -> NpuOp:
        """An item that computes on the NPU, as an operator."""
        item = self.items[position]
        op = item.op if isinstance(item, Pointwise) else item
        if not isinstance(op, NpuOp):
            raise InternalError(f"item {position} is no operator of the NPU")
        return op

    def only_maker(self, function: _Function) -> NpuOp | None:
        """The one operator that makes what is given, where nobody else reads that."""
        writers = self.uses.writers.get(function.given, [])
        others = set(self.uses.readers[function.given]) - set(function.positions)
        if others or function.given in self.uses.outputs or len(writers) != 1:
            return None
        maker = self.items[writers[0]]
        return maker if isinstance(maker, NpuOp) else None

    def _makers_within(self, fm: FmId, steps: Sequence[int]) -> list[int]:
        """What makes a map, if it is a step too and nothing but steps reads what it makes."""
        readers = self.uses.readers.get(fm, [])
        # Of a map that thousands read, most are asked in vain.
        if fm in self.uses.outputs or not all(reader in steps for reader in readers):
            return []
        return [step for step in self.uses.writers.get(fm, []) if self._is_step(step)]

    def _maps_read(self, op: NpuOp) -> list[FmId]:
        return [view.fm for view in op.views[:-1] if not self.draft.is_constant(view.fm)]

    def _is_step(self, position: int) -> bool:
        """Whether an operator treats all elements alike, and we know how."""
        item = self.items[position]
        if not isinstance(item, NpuOp | Pointwise):
            return False
        op = self.op(position)
        is_table = isinstance(item, Pointwise) and _is_table(op)
        return (
            op.kind in _COMPUTED
            and (op.origin in _ORIGINS or is_table)
            and (is_table or op.activation is None or op.activation.kind is ActivationKind.CLAMP)
            and (op.kernel, op.padding, op.resampling) == (ONE_ELEMENT, NO_PADDING, Resampling.NONE)
            and op.rounding is None
            and (op.scaling is None or op.kind is OpKind.AVERAGE_POOL)
            and all(view.quant is not None and view.quant.scale for view in op.views)
            and {self.draft.dtype(view.fm) for view in op.views} in _TYPES
            and all(_is_whole(self.draft, view, op.ofm) for view in op.views)
            and bool(self._maps_read(op))
            and len(self.uses.writers.get(op.ofm.fm, ())) == 1
        )


def _is_table(op: NpuOp) -> bool:
    return op.activation is not None and op.activation.kind is ActivationKind.LUT


def _is_whole(draft: Draft, view: View, ofm: View) -> bool:
    """Whether a view is of all elements as they are, or of one constant number."""
    moved = (view.step_h, view.step_w, view.base_offset_bytes, view.is_transposed, view.is_raw)
    source = draft.feature_maps[view.fm]
    if moved != (1, 1, 0, False, False) or view.offset is not None or source.is_variable:
        return False
    if source.data is not None:
        return view.shape.elements == 1
    return view.shape == ofm.shape and source.storage == source.id


def _tried(
    steps: _Steps, function: _Function, accelerator: Accelerator, maker: NpuOp | None
) -> RewriteTried:
    """Whether a table takes less than the operators, by what elements take on their way out; a
    maker can take it over."""
    own = 0.0
    for position in function.positions:
        # What only clamps goes into the operator before it.
        is_clamp = isinstance(steps.items[position], Pointwise)
        op = steps.op(position)
        own += 0.0 if is_clamp and not _is_table(op) else _element_cycles(accelerator, op)
    elements = function.ops[-1].ofm.shape.elements
    without = own * elements
    table = _table_cycles(accelerator, maker) * elements
    is_one_for_one = len(function.ops) == 1 and (maker is None or not takes_table(maker))
    if is_one_for_one:
        table += _BRINGING_CYCLES
    return RewriteTried(
        rewrite=Rewrite.ONE_TABLE,
        sources=sources_of(function.ops),
        measure=Measure.CYCLES,
        figure_without=without,
        figure_with=table,
        reason=RewriteReason.CHEAPER if table < without else RewriteReason.NOT_CHEAPER,
    )


def _element_cycles(accelerator: Accelerator, op: NpuOp) -> float:
    finish = Finish.TABLE if _is_table(op) else Finish.NONE
    return accelerator.throughput.output_cycles(ARITHMETIC.get(op.kind, Arithmetic.OTHER), finish)


def _table_cycles(accelerator: Accelerator, maker: NpuOp | None) -> float:
    """What an element takes to be looked up, by an operator of its own or by its maker."""
    alone = accelerator.throughput.output_cycles(Arithmetic.OTHER, Finish.TABLE)
    if maker is None or not takes_table(maker):
        return alone
    sums_channels = maker.kind.unit in (Unit.CONVOLUTION, Unit.VECTOR_PRODUCT)
    macs = maker.kernel.taps * (maker.ifm.shape.c if sums_channels else 1)
    busy = max(_element_cycles(accelerator, maker), macs / accelerator.macs)
    return max(0.0, alone - busy)


def _as_table(draft: Draft, function: _Function) -> Pointwise:
    """The operator that looks up what a function makes of each value."""
    dtype, last = draft.dtype(function.given), function.ops[-1]
    known = {function.given: stored_values(dtype)}
    for op in function.ops:
        known[op.ofm.fm] = _computed(draft, op, known)
    given = next(v for op in function.ops for v in op.views if v.fm == function.given)
    # Between the operators there may have been a reshape, of which only the bytes are left.
    given = replace(given, shape=last.ofm.shape)
    scale = None if given.quant is None else given.quant.scale
    zero = draft.new_constant(f"{last.name}_zero", 0, dtype, Quant(scale=scale), ())
    table = stored_table(dtype, known[last.ofm.fm])
    made = NpuOp(
        id=UNNUMBERED,
        kind=OpKind.ADD,
        name=last.name,
        ifm=given,
        ifm2=draft.view(zero),
        # The table rescales, so what comes before it must not.
        ofm=replace(last.ofm, quant=given.quant),
        activation=Activation(kind=ActivationKind.LUT, table=table),
        origin=last.origin,
        sources=sources_of(function.ops),
    )
    return Pointwise(op=made)


def _computed(draft: Draft, op: NpuOp, known: Mapping[FmId, Ints]) -> Ints:
    """What an operator stores for each of the 256 values, as the reference kernels compute it."""
    dtype, made = draft.dtype(op.ofm.fm), scaling_of(op.ofm)
    stored = [_stored_values(draft, view, known) for view in op.views[:-1]]
    if op.activation is not None and op.activation.table is not None:
        return op.activation.table.array.astype(np.int64)[stored[0] - dtype.limits[0]]
    given = [scaling_of(view) for view in op.views[:-1]]
    centred = [values - scaling.zero_point for values, scaling in zip(stored, given, strict=True)]
    scales = [scaling.scale for scaling in given]
    results = made.zero_point + _scaled(op, centred, scales, made.scale)
    return np.clip(results, *_bounds(op.activation, made, dtype))


def _stored_values(draft: Draft, view: View, known: Mapping[FmId, Ints]) -> Ints:
    data = draft.feature_maps[view.fm].data
    return known[view.fm] if data is None else data.array.reshape(-1).astype(np.int64)


def _scaled(op: NpuOp, centred: Sequence[Ints], scales: Sequence[float], made: float) -> Ints:
    """A result without its zero point, before it is clamped."""
    if op.kind is OpKind.MUL:
        factor = elementwise_mul_scale(scales[0], scales[1], made)
        return multiply_by_quantized_multiplier(centred[0] * centred[1], *factor)
    if op.kind is OpKind.AVERAGE_POOL:
        factor = quantise_scale(scales[0] / made)
        if op.scaling is not None:
            factor = Multiplier(op.scaling.multiplier, op.scaling.shift)
        return multiply_by_quantized_multiplier(centred[0], *factor)
    common = simplified_add_scale(scales[0], scales[1], made, _SUM_HEADROOM_BITS)
    first, second = (
        multiply_by_quantized_multiplier(
            values << _SUM_HEADROOM_BITS, *quantise_scale(scale / (1 << _SUM_HEADROOM_BITS))
        )
        for values, scale in zip(centred, (common.a, common.b), strict=True)
    )
    total = first + second if op.kind is OpKind.ADD else first - second
    return multiply_by_quantized_multiplier(total, *common.out)


def _bounds(activation: Activation | None, made: Scaling, dtype: DType) -> tuple[int, int]:
    """The range that a clamp leaves, found in single precision as the reference does."""
    low, high = dtype.limits
    if activation is not None and activation.minimum is not None:
        low = max(low, _stored_bound(activation.minimum, made))
    if activation is not None and activation.maximum is not None:
        high = min(high, _stored_bound(activation.maximum, made))
    return low, high


def _stored_bound(real: float, made: Scaling) -> int:
    return made.zero_point + round_away_from_zero(float(np.float32(real) / np.float32(made.scale)))
