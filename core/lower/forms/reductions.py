"""Forms of operators that make one element of many, and of those that work on rows."""

from __future__ import annotations

from core.lower.forms.form import (
    Forms,
    Shape,
    divided,
    formed,
    in_three,
    numbers,
    shaped,
    turned_into,
)
from core.lower.slicing import integers
from core.lower.source import SourceOp

_MOST_ROWS = (1 << 16) - 1


def reduced(op: SourceOp) -> Forms:
    """Runs of dimensions that are reduced together are one, with the batch beside them."""
    ifm, given = op.ifm, integers(op.input(1))
    if (
        ifm is None
        or not given
        or any(not -len(ifm.shape) <= axis < len(ifm.shape) for axis in given)
    ):
        return
    axes = {axis % len(ifm.shape) for axis in given}
    runs: list[tuple[bool, int]] = []
    for axis, size in enumerate(ifm.shape):
        if runs and runs[-1][0] is (axis in axes):
            runs[-1] = runs[-1][0], runs[-1][1] * size
        elif size > 1:
            runs.append((axis in axes, size))
    sizes = tuple(size for _, size in runs)
    flags = tuple(is_reduced for is_reduced, _ in runs)
    if not any(flags):
        shape = (1, *in_three(ifm.shape))
        inputs = {0: shaped(ifm, shape), 1: numbers("axes", (0,))}
        yield formed(op, inputs, [shape], options={"keep_dims": True})
        made = op.ofm.shape
        yield turned_into(op, "RESHAPE", (ifm, numbers("shape", made)), made)
    # A depth of one lets the columns be what is reduced last.
    for shape, reduced_axes in _pictures(sizes, flags):
        made = tuple(1 if axis in reduced_axes else size for axis, size in enumerate(shape))
        inputs = {0: shaped(ifm, shape), 1: numbers("axes", sorted(reduced_axes))}
        yield formed(op, inputs, [made], options={"keep_dims": True})
    if len(ifm.shape) == 4 and 0 not in axes and ifm.shape[0] > 1:
        made = tuple(1 if axis in axes else size for axis, size in enumerate((1, *ifm.shape[1:])))
        inputs = {0: shaped(ifm, (1, *ifm.shape[1:])), 1: numbers("axes", sorted(axes))}
        yield formed(op, inputs, [made], options={"keep_dims": True}, pieces=ifm.shape[0])


def _pictures(sizes: Shape, flags: tuple[bool, ...]) -> list[tuple[Shape, frozenset[int]]]:
    """Rows, columns and depth as which runs can be seen, with those that are reduced."""
    found = []
    if len(sizes) < 3 and flags and flags[-1]:
        shape = (*[1] * (3 - len(sizes)), *sizes, 1)
        found.append(
            (shape, frozenset(at + 3 - len(sizes) for at, flag in enumerate(flags) if flag))
        )
    if len(sizes) <= 3:
        shape = (*[1] * (4 - len(sizes)), *sizes)
        found.append(
            (shape, frozenset(at + 4 - len(sizes) for at, flag in enumerate(flags) if flag))
        )
    return [each for each in found if each[1]]


def by_rows(op: SourceOp) -> Forms:
    """Rows of the last dimension, however many there are, in as few parts as can be."""
    if op.ifm is None or op.ifm.shape != op.ofm.shape or len(op.ifm.shape) < 2:
        return
    *_, depth = op.ifm.shape
    rows = op.ifm.elements // max(depth, 1)
    pieces = divided(rows, _MOST_ROWS)
    if pieces is not None:
        shape = (1, 1, rows // pieces, depth)
        yield formed(op, {0: shaped(op.ifm, shape)}, [shape], pieces=pieces)


def searched(op: SourceOp) -> Forms:
    """Rows of pixels of the last dimension, if that is the one that is searched."""
    ifm, axes = op.ifm, integers(op.input(1))
    if ifm is None or axes is None or len(axes) != 1 or not ifm.shape:
        return
    if axes[0] % len(ifm.shape) == len(ifm.shape) - 1:
        shape = in_three(ifm.shape)
        inputs = {0: shaped(ifm, shape), 1: numbers("axis", 2)}
        yield formed(op, inputs, [shape[:2]])
