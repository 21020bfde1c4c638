"""The table of kinds of decisions, in the order in which people read of them.

A row says how files have a decision, what it decides of a lowered network, and what a schedule has
there; rows of what plans have are in `plans.py`. Its nouns are in `ir/edits.py`: `What`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from core.edits.kind import EditKind, Here, Written
from core.edits.names import Names, ops_of
from core.edits.plain import EDGE, OPERATOR, OPERATORS, SIZES, SPAN, one_of, operators, words
from core.edits.plans import (
    ADDRESS,
    BLOCK,
    FORMAT,
    PROCESSOR,
    REGION,
    ROLLING,
    STRIPE,
    TRAVERSAL,
    WEIGHTS,
)
from core.ir.edits import EdgeNamed, Edit, Grouping, OpNamed, OpsNamed, Subject, Value, What
from core.ir.fixed import Decided, Kind, Precedence
from core.ir.layout import Purpose
from core.ir.shown import Aspect

_FEWEST_APART = 2


def _wrong(subject: Subject, value: Any) -> str:
    is_edge = isinstance(subject, EdgeNamed)
    if value is not Grouping.APART:
        return "'together' and 'never' are of operators, and not of an edge" if is_edge else ""
    count = len(subject.ops) if isinstance(subject, OpsNamed) else 0
    is_possible = is_edge or count >= _FEWEST_APART
    return "" if is_possible else "'apart' is of an edge, or of several operators"


def _groups(edit: Edit, names: Names) -> tuple[Decided, ...]:
    """Of several operators that are to be in no cascade, each by itself."""
    ops = ops_of(edit.subject, names)
    ids: Iterable[tuple[int, ...]]
    match edit.kind:
        case Grouping.NEVER:
            ids = ((op,) for op in ops)
        case Grouping.APART:
            ids = combinations(ops, 2)
        case _:
            ids = (ops,)
    return tuple((edit.kind, each) for each in ids)


def _each_op(edit: Edit, names: Names) -> Iterator[Aspect]:
    yield from ((edit.what, names.ops[op]) for op in ops_of(edit.subject, names))


def _grouping(here: Here, edit: Edit) -> Grouping | None:
    ops = ops_of(edit.subject, here.names)
    cascades = {
        plan.op: (island.island, plan.cascade)
        for island in here.schedule.islands
        for plan in island.ops
        if plan.cascade is not None
    }
    places = [cascades[op] for op in ops if op in cascades]
    match edit.value:
        case Grouping.APART:
            return Grouping.APART if len({*places}) == len(places) else Grouping.TOGETHER
        case Grouping.NEVER:
            return Grouping.TOGETHER if places else Grouping.NEVER
        case _ if len(places) == len(ops) and len({*places}) == 1:
            return Grouping.TOGETHER
        case _:
            return Grouping.APART if places else Grouping.NEVER


CASCADE = EditKind(
    what=What.CASCADE,
    takes=words(Grouping),
    written=(
        Written(
            subjects=(OPERATOR, operators(1)),
            about="an operator, or operators as they run",
            value=one_of(Grouping.TOGETHER.value, Grouping.NEVER.value),
            meaning="in one cascade, or in none",
            example='"together"',
        ),
        Written(
            subjects=(EDGE, operators(_FEWEST_APART)),
            about="an edge, or several operators",
            value=one_of(Grouping.APART.value),
            meaning="not in one cascade with each other",
            example='"apart"',
        ),
    ),
    rules=(Grouping.NEVER,),
    no_rule="a rule can keep out of cascades ('never'), and nothing else",
    wrong=_wrong,
    decided=_groups,
    aspects=_each_op,
    applied=_grouping,
)


def precedence(edit: Edit, names: Names) -> Precedence:
    """What an edit of the order asks for."""
    assert isinstance(edit.subject, OpNamed)
    assert isinstance(edit.value, OpNamed)
    own, other = names.op_ids[edit.subject], names.op_ids[edit.value]
    return (
        Precedence(own, other) if edit.what is What.BEFORE else Precedence(other, own, waits=True)
    )


def _order(edit: Edit, names: Names) -> tuple[Decided, ...]:
    return (precedence(edit, names).decided,)


def _drawn(edit: Edit, names: Names) -> Iterator[Aspect]:
    del names
    assert isinstance(edit.subject, OpNamed)
    yield What.BEFORE, edit.subject


def _runs_so(here: Here, edit: Edit) -> Value | None:
    """Whether one operator comes before another, be it in one cascade."""
    wish, times = precedence(edit, here.names), here.layout.op_times
    place = {plan.op: at for each in here.schedule.islands for at, plan in enumerate(each.ops)}
    first, then = ((times[op], place[op]) for op in (wish.first, wish.then))
    return edit.value if first < then else None


def _order_row(what: What, meaning: str) -> EditKind:
    written = Written(
        subjects=(OPERATOR,),
        about="an operator",
        value=OPERATORS.schema,
        meaning=meaning,
        example='"c"',
    )
    return EditKind(
        what=what,
        takes=OPERATORS,
        written=(written,),
        decided=_order,
        aspects=_drawn,
        applied=_runs_so,
    )


BEFORE = _order_row(What.BEFORE, "runs before this one")
AFTER = _order_row(What.AFTER, "runs after this one")


def _span(edit: Edit, names: Names) -> tuple[Decided, ...]:
    assert isinstance(edit.value, int)
    ops = ops_of(edit.subject, names)
    return ((edit.kind, (ops[0], ops[-1], edit.value)),)


def _reserved(here: Here, edit: Edit) -> int | None:
    """Bytes that are set aside for as long as they were asked for."""
    ops, times = ops_of(edit.subject, here.names), here.layout.op_times
    first, last = sorted((times[ops[0]], times[ops[-1]]))
    return max(
        (
            placement.size_bytes
            for area in here.layout.areas
            for placement in area.placements
            if placement.purpose is Purpose.RESERVED
            and placement.start_time <= first
            and placement.end_time >= last
        ),
        default=None,
    )


RESERVE = EditKind(
    what=What.RESERVE,
    takes=SIZES,
    written=(
        Written(
            subjects=(SPAN,),
            about="fast storage, from an operator to another",
            value=SIZES.schema,
            meaning="bytes that are left alone while they run",
            example='"8K"',
        ),
    ),
    rules=(),
    no_rule="'reserve' is of a region, and no rule finds one",
    decided=_span,
    aspects=lambda *_: iter(()),
    applied=_reserved,
    merged=lambda values: values,
    holds=lambda asked, found: found is not None and found >= asked,
)

KINDS: tuple[EditKind, ...] = (
    REGION,
    FORMAT,
    ADDRESS,
    ROLLING,
    CASCADE,
    STRIPE,
    BLOCK,
    TRAVERSAL,
    WEIGHTS,
    BEFORE,
    AFTER,
    RESERVE,
    PROCESSOR,
)

_ROWS: Mapping[Kind, EditKind] = {
    **{kind.what: kind for kind in KINDS},
    **dict.fromkeys(Grouping, CASCADE),
}


def kind_of(decided: Kind) -> EditKind:
    """The row of a decision, or of one way of taking it."""
    return _ROWS[decided]
