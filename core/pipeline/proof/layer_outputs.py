"""What a simulated stream writes, put together to whole arrays that can be looked for by value.

A stream writes the output of one operator in stripes and in slices of its channels. Which of the
operations belong together is not in the stream; any run of operations that are alike in all but
their rows may do, if it has as many elements as something that is looked for.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np

from core.base.digest import digest_bytes
from core.base.frozen import Changing, Frozen, NamedTuple, field, replace
from core.base.ids import OpRef
from core.emit.layers import Layer, structure
from core.ir.program import MapUse, NpuOperation, Program, ProgramPart
from core.pipeline.proof.litert import Array
from core.target.format import Format

_ALIKE = 0.5
"""Of equal elements, or correlation, from where on two arrays are taken for the same thing."""

_ROUNDING = 1e-3
"""Of a real number in steps of its quantisation."""


class Difference(NamedTuple):
    """How far two arrays are from each other."""

    elements: int
    differing: int
    largest: float
    mean: float = 0.0
    """Of all elements."""

    @classmethod
    def between(cls, one: Array, other: Array) -> Difference:
        """Of arrays with as many elements; what is no number is equal to itself."""
        first, second = one.reshape(-1), other.reshape(-1)
        is_other = first != second
        if first.dtype.kind == "f":
            is_other &= ~(np.isnan(first) & np.isnan(second))
        if not is_other.any():
            return cls(first.size, 0, 0.0)
        with np.errstate(invalid="ignore"):
            gaps = np.abs(first[is_other].astype(np.float64) - second[is_other].astype(np.float64))
        is_finite = bool(np.isfinite(gaps).all())
        largest = float(gaps.max()) if is_finite else float("inf")
        mean = float(gaps.sum()) / first.size if is_finite else float("inf")
        return cls(first.size, int(is_other.sum()), largest, mean)

    @property
    def severity(self) -> tuple[float, int]:
        """To be compared with that of another."""
        return self.largest, self.differing

    def in_steps(self, step: float) -> Difference:
        """The same, counted in steps of a quantisation; nearly whole numbers become whole."""
        steps = self.largest / step
        if math.isfinite(steps) and abs(steps - round(steps)) < _ROUNDING:
            steps = float(round(steps))
        return self._replace(largest=steps, mean=self.mean / step)

    def __str__(self) -> str:
        """All of it in a few words."""
        return f"{self.differing} of {self.elements} elements differ, by up to {self.largest:g}"


class Shown(Frozen, eq=False):
    """An array that operations of one part have written."""

    part: OpRef
    number: int
    """Of the part's operator in the file."""
    commands: tuple[int, ...]
    values: Array
    """Without its shape, which the stream need not share with the model."""

    @property
    def place(self) -> str:
        """Which commands of which operator these are."""
        first, last = self.commands[0], self.commands[-1]
        many = f"commands {first} to {last}" if first != last else f"command {first}"
        return f"{many} of operator {self.number}"


class LayerOutputs(Changing):
    """All arrays of some sizes that a simulated model has written."""

    _by_digest: dict[str, list[Shown]] = field(default_factory=lambda: defaultdict(list))
    _by_size: dict[int, list[Shown]] = field(default_factory=lambda: defaultdict(list))

    def add(self, shown: Shown) -> None:
        """Take one more array."""
        self._by_digest[_digest(shown.values)].append(shown)
        self._by_size[shown.values.size].append(shown)

    def equal(self, wanted: Array) -> Shown | None:
        """An array with these bytes."""
        return next(iter(self._by_digest.get(_digest(wanted), ())), None)

    def most_alike(self, wanted: Array, is_free: Callable[[Shown], bool]) -> Shown | None:
        """The array that was most probably meant to be these values."""
        free = [item for item in self._comparable(wanted) if is_free(item)]
        likeness = [_likeness(item.values, wanted.reshape(-1)) for item in free]
        if not free:
            return None
        if max(likeness) < _ALIKE:
            likeness = [_right_parts(item.values, wanted) for item in free]
        return free[int(np.argmax(likeness))] if max(likeness) else None

    def _comparable(self, wanted: Array) -> list[Shown]:
        known = self._by_size.get(wanted.size, [])
        return [item for item in known if item.values.dtype == wanted.dtype]


def layer_outputs(
    program: Program,
    written: dict[tuple[OpRef, int], Array],
    sizes: frozenset[int],
    numbers: Sequence[int],
) -> LayerOutputs:
    """The arrays of certain sizes, of what each command of each part has written.

    `numbers` are those of operators in the file, by position; not all are run.
    """
    found = LayerOutputs()
    for part in program.parts:
        runs = [(run, 0) for members in _alike(part, written) for run in _runs(members, sizes)]
        seen = {_commands(run) for run, _ in runs}
        for members in _slices(part, written):
            runs += ((run, -1) for run in _runs(members, sizes) if _commands(run) not in seen)
        for run, axis in runs:
            values = np.concatenate([member.values for member in run], axis=axis).reshape(-1)
            shown = Shown(
                part=part.op, number=numbers[part.op.op], commands=_commands(run), values=values
            )
            found.add(shown)
            in_memory = _in_order_of_memory(part, shown.commands, written)
            if in_memory is not None:
                found.add(replace(shown, values=in_memory))
    return found


def _in_order_of_memory(
    part: ProgramPart, commands: Sequence[int], written: dict[tuple[OpRef, int], Array]
) -> Array | None:
    """Elements by their addresses, where these are in another order than the operations.

    A product of computed matrices is made column by column, one matrix after the other.
    """
    operations = (part.stream.commands[at] for at in commands)
    maps = [op.ofm for op in operations if isinstance(op, NpuOperation)]
    if len(maps) < 2 or not all(map(_is_in_one_piece, maps)):
        return None
    rows = {after.bases[0] - before.bases[0] for before, after in pairwise(maps)}
    if rows == {maps[0].shape.h * maps[0].strides.y}:
        return None
    places = np.concatenate([_addresses(each) for each in maps])
    order = np.argsort(places, kind="stable")
    if not np.diff(places[order]).all():
        return None
    return np.asarray(np.concatenate([written[part.op, at].reshape(-1) for at in commands])[order])


def _is_in_one_piece(use: MapUse) -> bool:
    is_whole = use.shape.h <= use.tiles.height0 and use.shape.w <= use.tiles.width0
    return is_whole and use.format is Format.LINEAR


def _addresses(use: MapUse) -> Array:
    row, column, channel = np.ix_(*map(np.arange, use.shape[1:]))
    y, x, c = use.strides
    return np.asarray(use.bases[0] + row * y + column * x + channel * c).reshape(-1)


def _commands(run: list[_Member]) -> tuple[int, ...]:
    return tuple(at for member in run for at in member.commands)


class _Member(NamedTuple):
    """Rows of an output with all their channels."""

    commands: tuple[int, ...]
    values: Array


def _alike(part: ProgramPart, written: dict[tuple[OpRef, int], Array]) -> list[list[_Member]]:
    """Operations that can be rows of one output, in order."""
    groups: dict[Hashable, list[_Member]] = defaultdict(list)
    for layer in structure(part.stream).layers:
        if not all((part.op, at) in written for at in layer.commands):
            continue
        first = part.stream.commands[layer.commands[0]]
        if isinstance(first, NpuOperation):
            for member in _members(part.op, layer, written):
                groups[_key(first, member.values.shape[1:])].append(member)
    return list(groups.values())


def _slices(part: ProgramPart, written: dict[tuple[OpRef, int], Array]) -> list[list[_Member]]:
    """Operations right after each other that can be slices of one output, however unlike."""
    operations = [
        (command.job, written[part.op, at].shape[:2], at)
        for at, command in enumerate(part.stream.commands)
        if isinstance(command, NpuOperation) and (part.op, at) in written
    ]
    return [
        [_Member((at,), written[part.op, at]) for *_, at in group]
        for _, group in groupby(operations, key=lambda item: item[:2])
    ]


def _members(
    part: OpRef, layer: Layer, written: dict[tuple[OpRef, int], Array]
) -> Iterator[_Member]:
    if layer.slices > 1:
        slices = [written[part, at] for at in layer.commands]
        yield _Member(layer.commands, np.concatenate(slices, axis=-1))
        return
    yield from (_Member((at,), written[part, at]) for at in layer.commands)


def _key(op: NpuOperation, row: tuple[int, ...]) -> Hashable:
    """What is equal in all stripes of an output."""
    ofm, ifm = op.ofm, op.ifm
    second = op.ifm2.zero_point if op.ifm2 is not None else None
    return (
        *(row, op.job, op.kernel, op.upscale, op.activation, op.rounding, op.ofm_scale),
        *(ofm.region, ofm.strides, ofm.dtype, ofm.zero_point, ofm.format),
        *(ifm.region, ifm.strides, ifm.dtype, ifm.zero_point, ifm.format, ifm.shape.c, second),
    )


def _runs(members: list[_Member], sizes: frozenset[int]) -> Iterator[list[_Member]]:
    """Neighbours that have as many elements together as is looked for."""
    most = max(sizes, default=0)
    for start in range(len(members)):
        count = 0
        for end in range(start, len(members)):
            count += members[end].values.size
            if count > most:
                break
            if count in sizes:
                yield members[start : end + 1]


def _digest(values: Array) -> str:
    """Of the bytes: types that differ in nothing else may differ in their sign."""
    return digest_bytes(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)


def _right_parts(found: Array, wanted: Array) -> float:
    """How many parts along the first dimension are right, where the others are unlike.

    One head of several, for instance; a part of one number all over proves nothing.
    """
    parts = next((size for size in wanted.shape if size > 1), 1)
    pairs = zip(found.reshape(parts, -1), wanted.reshape(parts, -1), strict=True)
    right = [np.array_equal(one, other) and one.min() != one.max() for one, other in pairs]
    return float(sum(right))


def _likeness(one: Array, other: Array) -> float:
    """1 for equal arrays, and for those that are off by one number for all; 0 for unlike ones."""
    equal = float(np.count_nonzero(one == other)) / max(one.size, 1)
    first, second = one.astype(np.float64), other.astype(np.float64)
    first, second = first - first.mean(), second - second.mean()
    size = float(np.sqrt((first @ first) * (second @ second)))
    return max(equal, float(first @ second) / size if size else 0.0)
