"""What is turned before it is joined is joined first, and turned once it is known for what.

a of 24x24x65 -> TRANSPOSE -> RESHAPE 65x576 -+
b of 12x12x65 -> TRANSPOSE -> RESHAPE 65x144 -+-> CONCATENATION 65x720 -> c
c -> SLICE 64x720 -> RESHAPE 4x16x720 -> TRANSPOSE 4x720x16 -> d
c -> SLICE 1x720 -> e

becomes

a -> RESHAPE 576x65 -+
b -> RESHAPE 144x65 -+-> CONCATENATION 720x65 -> c
c -> SLICE 720x64 -> RESHAPE 720x4x16 -> TRANSPOSE 4x720x16 -> d
c -> SLICE 720x1 -> TRANSPOSE 1x720 -> e

So write converters the heads of detectors, whose framework has channels first. Elements that are
turned move one by one; what is turned back, or a part of it, then moves in runs or not at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from math import prod

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.ids import OpRef, TensorId
from core.ir.network import Table, Tensor
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.aliases import RESHAPES
from core.lower.forms.form import numbers, shaped
from core.lower.slicing import integers, slice_box
from core.lower.source import SourceGraph, SourceOp
from core.lower.turns import Move, Shape, cycles_of_turns, exchanged, move_of

_TURN, _JOIN = "TRANSPOSE", "CONCATENATION"
_MOVES = RESHAPES | {_TURN}
_CUTS = frozenset({"SLICE", "STRIDED_SLICE"})
_MOST_MOVES = 8
"""In a row: a file may claim that an operator reads what it makes."""
_MOST_AXES = 4


def with_late_turns(
    graph: SourceGraph, kept_apart: Collection[OpRef]
) -> tuple[SourceGraph, tuple[RewriteTried, ...]]:
    """The graph with turns behind what is joined, wherever that is cheaper.

    What is kept apart is looked at by nobody: of it not even the inputs and outputs are certain.
    """
    tried = []
    for join in [op for op in graph.ops if op.kind == _JOIN and op.ref not in kept_apart]:
        found = _found(_Around(graph, kept_apart), join)
        ops = None if found is None else found.ops()
        if found is None or ops is None:
            continue
        tried.append(found.tried)
        if found.tried.reason.speaks_for:
            graph = _with(graph, found.refs, {op.ref: op for op in ops})
    return graph, tuple(tried)


class _Around(NamedTuple):
    """Who makes and reads tensors, as far as that may change."""

    graph: SourceGraph
    kept_apart: Collection[OpRef]

    def is_private(self, tensor: TensorId) -> bool:
        """Whether one operator reads a tensor, and nobody else."""
        return self.graph.uses(tensor) == 1

    def mover(self, tensor: TensorId) -> SourceOp | None:
        """What makes a tensor, where it only moves elements."""
        op = self.graph.maker(tensor, _MOVES)
        return None if op is None or op.ref in self.kept_apart else op

    def readers(self, tensor: TensorId) -> Iterator[SourceOp | None]:
        """All that reads a tensor; None for who is kept apart, or is the caller."""
        for op in self.graph.consumers.get(tensor, ()):
            yield None if op.ref in self.kept_apart else op
        if tensor in self.graph.outputs:
            yield None

    def only_reader(self, tensor: TensorId) -> SourceOp | None:
        """Who reads a tensor, where it is one operator."""
        return next(self.readers(tensor)) if self.is_private(tensor) else None


class _Value(NamedTuple):
    """A tensor under its number."""

    id: TensorId
    tensor: Tensor

    def shaped(self, shape: Shape) -> _Value:
        """The same elements in another shape."""
        return _Value(self.id, replace(shaped(self.tensor, shape), shape_signature=()))


class _Turned(NamedTuple):
    """A map of rows and columns that is turned before it is joined to others."""

    turn: SourceOp
    reshapes: tuple[SourceOp, ...]
    """Behind it."""
    rows: int
    columns: int
    given: _Value
    """What is turned."""


class _Part(NamedTuple):
    """Some columns of what is joined."""

    cut: SourceOp | None
    """What cuts them out; None where that is nobody, as they are all."""
    first: int
    columns: int
    moves: tuple[SourceOp, ...]
    """What moves its elements, up to the last turn; none where nobody turns it."""
    move: Move
    """What brings it from rows that were never turned to where it is needed."""


class _Late(Frozen, dict=True):
    """Operators that turn and join, and what becomes of them."""

    join: SourceOp
    turned: tuple[_Turned, ...]
    parts: tuple[_Part, ...]

    @cached_property
    def refs(self) -> frozenset[OpRef]:
        """All of them."""
        turned = (op.ref for each in self.turned for op in (each.turn, *each.reshapes))
        cuts = (part.cut.ref for part in self.parts if part.cut is not None)
        moves = (op.ref for part in self.parts for op in part.moves)
        return frozenset((self.join.ref, *turned, *cuts, *moves))

    @cached_property
    def tried(self) -> RewriteTried:
        """About how long turns take before and after."""
        turns = [each.turn for each in self.turned]
        turns += [op for part in self.parts for op in part.moves if op.kind == _TURN]
        before = sum(cycles_of_turns(_shape(op), integers(op.ifm2) or ()) for op in turns)
        after = sum(cycles_of_turns(*part.move) for part in self.parts)
        return RewriteTried(
            rewrite=Rewrite.TURNED_LATE,
            sources=(self.join.ref,),
            measure=Measure.CYCLES,
            figure_without=before,
            figure_with=after,
            reason=RewriteReason.CHEAPER if after < before else RewriteReason.NOT_CHEAPER,
        )

    def ops(self) -> list[SourceOp] | None:
        """What is left of them, each in the place of one of them; None where places do not do."""
        found, rows = list[SourceOp](), list[_Value]()
        for each in self.turned:
            shape = (1, each.rows, each.columns)
            rows.append(_made(each.turn).shaped(shape))
            parameter = numbers("shape", shape)
            found.append(_moved(each.turn, "RESHAPE", each.given, (parameter,), rows[-1]))
        count, columns = sum(each.rows for each in self.turned), self.turned[0].columns
        whole = _made(self.join).shaped((1, count, columns))
        found.append(_joined(self.join, rows, whole))
        idle = [op for each in self.turned for op in each.reshapes]
        for part in self.parts:
            steps = _steps(part, whole, idle)
            if steps is None:
                return None
            found += steps
        return found


def _found(around: _Around, join: SourceOp) -> _Late | None:
    """What a CONCATENATION joins along columns that are turned rows, with all that reads it."""
    made, inputs = _made(join), join.operator.inputs
    turned = [None if each is None else _turned(around, each) for each in inputs]
    known = tuple(each for each in turned if each is not None)
    rank = len(made.tensor.shape)
    axis = join.options.integer("axis")
    if len(known) != len(turned) or not known or not -rank <= axis < rank:
        return None
    columns, before = known[0].columns, made.tensor.shape[: axis % rank]
    counts = {each.columns for each in known}
    if counts != {prod(before)} or prod(made.tensor.shape) != columns * sum(e.rows for e in known):
        return None
    parts = tuple(_parts(around, made, axis % rank))
    kept = tuple(part for part in parts if part is not None)
    return _Late(join=join, turned=known, parts=kept) if kept and len(kept) == len(parts) else None


def _turned(around: _Around, tensor: TensorId) -> _Turned | None:
    reshapes = list[SourceOp]()
    while around.is_private(tensor) and len(reshapes) < _MOST_MOVES:
        op = around.mover(tensor)
        given = None if op is None else op.operator.inputs[0]
        if op is None or given is None:
            return None
        if op.kind == _TURN:
            return _turn(op, given, tuple(reshapes))
        reshapes.append(op)
        tensor = given
    return None


def _turn(op: SourceOp, given: TensorId, reshapes: tuple[SourceOp, ...]) -> _Turned | None:
    order, tensor = integers(op.ifm2), op.ifm
    if tensor is None or sorted(order or ()) != list(range(len(tensor.shape))):
        return None
    sides = exchanged(tensor.shape, order or ())
    return None if sides is None else _Turned(op, reshapes, *sides, _Value(given, tensor))


def _parts(around: _Around, whole: _Value, axis: int) -> Iterator[_Part | None]:
    """All that reads what is joined; None for what would need it as it is."""
    shape = whole.tensor.shape
    columns, rows = prod(shape[:axis]), prod(shape[axis:])
    for reader in around.readers(whole.id):
        cut = reader if reader is not None and reader.kind in _CUTS else None
        span = (0, columns) if cut is None else _span(cut, axis)
        start = whole if cut is None else _made(cut)
        begin = reader if cut is None else around.only_reader(start.id)
        moves = _moves(around, begin)
        if span is None or (cut is None and not moves):
            yield None
            continue
        first, count = span
        steps = [(start.tensor.shape, None), *((op.ofm.shape, _order(op)) for op in moves)]
        move = move_of(rows, count, steps)
        is_small = move is not None and len(move.shape) <= _MOST_AXES
        yield _Part(cut, first, count, moves, move) if move is not None and is_small else None


def _span(cut: SourceOp, axis: int) -> tuple[int, int] | None:
    """The first of the columns that it takes, and their number, where it takes all rows."""
    shape, parameters = _shape(cut), [integers(tensor) for tensor in cut.inputs[1:]]
    lengths = {len(each) for each in parameters if each is not None}
    masks = ("ellipsis_mask", "new_axis_mask")
    if None in parameters or lengths != {len(shape)} or any(map(cut.options.integer, masks)):
        return None
    box = slice_box(cut)
    wide = [at for at in range(axis) if shape[at] > 1]
    if len(wide) != 1 or set(box.strides) != {1} or min(box.extent) < 1:
        return None
    spans = zip(box.begin, box.end, shape, strict=True)
    is_whole = all(at == wide[0] or span == (0, span[2], span[2]) for at, span in enumerate(spans))
    first, end = box.begin[wide[0]], box.end[wide[0]]
    return (first, end - first) if is_whole and 0 <= first < end <= shape[wide[0]] else None


def _moves(around: _Around, begin: SourceOp | None) -> tuple[SourceOp, ...]:
    """What only moves elements, one after the other, up to the last turn."""
    found, following = list[SourceOp](), begin
    while following is not None and following.kind in _MOVES and len(found) < _MOST_MOVES:
        found.append(following)
        following = around.only_reader(following.operator.outputs[0])
    while found and found[-1].kind != _TURN:
        found.pop()
    return tuple(found)


def _steps(part: _Part, whole: _Value, idle: list[SourceOp]) -> list[SourceOp] | None:
    """What brings a part to where it is needed, in as many places as that had, or in idle ones."""
    shape = (1, whole.tensor.shape[1], part.columns)
    last = part.moves[-1] if part.moves else part.cut
    assert last is not None
    final = _made(last)
    forms = list(_forms(part.move, shape, final.tensor.shape))
    places = list(part.moves[-len(forms) :] if part.moves else idle[: len(forms)])
    if len(places) < len(forms):
        return None
    ends = [_Value(_made(place).id, final.tensor) for place in places]
    given = whole if part.cut is None else _made(part.cut).shaped(shape)
    if not part.moves:
        del idle[: len(forms)]
        given, *ends = (*ends, final)
    found = []
    if part.cut is not None:
        given = given.shaped(shape)
        box = (numbers("begin", (0, 0, part.first)), numbers("size", shape))
        found.append(_moved(part.cut, "SLICE", whole, box, given))
    for place, end, (made, order) in zip(places, ends, forms, strict=True):
        before, given = given, end.shaped(made)
        kind, parameter = ("RESHAPE", made) if order is None else (_TURN, order)
        found.append(_moved(place, kind, before, (numbers("shape", parameter),), given))
    return found


def _forms(move: Move, given: Shape, made: Shape) -> Iterator[tuple[Shape, Shape | None]]:
    """The shapes that it takes one after the other, with the order where it is turned."""
    if not move.is_still:
        if given != move.shape:
            yield move.shape, None
        yield move.made, move.order
    if move.is_still or move.made != made:
        yield made, None


def _moved(
    place: SourceOp, kind: str, given: _Value, parameters: Sequence[Tensor], made: _Value
) -> SourceOp:
    """An operator that moves elements, in the place of another."""
    operator = replace(
        place.operator,
        kind=kind,
        inputs=(given.id, *[None] * len(parameters)),
        outputs=(made.id,),
        options=Table(kind=f"{kind.title()}Options", fields=()),
    )
    return replace(
        place, operator=operator, inputs=(given.tensor, *parameters), outputs=(made.tensor,)
    )


def _joined(join: SourceOp, rows: Sequence[_Value], whole: _Value) -> SourceOp:
    """Rows one after the other."""
    fields = {**dict(join.options.fields), "axis": 1}
    options = replace(join.options, fields=tuple(fields.items()))
    operator = replace(join.operator, inputs=tuple(each.id for each in rows), options=options)
    given = tuple(each.tensor for each in rows)
    return replace(join, operator=operator, inputs=given, outputs=(whole.tensor,))


def _made(op: SourceOp) -> _Value:
    return _Value(op.operator.outputs[0], op.ofm)


def _shape(op: SourceOp) -> Shape:
    return () if op.inputs[0] is None else op.inputs[0].shape


def _order(op: SourceOp) -> Shape | None:
    return integers(op.ifm2) if op.kind == _TURN else None


def _with(
    graph: SourceGraph, refs: Collection[OpRef], changed: dict[OpRef, SourceOp]
) -> SourceGraph:
    """The graph with some operators in place of others."""
    tensors = list(graph.tensors)
    for op in changed.values():
        tensors[op.operator.outputs[0]] = op.ofm
    kept = (changed.get(op.ref) if op.ref in refs else op for op in graph.ops)
    return replace(graph, tensors=tuple(tensors), ops=tuple(op for op in kept if op is not None))
