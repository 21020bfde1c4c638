"""Who runs what of a compiled model, in which order, and which tensors go from one to the next."""

from __future__ import annotations

from core.base.dtype import DType
from core.base.frozen import Frozen, NamedTuple


class Handed(NamedTuple):
    """A tensor that is handed over."""

    name: str
    shape: tuple[int, ...]
    dtype: DType
    size_bytes: int


class Call(Frozen):
    """A kernel on the CPU, or a command stream's turn on the accelerator."""

    method: str
    """The method of a program, or the subgraph, that it belongs to."""
    title: str
    takes: tuple[Handed, ...]
    """What is not constant."""
    gives: tuple[Handed, ...]
    stream: int | None = None
    """Number of the command stream; None of what the CPU runs."""
    cpu_op: int | None = None
    """Position among the operators that the CPU runs; None of a command stream."""
