"""What is known of the scales of values: from kernels that quantise, or from plans that say it."""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.executorch import ExecutorchProgram, KernelCall, Plan, PlanTensor
from core.ir.network import Quantization

_QUANTIZE = "::quantize_per_tensor"
_DEQUANTIZE = "::dequantize_per_tensor"
_SCALE, _ZERO_POINT = 1, 2
"""Positions of arguments; the first is what is read."""


def scales_of(program: ExecutorchProgram, plan: Plan) -> dict[int, Quantization]:
    """By value of a plan, where anything says it."""
    found = dict(_by_plans(program, plan))
    for call in plan.calls:
        if not isinstance(call, KernelCall) or len(call.args) <= _ZERO_POINT:
            continue
        scale, zero = (plan.values[call.args[at]] for at in (_SCALE, _ZERO_POINT))
        if not isinstance(scale, float) or not isinstance(zero, int):
            continue
        if _DEQUANTIZE in call.kernel:
            found[call.args[0]] = _quantization(scale, zero)
        elif _QUANTIZE in call.kernel:
            tensors = [at for at in call.args if isinstance(plan.values[at], PlanTensor)]
            found.update(dict.fromkeys(tensors[-1:], _quantization(scale, zero)))
    return found


def _by_plans(program: ExecutorchProgram, plan: Plan) -> Iterator[tuple[int, Quantization]]:
    """Scales that plans of their own return, as `input0_scale` and `input0_zp`."""
    known = {each.name: each for each in program.plans}
    for what, values in (("input", plan.inputs), ("output", plan.outputs)):
        for number, value in enumerate(values):
            scale = _returned(known.get(f"{what}{number}_scale"))
            zero = _returned(known.get(f"{what}{number}_zp"))
            if isinstance(scale, float) and isinstance(zero, int):
                yield value, _quantization(scale, zero)


def _returned(plan: Plan | None) -> object:
    """The one value that a plan returns, if it is nothing but that."""
    if plan is None or plan.calls or len(plan.outputs) != 1:
        return None
    return plan.values[plan.outputs[0]]


def _quantization(scale: float, zero_point: int) -> Quantization:
    return Quantization(scales=(scale,), zero_points=(zero_point,))
