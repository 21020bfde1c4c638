"""Edits as a user makes, replaces and removes them; no two of what is made here contradict."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from core.base.frozen import NamedTuple, replace
from core.ir.edits import (
    EdgeNamed,
    Edit,
    Grouping,
    MapNamed,
    OpNamed,
    OpsNamed,
    SpanNamed,
    Subject,
    What,
)

Edits = tuple[Edit, ...]
Order = Mapping[OpNamed, int]
"""Places of operators in the order in which they run."""
FROZEN = "frozen"
"""The note of edits that a freeze has made."""
FROM_FRONT = "from the front"
"""The note of edits that a schedule of a front has come to."""
AS_A_WHOLE = frozenset({FROZEN, FROM_FRONT})
"""Notes of edits that nobody has made one by one."""
MOST_PRICED = 12
"""So many edits are tried out, the latest; each takes a schedule of its own."""


def is_from_front(edits: Edits) -> bool:
    """Whether a schedule of a front is decided: then nothing is left to be searched."""
    return any(edit.note == FROM_FRONT for edit in edits)


class Deed(NamedTuple):
    """Edits to be made, and others to be taken away; and what undo calls that."""

    label: str
    new: Edits = ()
    gone: frozenset[int] = frozenset()
    """Places of edits."""
    merge_key: str = ""


def done(edits: Sequence[Edit], deed: Deed, order: Order) -> Edits:
    """Edits after a deed."""
    return decided(without(edits, deed.gone), deed.new, order)


def decided(edits: Sequence[Edit], new: Iterable[Edit], order: Order) -> Edits:
    """Edits with new ones: a decision of a subject is taken once, and the newest word stands.

    What older ones say of cascades stays where it can be beside the new.
    """
    found = tuple(edits)
    for edit in new:
        found = _decided(found, edit, order)
    return found


def beside_own(found: Iterable[Edit], own: Sequence[Edit], order: Order, note: str) -> Edits:
    """The decisions of a schedule, with a note, beside a user's own, which stay as they are."""
    marked = decided((), (replace(edit, note=note) for edit in found), order)
    return decided(marked, own, order)


def priced_places(edits: Sequence[Edit]) -> frozenset[int]:
    """Places of the edits whose prices are worth a search each."""
    own = [place for place, edit in enumerate(edits) if edit.note not in AS_A_WHOLE]
    return frozenset(own[-MOST_PRICED:])


def _decided(edits: Edits, new: Edit, order: Order) -> Edits:
    places = [place for place, edit in enumerate(edits) if decision_of(edit) == decision_of(new)]
    at = places[0] if places else len(edits)
    before = tuple(each for each in edits[:at] for each in _beside(each, new, order))
    after = tuple(each for each in edits[at:] for each in _beside(each, new, order))
    return (*before, new, *after)


def decision_of(edit: Edit) -> tuple[What, Subject]:
    """What is decided about whom; of each there is one edit."""
    subject = edit.subject
    if edit.what is What.STRIPE and isinstance(subject, OpsNamed):
        subject = subject.ops[-1]
    if edit.what is What.AFTER:
        return What.BEFORE, subject
    return edit.what, subject


def _beside(old: Edit, new: Edit, order: Order) -> Iterator[Edit]:
    """What of an older edit can stay beside a new one."""
    if decision_of(old) == decision_of(new):
        return
    if _is_other_way_round(old, new):
        return
    if old.what is What.CASCADE and new.what is What.CASCADE:
        yield from _cascade_beside(old, new, order)
    else:
        yield old


def _is_other_way_round(old: Edit, new: Edit) -> bool:
    """Whether both are about the order of two operators, and not of one mind."""
    pairs = []
    for edit in (old, new):
        if edit.what not in (What.BEFORE, What.AFTER):
            return False
        pair = edit.subject, edit.value
        pairs.append(pair if edit.what is What.BEFORE else pair[::-1])
    return pairs[0] == pairs[1][::-1]


def _cascade_beside(old: Edit, new: Edit, order: Order) -> Iterator[Edit]:
    ops, others = ops_named(old.subject), ops_named(new.subject)
    match old.value, new.value:
        case Grouping.TOGETHER | Grouping.APART, Grouping.TOGETHER if set(ops) <= set(others):
            return
        case Grouping.TOGETHER, Grouping.APART:
            yield from _cut(old, others, order)
        case Grouping.TOGETHER, Grouping.NEVER:
            yield from _groups(old, _runs(ops, others))
        case Grouping.NEVER, Grouping.TOGETHER | Grouping.NEVER:
            left = tuple(op for op in ops if op not in others)
            if left:
                yield old if left == ops else replace(old, subject=OpsNamed(left))
        case _:
            yield old


def ops_named(subject: Subject) -> tuple[OpNamed, ...]:
    """The operators in a subject."""
    match subject:
        case OpNamed():
            return (subject,)
        case OpsNamed(ops):
            return ops
        case EdgeNamed(maker, reader):
            return maker, reader
        case SpanNamed(first, last):
            return first, last
        case MapNamed():
            return ()


def _cut(edit: Edit, edge: Sequence[OpNamed], order: Order) -> Iterator[Edit]:
    """A group that an edge is within, cut before the reader."""
    ops, reader = ops_named(edit.subject), edge[-1]
    if not set(edge) <= set(ops):
        yield edit
        return
    border = order.get(reader, 0)
    before = tuple(op for op in ops if order.get(op, 0) < border)
    yield from _groups(edit, [before, tuple(op for op in ops if op not in before)])


def _runs(ops: Sequence[OpNamed], gone: Container[OpNamed]) -> Iterator[tuple[OpNamed, ...]]:
    """What is left of operators in a row where some are taken out."""
    cuts = [-1, *(place for place, op in enumerate(ops) if op in gone), len(ops)]
    return (tuple(ops[first + 1 : end]) for first, end in pairwise(cuts))


def _groups(edit: Edit, groups: Iterable[tuple[OpNamed, ...]]) -> Iterator[Edit]:
    """An edit for each group that is still one."""
    for ops in groups:
        if len(ops) > 1:
            yield edit if ops == ops_named(edit.subject) else replace(edit, subject=OpsNamed(ops))


def joined(edits: Sequence[Edit], ops: Iterable[OpNamed], order: Order) -> tuple[OpNamed, ...]:
    """Operators with all that edits want in one cascade with any of them, as they run."""
    found = set(ops)
    groups = [
        ops_named(edit.subject)
        for edit in edits
        if edit.what is What.CASCADE and edit.value is Grouping.TOGETHER
    ]
    while any(found & set(group) and not set(group) <= found for group in groups):
        for group in groups:
            if found & set(group):
                found |= set(group)
    return tuple(sorted(found, key=lambda op: (order.get(op, 0), op)))


def without(edits: Sequence[Edit], places: Container[int]) -> Edits:
    """Edits but for those in some places."""
    return tuple(edit for place, edit in enumerate(edits) if place not in places)


def moved(edits: Sequence[Edit], places: Container[int], before: int) -> Edits:
    """Edits with those in some places before another one, in the order that they have."""
    taken = tuple(edit for place, edit in enumerate(edits) if place in places)
    head = tuple(edit for place, edit in enumerate(edits[:before]) if place not in places)
    tail = without(edits, places)[len(head) :]
    return (*head, *taken, *tail)


def switched(edits: Sequence[Edit], places: Container[int], *, is_on: bool) -> Edits:
    """Edits with those in some places on, or off."""
    return tuple(
        replace(edit, is_on=is_on) if place in places else edit for place, edit in enumerate(edits)
    )
