"""A network in the making: what each tensor was seen to hold, and the constants still to come.

Every operator is evaluated in floats on a few samples as it is added. Quantisation is settled at
the end, when it is known which tensors have to share theirs and how far each one reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.frozen import Frozen, replace
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Network, Operator, Quantization, Subgraph, Table, Tensor
from core.synth import ranges
from core.synth.draws import Array, Draws, Integers
from core.synth.versions import version_of
from core.tflite.schema import numbers_of, table_schema

SAMPLES = 6
"""Samples that a network is calibrated on: all but one of noise, the last one smooth."""

QUANTIZED = frozenset({DType.INT8, DType.UINT8, DType.INT16})


class Value(Frozen):
    """A tensor of a network in the making, as operators hand it on."""

    index: int
    shape: tuple[int, ...]


Lookup = Callable[[Value], Quantization]


class Constant(Frozen):
    """A tensor that holds data once the quantisation of the values it goes with is known."""

    label: str
    dtype: DType
    make: Callable[[Lookup], tuple[Integers, Quantization | None]]


class Scratch(Frozen):
    """A tensor without data beside an operator: a state, or parameters for an inner result."""

    label: str
    dtype: DType
    shape: tuple[int, ...]
    like: Value | None = None
    quantization: Quantization | None = None
    is_variable: bool = False


Operand = Value | Constant | Scratch | None


class Result(Frozen):
    """An output of an operator: its samples, and where its quantisation comes from if not those."""

    samples: tuple[Array, ...]
    dtype: DType | None = None
    like: Value | None = None
    fixed: Quantization | None = None


class _Entry(Frozen):
    name: str
    dtype: DType
    shape: tuple[int, ...]
    samples: tuple[Array, ...] = ()
    bounds: tuple[float, float] = (0.0, 0.0)
    stored: Array | None = None
    deferred: Constant | None = None
    scratch: Scratch | None = None


class Graph:
    """Tensors and operators so far; the families of operators build on it."""

    def __init__(self, seed: int, dtype: DType = DType.INT8) -> None:
        self.dtype = dtype
        self.draws = Draws(seed)
        self.scope = ""
        self._entries: list[_Entry] = []
        self._operators: list[Operator] = []
        self._inputs: list[int] = []
        self._leaders: dict[int, int] = {}
        self._fixed: dict[int, Quantization] = {}
        self._uses: dict[str, int] = {}

    def input(self, shape: Sequence[int], low: float = -1.0, high: float = 1.0) -> Value:
        """A network input whose elements lie between two bounds."""
        samples = [self.draws.uniform(shape, low, high) for _ in range(SAMPLES - 1)]
        samples.append(_smooth(self.draws.uniform(shape, low, high)))
        entry = _Entry(
            name=self._name("input"),
            dtype=self.dtype,
            shape=tuple(shape),
            samples=tuple(samples),
            bounds=(low, high),
        )
        value = self._add(entry)
        self._inputs.append(value.index)
        return value

    def constant(self, array: Array, dtype: DType | None = None) -> Value:
        """A constant operand, stored in an element type for activations."""
        entry = _Entry(
            name=self._name("constant"),
            dtype=dtype or self.dtype,
            shape=array.shape,
            samples=(array,) * SAMPLES,
            bounds=(float(array.min()), float(array.max())),
            stored=array,
        )
        return self._add(entry)

    def samples(self, value: Value) -> tuple[Array, ...]:
        """What a tensor holds, in floats, for each of the samples."""
        return self._entries[value.index].samples

    def dtype_of(self, value: Value) -> DType:
        """Element type of a tensor."""
        return self._entries[value.index].dtype

    def is_fixed(self, value: Value) -> bool:
        """Whether the format dictates the quantisation of a tensor."""
        return self._leader(value.index) in self._fixed

    def tie(self, *values: Value) -> None:
        """Let tensors share one quantisation that covers them all."""
        leader = self._leader(values[0].index)
        for value in values[1:]:
            other = self._leader(value.index)
            if other == leader:
                continue
            fixed = self._fixed.pop(other, None)
            if fixed is not None and self._fixed.setdefault(leader, fixed) != fixed:
                raise InternalError("tensors with two dictated quantisations cannot share one")
            self._leaders[other] = leader

    def emit(
        self,
        kind: str,
        operands: Sequence[Operand],
        results: Sequence[Result],
        options: Table | None = None,
        intermediates: Sequence[Scratch] = (),
    ) -> tuple[Value, ...]:
        """Add an operator and say what came out of it."""
        if kind not in numbers_of("BuiltinOperator"):
            raise InternalError(f"the file format has no operator {kind}")
        name = self._name(kind.lower())
        inputs = tuple(self._operand(operand, name) for operand in operands)
        between = tuple(self._operand(scratch, name) for scratch in intermediates)
        values = tuple(self._result(result, name, at) for at, result in enumerate(results))
        first = next(operand for operand in operands if isinstance(operand, Value))
        operator = Operator(
            kind=kind,
            inputs=inputs,
            outputs=tuple(TensorId(value.index) for value in values),
            intermediates=between,
            options=options,
            version=version_of(kind, self.dtype_of(first), options),
        )
        self._operators.append(operator)
        return values

    def apply(
        self,
        kind: str,
        operands: Sequence[Operand],
        compute: Callable[..., Array],
        options: Table | None = None,
        *,
        tied: bool = False,
        fixed: Quantization | None = None,
    ) -> Value:
        """Add an operator with one output, which `compute` derives from the operands' samples."""
        values = [operand for operand in operands if isinstance(operand, Value)]
        columns = zip(*(self.samples(value) for value in values), strict=True)
        samples = tuple(compute(*column) for column in columns)
        like = values[0] if tied else None
        dtype = self.dtype_of(values[0])
        result = Result(samples=samples, dtype=dtype, like=like, fixed=fixed)
        return self.emit(kind, operands, (result,), options)[0]

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The inputs so far."""
        return tuple(Value(index=index, shape=self._entries[index].shape) for index in self._inputs)

    @property
    def size(self) -> int:
        """Operators so far."""
        return len(self._operators)

    def ends(self) -> tuple[Value, ...]:
        """What operators made and no operator has read so far."""
        read = {index for operator in self._operators for index in operator.inputs}
        made = (index for operator in self._operators for index in operator.outputs)
        return tuple(
            Value(index=index, shape=self._entries[index].shape)
            for index in made
            if index not in read
        )

    def build(self, outputs: Sequence[Value], name: str = "main") -> Network:
        """The finished network, quantised."""
        parameters = self._settle()

        def lookup(value: Value) -> Quantization:
            return parameters[self._leader(value.index)]

        tensors = tuple(self._tensor(at, lookup) for at in range(len(self._entries)))
        graph = Subgraph(
            name=name,
            tensors=tensors,
            operators=tuple(self._operators),
            inputs=tuple(TensorId(index) for index in self._inputs),
            outputs=tuple(TensorId(value.index) for value in outputs),
        )
        return Network(subgraphs=(graph,), description="Reefpoint's network builder")

    def _add(self, entry: _Entry) -> Value:
        self._entries.append(entry)
        index = len(self._entries) - 1
        self._leaders[index] = index
        return Value(index=index, shape=entry.shape)

    def _name(self, stem: str) -> str:
        path = f"{self.scope}/{stem}" if self.scope else stem
        count = self._uses.get(path, 0)
        self._uses[path] = count + 1
        return f"{path}_{count}" if count else path

    def _leader(self, index: int) -> int:
        while self._leaders[index] != index:
            index = self._leaders[index]
        return index

    def _operand(self, operand: Operand, name: str) -> TensorId | None:
        if operand is None:
            return None
        if isinstance(operand, Value):
            return TensorId(operand.index)
        entry = _Entry(name=f"{name}/{operand.label}", dtype=operand.dtype, shape=())
        if isinstance(operand, Constant):
            return TensorId(self._add(replace(entry, deferred=operand)).index)
        value = self._add(replace(entry, shape=operand.shape, scratch=operand))
        if operand.quantization is not None:
            self._fixed[value.index] = operand.quantization
        if operand.like is not None:
            self.tie(operand.like, value)
        return TensorId(value.index)

    def _result(self, result: Result, name: str, at: int) -> Value:
        if result.samples[0].size == 0:
            raise InternalError(f"nothing is left after {name}")
        # What only moves elements on cannot reach farther than what it was given.
        seen = ranges.seen if result.like is not None else ranges.expected
        bounds = seen(result.samples)
        entry = _Entry(
            name=f"{name}:{at}" if at else name,
            dtype=result.dtype or self.dtype,
            shape=result.samples[0].shape,
            samples=result.samples,
            bounds=bounds,
        )
        value = self._add(entry)
        if result.fixed is not None:
            self._fixed[value.index] = result.fixed
        if result.like is not None:
            self.tie(result.like, value)
        return value

    def _settle(self) -> dict[int, Quantization]:
        """Quantisation of each group of tensors that share theirs, by the group's leader."""
        bounds: dict[int, tuple[float, float]] = {}
        for index, entry in enumerate(self._entries):
            if entry.samples and entry.dtype in QUANTIZED:
                leader = self._leader(index)
                low, high = bounds.get(leader, entry.bounds)
                bounds[leader] = min(low, entry.bounds[0]), max(high, entry.bounds[1])
        found = {
            leader: ranges.for_range(self._entries[leader].dtype, low, high)
            for leader, (low, high) in bounds.items()
        }
        return found | self._fixed

    def _tensor(self, index: int, lookup: Lookup) -> Tensor:
        entry = self._entries[index]
        data: Integers | None = None
        quantization: Quantization | None = None
        if entry.deferred is not None:
            data, quantization = entry.deferred.make(lookup)
        elif entry.scratch is not None:
            if entry.scratch.like is not None or entry.scratch.quantization is not None:
                quantization = lookup(Value(index=index, shape=entry.shape))
        elif entry.dtype in QUANTIZED:
            quantization = lookup(Value(index=index, shape=entry.shape))
            if entry.stored is not None:
                data = ranges.quantized(entry.stored, entry.dtype, quantization)
        return Tensor(
            name=entry.name,
            shape=entry.shape if data is None else data.shape,
            dtype=entry.dtype,
            quantization=quantization,
            data=None if data is None else ConstData.of(data),
            is_variable=entry.scratch is not None and entry.scratch.is_variable,
        )


def enum_value(enumeration: str, name: str) -> int:
    """The number of a name in one of the file format's enumerations."""
    return numbers_of(enumeration)[name]


def table(kind: str, fields: Mapping[str, FieldValue] | None = None) -> Table:
    """Options of an operator, their fields in the order of the file format."""
    given = dict(fields or {})
    known = [field.name for field in table_schema(kind).fields]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InternalError(f"{kind} has no field {unknown[0]}")
    return Table(kind=kind, fields=tuple((name, given[name]) for name in known if name in given))


def integers(
    label: str, values: Sequence[int] | Integers | int, dtype: DType = DType.INT32
) -> Constant:
    """A constant of plain integers, such as a shape or axes."""
    array = np.asarray(values, dtype.numpy)
    return Constant(label=label, dtype=dtype, make=lambda _: (array, None))


def _smooth(noise: Array) -> Array:
    """The noise averaged over neighbours in each of the inner axes, stretched back to its range."""
    smooth = noise
    for axis in range(1, noise.ndim):
        if noise.shape[axis] >= 8:
            for _ in range(3):
                moved = np.roll(smooth, 1, axis) + np.roll(smooth, -1, axis)
                smooth = (smooth + moved) / 3.0
    middle = (noise.max() + noise.min()) / 2.0
    reach = max(float(np.abs(smooth - middle).max()), 1e-9)
    stretched = middle + (smooth - middle) * ((noise.max() - middle) / reach)
    return np.asarray(stretched, np.float64)
