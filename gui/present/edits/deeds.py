"""What a user can decide about what is selected: the edits it makes, or why it cannot be now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from core.api import edits as core_edits
from core.api import offers
from core.base.frozen import NamedTuple
from core.base.geometry import Block
from core.base.ids import FmId, NpuOpId
from core.ir.edits import (
    Edit,
    Grouping,
    Living,
    OpNamed,
    OpsNamed,
    Processor,
    SpanNamed,
    Traversal,
    Value,
    WeightsAsked,
    What,
)
from core.target.format import Format
from gui.document.answer import Answer
from gui.document.decisions import (
    AS_A_WHOLE,
    FROZEN,
    Deed,
    beside_own,
    decision_of,
    joined,
)
from gui.document.document import Document
from gui.document.selection import Selection
from gui.present.compiled import is_compiled
from gui.present.edits.subjects import (
    call_of,
    formats_of,
    free_ops,
    heights_of,
    kept_in_place,
    maps_of,
    names_of,
    ops_of,
    order_of,
    places_about,
    plan_of,
    run_order,
)
from gui.present.edits.text import deed_text, value_text
from gui.present.units import counted

Obstacle = str
"""Why something cannot be done now."""
Made = TypeVar("Made")

NO_OPERATOR = "no operator is selected"
_NOT_ONE = "one operator has to be selected"
_NO_MAP = "no feature map or operator is selected"
_NO_EDIT = "there are no edits"
_STAYS = "it stays where it is: it passes into, out of or between command streams, or is kept"
_NOT_DECIDED = "nothing is decided about the selection"
NOTHING_PICKED = frozenset({NO_OPERATOR, _NOT_ONE, _NO_MAP, _NOT_DECIDED})
"""Obstacles that go away when something else is selected."""


class Asked(NamedTuple):
    """What commands are about."""

    document: Document
    answer: Answer
    selection: Selection


def asked_of(document: Document, answer: Answer | None, selection: Selection) -> Asked | Obstacle:
    """What commands can be about, or why they can be about nothing."""
    if answer is None or answer.document.model != document.model:
        return "there is no schedule yet"
    if is_compiled(answer):
        return "a compiled model stays as it is"
    return Asked(document, answer, selection)


# Maps.


def lives(asked: Asked, value: Living) -> Deed | Obstacle:
    """The selected maps, or those that selected operators make, in one of two memories."""
    if not asked.answer.scheduled.target.is_spilling:
        return "this target has one memory for feature maps"
    found = _of_maps(asked, What.REGION, value)
    # Of several those that can are brought there, and of the others it is told why not.
    stay = kept_in_place(asked.answer).issuperset(maps_of(asked.answer, asked.selection))
    return _STAYS if value is Living.FAST and stay and not isinstance(found, str) else found


def stored(asked: Asked, value: Format) -> Deed | Obstacle:
    """The selected maps in an order of elements."""
    maps = _maps(asked)
    if isinstance(maps, str):
        return maps
    offers = formats_of(asked.answer)
    if any(value not in [offer.format for offer in offers[fm]] for fm in maps):
        return "an operator that touches it cannot work with bricks"
    return _of_maps(asked, What.FORMAT, value)


def placed(asked: Asked, address: int, *, merge_key: str = "") -> Deed | Obstacle:
    """One selected map at an address of its memory."""
    maps = _maps(asked)
    if isinstance(maps, str):
        return maps
    if len(maps) > 1:
        return "one feature map has to be selected"
    found = _of_maps(asked, What.ADDRESS, address)
    return found if isinstance(found, str) else found._replace(merge_key=merge_key)


def _of_maps(asked: Asked, what: What, value: Value) -> Deed | Obstacle:
    maps = _maps(asked)
    if isinstance(maps, str):
        return maps
    names = names_of(asked.answer).maps
    return _deed(asked, (Edit(subject=names[fm], what=what, value=value) for fm in maps))


def _maps(asked: Asked) -> tuple[FmId, ...] | Obstacle:
    graph = asked.answer.scheduled.run.graph
    maps = maps_of(asked.answer, asked.selection)
    if not maps:
        return _NO_MAP
    if any(graph.feature_maps[fm].data is not None for fm in maps):
        return "a constant stays where it is"
    return maps


# Cascades.


def kept_out(asked: Asked) -> Deed | Obstacle:
    """The selected operators in no cascade."""
    ops = ops_of(asked.answer, asked.selection)
    if not ops:
        return NO_OPERATOR
    return _deed(asked, [_grouped(_named(asked, ops), Grouping.NEVER)])


def split_before(asked: Asked) -> Deed | Obstacle:
    """A cascade ends before the selected operator."""
    op = _single(asked)
    if isinstance(op, str):
        return op
    before = _neighbour(asked.answer, op, -1)
    if before is None:
        return "nothing runs right before it"
    graph = asked.answer.scheduled.run.graph
    border = core_edits.border_of(graph, names_of(asked.answer), before, op)
    return _deed(asked, [Edit(subject=border, what=What.CASCADE, value=Grouping.APART)])


def merged(asked: Asked) -> Deed | Obstacle:
    """All selected operators in one cascade; with one or its cascade selected, what follows too."""
    answer = asked.answer
    ops = ops_of(answer, asked.selection)
    if not ops:
        return NO_OPERATOR
    wanted = _stretch(answer, ops)
    if wanted is None:
        return "the CPU works between these operators"
    if len(ops) == 1 or asked.selection.cascade is not None:
        wanted = _with_cascade(answer, wanted)
        after = _neighbour(answer, wanted[-1], 1)
        if after is None:
            return "nothing runs right after it"
        wanted = (*wanted, *_with_cascade(answer, (after,)))
    return together(asked, wanted)


def together(asked: Asked, ops: Iterable[NpuOpId]) -> Deed:
    """Operators in one cascade, with those that have to be in one with them already."""
    order = order_of(asked.answer)
    group = joined(asked.document.edits, _named(asked, ops), order)
    return _deed(asked, [_grouped(group, Grouping.TOGETHER)])


def _with_cascade(answer: Answer, ops: tuple[NpuOpId, ...]) -> tuple[NpuOpId, ...]:
    """Operators with all that run in their cascades, in order."""
    found = set(ops)
    for island in answer.scheduled.schedule.islands:
        for cascade in island.cascades:
            if found.intersection(cascade.ops):
                found.update(cascade.ops)
    return tuple(op for op in run_order(answer) if op in found)


def _stretch(answer: Answer, ops: Sequence[NpuOpId]) -> tuple[NpuOpId, ...] | None:
    """Operators with all that run between them; None where that is in several islands."""
    for island in answer.scheduled.schedule.islands:
        order = [plan.op for plan in island.ops]
        places = [place for place, op in enumerate(order) if op in ops]
        if places:
            if len(places) < len(set(ops)):
                return None
            return tuple(order[places[0] : places[-1] + 1])
    return None


def _neighbour(answer: Answer, op: NpuOpId, step: int) -> NpuOpId | None:
    """What runs right before or after an operator, without the CPU between."""
    for island in answer.scheduled.schedule.islands:
        order = [plan.op for plan in island.ops]
        if op in order:
            at = order.index(op) + step
            return order[at] if 0 <= at < len(order) else None
    return None


def _grouped(ops: Sequence[OpNamed], value: Grouping) -> Edit:
    return Edit(subject=OpsNamed(tuple(ops)), what=What.CASCADE, value=value)


# The order.


def run_sooner(asked: Asked) -> Deed | Obstacle:
    """The selected operator, with what it needs, before the last that it need not run behind."""
    return _passing(asked, is_before=True)


def run_later(asked: Asked) -> Deed | Obstacle:
    """The selected operator, with what needs it, after the next that need not run behind it."""
    return _passing(asked, is_before=False)


def _passing(asked: Asked, *, is_before: bool) -> Deed | Obstacle:
    op = _single(asked)
    if isinstance(op, str):
        return op
    order, free = run_order(asked.answer), free_ops(asked.answer, op)
    at = order.index(op)
    others = [each for each in (order[at::-1] if is_before else order[at:]) if each in free]
    if not others:
        return "all before it is needed by it" if is_before else "all behind it needs it"
    return _moved(asked, op, others[0], is_before=is_before)


def moved_to(asked: Asked, op: NpuOpId, other: NpuOpId, *, is_before: bool) -> Deed | Obstacle:
    """An operator right before or behind another, where neither needs what the other makes."""
    titles = asked.answer.scheduled.graph.titles
    ends = (other, op) if is_before else (op, other)
    path = offers.kept_in_order(asked.answer.scheduled, *ends)
    if path:
        first, last = titles.op(path[0]), titles.op(path[-1])
        between = f", through {counted(len(path) - 2, 'operator')}" if len(path) > 2 else ""
        return f"{last} needs what {first} makes{between}"
    return _moved(asked, op, other, is_before=is_before)


def _moved(asked: Asked, op: NpuOpId, other: NpuOpId, *, is_before: bool) -> Deed | Obstacle:
    names = names_of(asked.answer).ops
    what = What.BEFORE if is_before else What.AFTER
    return _deed(asked, [Edit(subject=names[op], what=what, value=names[other])])


# Single operators.


def striped(asked: Asked, rows: int, *, merge_key: str = "") -> Deed | Obstacle:
    """The selected operators in stripes of some rows."""
    found = _of_ops(asked, What.STRIPE, rows)
    return found if isinstance(found, str) else found._replace(merge_key=merge_key)


def stripe_stepped(asked: Asked, step: int) -> Deed | Obstacle:
    """The selected operator in the next higher or lower stripes."""
    op = _single(asked)
    if isinstance(op, str):
        return op
    heights = heights_of(asked.answer, op)
    if len(heights) < 2:
        return "it cannot run in stripes"
    now = asked_value(asked, op, What.STRIPE)
    rows = now if isinstance(now, int) else plan_of(asked.answer, op).stripe.ofm.h
    wanted = [each for each in heights if (each > rows if step > 0 else each < rows)]
    if not wanted:
        return "there is no higher stripe" if step > 0 else "there is no lower stripe"
    return striped(asked, min(wanted) if step > 0 else max(wanted), merge_key=f"stripe {op}")


def blocked(asked: Asked, block: Block) -> Deed | Obstacle:
    """The selected operators in a block."""
    return _of_ops(asked, What.BLOCK, block)


def fetched(asked: Asked, value: WeightsAsked) -> Deed | Obstacle:
    """How weights reach the selected operators; those without weights are passed over.

    What is asked for of them already stays, as far as it can be beside the value.
    """
    ops = ops_of(asked.answer, asked.selection)
    weighted = tuple(op for op in ops if asked.answer.scheduled.run.graph.ops[op].weights)
    if not weighted:
        return "it has no weights" if ops else NO_OPERATOR
    ids = names_of(asked.answer).op_ids
    return _deed(
        asked,
        (
            Edit(
                subject=name,
                what=What.WEIGHTS,
                value=_beside(asked_value(asked, ids[name], What.WEIGHTS), value),
            )
            for name in _named(asked, weighted)
        ),
    )


def traversed(asked: Asked, value: Traversal) -> Deed | Obstacle:
    """The selected operators take their weights in an order."""
    return _of_ops(asked, What.TRAVERSAL, value)


def put_on_cpu(asked: Asked) -> Deed | Obstacle:
    """The operators of the file that the selected ones do the work of run on the CPU."""
    graph = asked.answer.scheduled.graph
    ops = ops_of(asked.answer, asked.selection)
    if not ops:
        return NO_OPERATOR
    found = (core_edits.source_named(op, graph) for op in ops)
    named = tuple(dict.fromkeys(each for each in found if each is not None))
    if not named:
        return "it does the work of no operator of the file"
    return _deed(
        asked, (Edit(subject=op, what=What.PROCESSOR, value=Processor.CPU) for op in named)
    )


def _beside(before: Value | None, value: WeightsAsked) -> WeightsAsked:
    """What is asked for of weights now, with what was before and is not about the same."""
    if not isinstance(before, WeightsAsked) or value.buffers == 0:
        return value
    buffers = before.buffers or None if value.buffers is None else value.buffers
    return WeightsAsked(
        buffers=buffers,
        depths=before.depths if value.depths is None else value.depths,
        prefetch=before.prefetch if value.prefetch is None else value.prefetch,
        lead_steps=before.lead_steps if value.is_early is None else value.lead_steps,
    )


def _of_ops(
    asked: Asked, what: What, value: Value, ops: tuple[NpuOpId, ...] | None = None
) -> Deed | Obstacle:
    chosen = ops_of(asked.answer, asked.selection) if ops is None else ops
    if not chosen:
        return NO_OPERATOR
    return _deed(asked, (Edit(subject=op, what=what, value=value) for op in _named(asked, chosen)))


def asked_value(asked: Asked, op: NpuOpId, what: What) -> Value | None:
    """What an edit asks for of an operator, where there is one."""
    name = names_of(asked.answer).ops[op]
    found = (edit.value for edit in asked.document.edits if decision_of(edit) == (what, name))
    return next(found, None)


# Fast storage that others need.


def reserved(asked: Asked, size_bytes: int) -> Deed | Obstacle:
    """Bytes of fast storage that are left alone while the selected operators run, or always."""
    ops = ops_of(asked.answer, asked.selection) or run_order(asked.answer)
    if not ops:
        return "nothing runs on the NPU"
    named = _named(asked, ops)
    span = SpanNamed(named[0], named[-1])
    return _deed(asked, [Edit(subject=span, what=What.RESERVE, value=size_bytes)])


# What was decided already.


def let_decide(asked: Asked, *whats: What) -> Deed | Obstacle:
    """The search decides again about what is selected."""
    edits = asked.document.edits
    places = [
        place
        for place in places_about(asked.answer, edits, asked.selection)
        if not whats or edits[place].what in whats
    ]
    if not places:
        return _NOT_DECIDED
    return taken_away(asked.document, places, call_of(asked.answer))


def taken_away(document: Document, places: Sequence[int], call: core_edits.Call) -> Deed:
    """Some edits are no more."""
    gone = frozenset(places)
    if all(document.edits[place].note in AS_A_WHOLE for place in places) and len(places) > 1:
        return Deed(f"Thaw {counted(len(places), 'decision')}", gone=gone)
    first = deed_text(document.edits[places[0]], call)
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return Deed(f"Let the search decide: {first}{more}", gone=gone)


def all_taken_away(document: Document) -> Deed | Obstacle:
    """No edit is any more."""
    if not document.edits:
        return _NO_EDIT
    told = counted(len(document.edits), "edit")
    return Deed(f"Remove all edits ({told})", gone=frozenset(range(len(document.edits))))


def frozen(asked: Asked, *, only_selected: bool) -> Deed | Obstacle:
    """What was found becomes what is asked for; what is decided already stays as it is."""
    if told := can_freeze(asked, only_selected=only_selected):
        return told
    ops = frozenset(ops_of(asked.answer, asked.selection))
    if only_selected:
        return Deed(f"Freeze {counted(len(ops), 'operator')}", new=_frozen(asked, ops))
    return Deed("Freeze everything", new=_frozen(asked, None))


def solved_alone(asked: Asked) -> Deed | Obstacle:
    """All but the selected operators stay as they are; what was frozen of these is free again.

    Where one is in a cascade with others, it stays there.
    """
    if told := can_freeze(asked, only_selected=True):
        return told
    answer, edits = asked.answer, asked.document.edits
    ops = frozenset(ops_of(answer, asked.selection))
    others = frozenset(op.id for op in answer.scheduled.graph.ops) - ops
    about = places_about(answer, edits, asked.selection)
    gone = frozenset(place for place in about if edits[place].note in AS_A_WHOLE)
    label = f"Solve {counted(len(ops), 'operator')} anew, with all else as it is"
    return Deed(label, new=_frozen(asked, others), gone=gone)


def _frozen(asked: Asked, ops: frozenset[NpuOpId] | None) -> tuple[Edit, ...]:
    """What was found of operators, or of all, but for what a user has decided alone."""
    made = asked.answer.scheduled
    found = core_edits.freeze(made.graph, made.schedule, made.target, ops)
    own = tuple(edit for edit in asked.document.edits if edit.note not in AS_A_WHOLE)
    kept = beside_own(found, own, order_of(asked.answer), FROZEN)
    return tuple(edit for edit in kept if edit not in own)


def can_freeze(asked: Asked, *, only_selected: bool) -> Obstacle:
    """Why that cannot be now, without working it out."""
    if asked.answer.document != asked.document:
        return "the schedule for this is not there yet"
    is_nothing = only_selected and not ops_of(asked.answer, asked.selection)
    return NO_OPERATOR if is_nothing else ""


def thawed(document: Document) -> Deed | Obstacle:
    """What was frozen or adopted as a whole is no more; other edits stay."""
    places = [place for place, edit in enumerate(document.edits) if edit.note in AS_A_WHOLE]
    return Deed("Thaw", gone=frozenset(places)) if places else "nothing is frozen"


def _single(asked: Asked) -> NpuOpId | Obstacle:
    ops = ops_of(asked.answer, asked.selection)
    if len(ops) == 1:
        return ops[0]
    return _NOT_ONE


def _named(asked: Asked, ops: Iterable[NpuOpId]) -> tuple[OpNamed, ...]:
    """Names of operators, as they run."""
    order, names = order_of(asked.answer), names_of(asked.answer).ops
    return tuple(sorted((names[op] for op in ops), key=order.__getitem__))


def _deed(asked: Asked, edits: Iterable[Edit]) -> Deed:
    new = tuple(edits)
    first = new[0]
    if len(new) == 1:
        return Deed(deed_text(first, call_of(asked.answer)), new)
    return Deed(f"{value_text(first.what, first.value)}: {counted(len(new), 'edit')}", new)
