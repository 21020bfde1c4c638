"""Whether the maps of an operation go together, which nothing but its maker has seen to."""

from __future__ import annotations

from core.base.geometry import Shape4
from core.ir.program import Job, MapUse, NpuOperation


def misfit(operation: NpuOperation) -> str:
    """What is impossible about the maps of an operation, in words; empty where nothing is."""
    made, given = operation.ofm.shape, operation.ifm.shape
    if min(given) < 1:
        return f"its window and padding leave an input of {_told(given)}"
    if operation.job.is_elementwise:
        return _misfit_elementwise(operation)
    if operation.job is Job.CONVOLUTION:
        return ""
    wanted = 1 if operation.job is Job.REDUCE_SUM else given.c
    if made.c == wanted:
        return ""
    return f"{operation.job.value} of {given.c} channels cannot make {made.c}"


def _misfit_elementwise(operation: NpuOperation) -> str:
    made, second = operation.ofm.shape, operation.ifm2
    inputs = [operation.ifm.shape]
    if isinstance(second, MapUse):
        inputs.append(second.shape)
    for axis, size in enumerate(made):
        if size != max(given[axis] for given in inputs) or any(
            given[axis] not in {1, size} for given in inputs
        ):
            told = " and ".join(_told(given) for given in inputs)
            return f"{operation.job.value} of {told} cannot make {_told(made)}"
    return ""


def _told(shape: Shape4) -> str:
    return "x".join(str(size) for size in shape[1:])
