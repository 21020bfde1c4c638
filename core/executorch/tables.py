"""How much a runtime of ExecuTorch keeps for a plan beside its tensors, on a core of 32 bits.

Counted after what the runtime of 1.5 allocates when it loads a method, each list for itself; builds
and versions differ, so it is an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.executorch import Items, Plan, PlanTensor

_POINTER = 4
_VALUE = 16
_TENSOR = 36
_LIST = 12
_DELEGATE = 32
_SPEC = 12
_HANDLE = 48
_CHAIN = 16
_CALL = 3 * _POINTER
"""A kernel, and a list of arguments with its length."""
_INPUT = 16
_LARGEST_ALIGNMENT = 8


def tables_bytes(plan: Plan) -> int:
    """All lists of a loaded plan."""
    return sum(size + -size % _POINTER for size in _lists(plan)) + _LARGEST_ALIGNMENT


def inputs_bytes(plan: Plan) -> int:
    """What a runner keeps for inputs: a value each, and the bytes of those that are not planned."""
    held = [plan.values[number] for number in plan.inputs]
    tensors = [each for each in held if isinstance(each, PlanTensor) and each.place is None]
    return _INPUT * len(held) + sum(each.size_bytes for each in tensors)


def _lists(plan: Plan) -> Iterator[int]:
    yield _VALUE * len(plan.values)
    yield len(plan.inputs)
    for value in plan.values:
        if isinstance(value, PlanTensor):
            yield _TENSOR
            yield _POINTER * len(value.sizes)
        elif isinstance(value, Items):
            # Boxed and unboxed, at most eight bytes each.
            yield _LIST + (_POINTER + 8) * len(value.items)
        elif isinstance(value, str):
            yield _LIST
    for delegate in plan.delegates:
        yield _DELEGATE + _HANDLE + _SPEC * len(delegate.specs)
    yield _CHAIN + _CALL * len(plan.calls)
    for call in plan.calls:
        yield _POINTER * len(getattr(call, "args", ()))
