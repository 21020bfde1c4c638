"""A miniature NPU: runs the operators of a draft one by one, on whole feature maps, as integers.

It knows what the hardware's arithmetic does to numbers, and nothing of blocks, formats or memory.
What it does not know it refuses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import (
    elementwise_mul_scale,
    multiply_by_quantized_multiplier,
    quantise_scale,
    round_array_away_from_zero,
    rounding_divide_by_pot,
    shift_right_rounding_up,
)
from core.base.ids import FmId
from core.ir.npugraph import ActivationKind, NpuOp, OpKind, Rounding, View
from core.lower.draft import Draft, Pointwise, SliceRead

Array = npt.NDArray[np.int64]


@dataclass
class MiniNpu:
    """Feature maps as bytes, and the operators of a draft."""

    draft: Draft
    memory: dict[FmId, npt.NDArray[np.uint8]] = field(default_factory=dict)

    def store(self, fm: FmId, values: npt.NDArray) -> None:
        """Fill a feature map."""
        self._elements(fm)[:] = np.asarray(values).reshape(-1)

    def load(self, fm: FmId) -> npt.NDArray:
        """A feature map in its own shape."""
        return self._elements(fm).reshape(self.draft.feature_maps[fm].shape).copy()

    def run(self) -> None:
        """Run everything, in the draft's order."""
        for item in self.draft.items:
            if isinstance(item, SliceRead):
                self._write(item.ofm, self._read(item.ifm))
            elif isinstance(item, Pointwise):
                self._run(item.op)
            elif isinstance(item, NpuOp):
                self._run(item)
            else:
                raise TypeError(item)

    def _elements(self, fm: FmId) -> npt.NDArray:
        feature_map = self.draft.feature_maps[fm]
        storage = self.draft.feature_maps[feature_map.storage]
        if storage.id not in self.memory:
            count = math.prod(storage.shape) * storage.dtype.size_bytes
            self.memory[storage.id] = np.zeros(count, np.uint8)
            if storage.data is not None:
                data = np.ascontiguousarray(storage.data.array)
                self.memory[storage.id][:] = data.reshape(-1).view(np.uint8)
        return self.memory[storage.id].view(feature_map.dtype.numpy)

    def _places(self, view: View) -> Array:
        """Which elements of its feature map a view touches."""
        _, h, w, c = view.shape
        steps = (h * w * c, w * c, c, 1)
        if view.is_transposed:
            steps = (h * w * c, c, h * c, 1)
        size = self.draft.dtype(view.fm).size_bytes
        places = np.int64(view.base_offset_bytes // size)
        for axis, (first, count) in enumerate(zip(view.start, view.touched, strict=True)):
            factor = {1: view.step_h, 2: view.step_w}.get(axis, 1)
            positions = (first + np.arange(count) * factor) * steps[axis]
            places = places + positions.reshape(-1, *[1] * (3 - axis))
        return places

    def _read(self, view: View) -> Array:
        return self._elements(view.fm)[self._places(view)].astype(np.int64)

    def _centred(self, view: View) -> Array:
        """What is read, less its zero point; 32-bit maps have none."""
        is_wide = self.draft.dtype(view.fm).bits >= 32
        return self._read(view) - (0 if is_wide else _zero_point(view))

    def _write(self, view: View, values: Array) -> None:
        places = self._places(view)
        assert places.min() >= 0
        assert places.max() < self._elements(view.fm).size
        low, high = self.draft.dtype(view.fm).limits
        assert values.min() >= low
        assert values.max() <= high
        self._elements(view.fm)[places] = np.broadcast_to(values, places.shape)

    def _run(self, op: NpuOp) -> None:
        if op.kind is OpKind.COPY:
            source, target = self._elements(op.ifm.fm), self._elements(op.ofm.fm)
            target.view(np.uint8)[:] = source.view(np.uint8)
        else:
            self._write(op.ofm, self._finished(op, self._computed(op)))

    def _finished(self, op: NpuOp, values: Array) -> Array:
        """With the zero point of the output, its activation, and within its type."""
        dtype = self.draft.dtype(op.ofm.fm)
        kind = None if op.activation is None else op.activation.kind
        is_offset = dtype.bits < 32 or kind is ActivationKind.LUT
        values = values + (_zero_point(op.ofm) if is_offset else 0)
        if op.activation is not None and kind is ActivationKind.LUT:
            assert op.activation.table is not None
            return _looked_up(op.activation.table.array, values, signed=dtype.is_signed)
        if dtype.bits >= 32:
            return values
        values = np.clip(values, *dtype.limits)
        if op.activation is not None and kind is ActivationKind.CLAMP:
            bounds = (op.activation.minimum, op.activation.maximum)
            low, high = (None if b is None else _quantised(op.ofm, b) for b in bounds)
            values = np.clip(values, low, high)
        return values

    def _computed(self, op: NpuOp) -> Array:
        match op.kind:
            case OpKind.DEPTHWISE_CONV_2D | OpKind.FULLY_CONNECTED | OpKind.CONV_2D:
                return self._convolved(op)
            case OpKind.MAX_POOL:
                return _windows(self._centred(op.ifm), op).max(axis=(-2, -1))
            case OpKind.AVERAGE_POOL:
                return self._pooled(op)
            case OpKind.REDUCE_SUM:
                return self._depth_summed(op)
            case _:
                return self._elementwise(op)

    def _convolved(self, op: NpuOp) -> Array:
        assert op.weights is not None
        x = self._centred(op.ifm)
        weights = op.weights.values.array.astype(np.int64) - op.weights.zero_points[0]
        bias = op.weights.bias.array
        if op.kind is OpKind.DEPTHWISE_CONV_2D:
            taps = np.moveaxis(weights[..., 0], 0, 0)
            total = np.einsum("nhwcij,cij->nhwc", _windows(x, op), taps) + bias
        else:
            total = np.einsum("nhwc,oc->nhwo", x, weights[:, 0, 0, :]) + bias
        if op.scaling is not None:
            return _scaled(total, op.scaling.multiplier, op.scaling.shift)
        factor = _scale(op.ifm) * op.weights.scales[0] / _scale(op.ofm)
        return _scaled(total, *quantise_scale(factor))

    def _depth_summed(self, op: NpuOp) -> Array:
        total = self._centred(op.ifm).sum(axis=3, keepdims=True)
        if op.scaling is None:
            return total
        multiplier, shift = op.scaling.multiplier, op.scaling.shift
        if op.rounding is Rounding.NATURAL:
            return shift_right_rounding_up(total * multiplier, shift)
        return _scaled(total, multiplier, shift)

    def _pooled(self, op: NpuOp) -> Array:
        assert op.kernel.taps == 1
        x = self._centred(op.ifm)
        if op.scaling is not None:
            return _scaled(x, op.scaling.multiplier, op.scaling.shift)
        if op.activation is not None and op.activation.kind in _CURVES:
            real = x * _scale(op.ifm)
            return _curve(op, real)
        if op.ifm.quant == op.ofm.quant:
            return x
        return _scaled(x, *quantise_scale(_scale(op.ifm) / _scale(op.ofm)))

    def _elementwise(self, op: NpuOp) -> Array:
        a = self._centred(op.ifm)
        if op.kind is OpKind.COUNT_LEADING_ZEROS:
            return 32 - np.vectorize(int.bit_length)(a.astype(object)).astype(np.int64)
        if op.kind is OpKind.LEAKY_RELU:
            assert op.alpha is not None
            return np.where(a < 0, _scaled(a, *quantise_scale(op.alpha)), a)
        assert op.ifm2 is not None
        b = self._centred(op.ifm2)
        return self._combined(op, b, a) if op.operands_swapped else self._combined(op, a, b)

    def _combined(self, op: NpuOp, a: Array, b: Array) -> Array:
        match op.kind:
            case OpKind.ADD | OpKind.SUB:
                return self._summed(op, a, b if op.kind is OpKind.ADD else -b)
            case OpKind.MUL:
                return self._multiplied(op, a, b)
            case OpKind.MINIMUM:
                return np.minimum(a, b)
            case OpKind.MAXIMUM:
                return np.maximum(a, b)
            case OpKind.SHIFT_LEFT:
                return (a << b).astype(np.int32).astype(np.int64)
            case OpKind.SHIFT_RIGHT:
                halves_up = op.rounding is Rounding.NATURAL
                return (shift_right_rounding_up if halves_up else rounding_divide_by_pot)(a, b)
            case _:
                raise AssertionError(f"nothing says what {op.kind} computes")

    def _summed(self, op: NpuOp, a: Array, b: Array) -> Array:
        if op.scaling is not None:
            return rounding_divide_by_pot((a + b) * op.scaling.multiplier, op.scaling.shift)
        assert op.ifm2 is not None
        scales = [view.quant and view.quant.scale for view in (op.ifm, op.ifm2, op.ofm)]
        if None in scales or self.draft.dtype(op.ifm.fm).bits == 32:
            return a + b
        first, second, made = (_scale(view) for view in (op.ifm, op.ifm2, op.ofm))
        if op.operands_swapped:
            first, second = second, first
        if op.activation is not None and op.activation.kind in _CURVES:
            return _curve(op, a * first + b * second)
        return round_array_away_from_zero((a * first + b * second) / made)

    def _multiplied(self, op: NpuOp, a: Array, b: Array) -> Array:
        assert op.ifm2 is not None
        if self.draft.dtype(op.ifm.fm).bits == 32:
            # The multiplier is not used: the second operand is in its place.
            shift = 0 if op.scaling is None else op.scaling.shift
            return np.clip(a * b if shift == 0 else _scaled(a, b, shift), *DType.INT32.limits)
        if op.scaling is not None:
            return _scaled(a * b, op.scaling.multiplier, op.scaling.shift)
        scales = [view.quant and view.quant.scale for view in (op.ifm, op.ifm2, op.ofm)]
        if None in scales:
            return a * b
        return _scaled(a * b, *elementwise_mul_scale(*(s for s in scales if s is not None)))


_CURVES = (ActivationKind.TANH, ActivationKind.SIGMOID)


def _curve(op: NpuOp, real: npt.NDArray) -> Array:
    """Sigmoid and tanh, nearer to the truth than the hardware's own."""
    assert op.activation is not None
    is_tanh = op.activation.kind is ActivationKind.TANH
    curved = np.tanh(real) if is_tanh else 1 / (1 + np.exp(-real))
    return round_array_away_from_zero(curved / _scale(op.ofm))


def _windows(x: Array, op: NpuOp) -> npt.NDArray:
    kernel = op.kernel
    found = np.lib.stride_tricks.sliding_window_view(x, (kernel.h, kernel.w), axis=(1, 2))
    return found[:, :: kernel.stride_h, :: kernel.stride_w]


def _scaled(values: Array, multiplier: int | Array, shift: int) -> Array:
    if isinstance(multiplier, int) and multiplier == 1:
        return rounding_divide_by_pot(values, shift)
    if shift < 31:
        return shift_right_rounding_up(values * multiplier, shift)
    return multiply_by_quantized_multiplier(values, multiplier, shift)


def _looked_up(table: npt.NDArray, values: Array, *, signed: bool) -> Array:
    if len(table) == 512:
        values = np.clip(values, -32768, 32767) + 32768
        entries = table[values >> 7].astype(np.uint32)
        base = (entries & 0xFFFF).astype(np.uint16).view(np.int16).astype(np.int64)
        slope = (entries >> 16).astype(np.uint16).view(np.int16).astype(np.int64)
        return np.clip(base + ((slope * (values & 0x7F) + 64) >> 7), -32768, 32767)
    low = -128 if signed else 0
    return table[np.clip(values, low, low + 255) - low].astype(np.int64)


def _zero_point(view: View) -> int:
    return 0 if view.quant is None else view.quant.zero_point


def _scale(view: View) -> float:
    """Without a scale, values are taken as they are."""
    return 1.0 if view.quant is None or view.quant.scale is None else view.quant.scale


def _quantised(view: View, bound: float) -> int:
    step = np.float32(bound) / np.float32(_scale(view))
    return int(round_array_away_from_zero(np.array([step]))[0]) + _zero_point(view)
