"""From what is selected to the names that edits are about, and back."""

from __future__ import annotations

from functools import lru_cache

from core.api import edits, offers
from core.base.ids import FmId, NpuOpId
from core.ir.edits import EdgeNamed, Edit, MapNamed, Subject
from core.ir.schedule import OpPlan
from gui.document.answer import Answer
from gui.document.decisions import Order, ops_named
from gui.document.selection import Selection

_ANSWERS_AT_HAND = 2
_LISTS_AT_HAND = 32


def names_of(answer: Answer) -> edits.Names:
    """The names in an answer's network."""
    return edits.Names.of(answer.scheduled.run.graph)


def call_of(answer: Answer | None) -> edits.Call:
    """What operators and maps are called; before there is an answer, by their whole names."""
    return edits.whole if answer is None else edits.titled(answer.scheduled.run.graph)


@lru_cache(maxsize=_ANSWERS_AT_HAND)
def order_of(answer: Answer) -> Order:
    """In which order its operators run."""
    names = names_of(answer).ops
    return {names[op]: place for place, op in enumerate(run_order(answer))}


@lru_cache(maxsize=_ANSWERS_AT_HAND)
def run_order(answer: Answer) -> tuple[NpuOpId, ...]:
    """The operators as they run."""
    return tuple(plan.op for plan in answer.scheduled.plans())


def formats_of(answer: Answer) -> tuple[tuple[offers.FormatOffer, ...], ...]:
    """By feature map: the orders of elements that it can be in."""
    return offers.legal_formats(answer.scheduled)


@lru_cache(maxsize=_ANSWERS_AT_HAND)
def kept_in_place(answer: Answer) -> frozenset[FmId]:
    """Maps that no edit brings into fast storage."""
    return offers.kept_in_place(answer.scheduled)


@lru_cache(maxsize=_LISTS_AT_HAND)
def free_ops(answer: Answer, op: NpuOpId) -> frozenset[NpuOpId]:
    """Those that can run before an operator and behind it."""
    return offers.free_of(answer.scheduled, op)


@lru_cache(maxsize=_LISTS_AT_HAND)
def heights_of(answer: Answer, op: NpuOpId) -> tuple[int, ...]:
    """Rows that a stripe of an operator can have."""
    return offers.legal_heights(answer.scheduled, op)


@lru_cache(maxsize=_LISTS_AT_HAND)
def slices_of(answer: Answer, op: NpuOpId) -> tuple[tuple[int, ...], ...]:
    """Equal slices in which weights of an operator can arrive."""
    return offers.legal_slices(answer.scheduled, op)


def most_lead_of(answer: Answer, op: NpuOpId) -> int:
    """How many operators ahead weights of an operator can come at most."""
    return offers.most_lead_steps(answer.scheduled, op)


def blocks_of(answer: Answer, op: NpuOpId) -> tuple[offers.BlockOffer, ...]:
    """Blocks that an operator can work in."""
    return offers.legal_blocks(answer.scheduled, op)


def plan_of(answer: Answer, op: NpuOpId) -> OpPlan:
    """How an operator runs."""
    return answer.scheduled.schedule.ops[op]


def address_of(answer: Answer, fm: int) -> int | None:
    """Where a map lies; None where it has no address."""
    areas = answer.scheduled.layout.areas
    places = (part for area in areas for part in area.placements if fm in part.fms)
    return next((part.address for part in places), None)


def ops_of(answer: Answer, selection: Selection) -> tuple[NpuOpId, ...]:
    """The operators that are selected, also as a cascade or by a weight buffer."""
    graph, islands = answer.scheduled.run.graph, answer.scheduled.schedule.islands
    if selection.op is not None:
        return tuple(op for op in selection.ops if op < len(graph.ops))
    if selection.buffer is not None and selection.buffer.op < len(graph.ops):
        return (selection.buffer.op,)
    ref = selection.cascade
    if ref is not None and ref.island < len(islands):
        cascades = islands[ref.island].cascades
        return tuple(cascades[ref.cascade].ops) if ref.cascade < len(cascades) else ()
    return ()


def maps_of(answer: Answer, selection: Selection) -> tuple[FmId, ...]:
    """The feature maps that are selected; of operators, what they make."""
    graph = answer.scheduled.run.graph
    if selection.fm is not None:
        return (selection.fm,) if selection.fm < len(graph.feature_maps) else ()
    if selection.op is None:
        return ()
    return tuple(dict.fromkeys(graph.ops[op].ofm.fm for op in ops_of(answer, selection)))


def selection_of(answer: Answer, subject: Subject) -> Selection | None:
    """What an edit is about, as a selection; None where the network has no such thing."""
    names = names_of(answer)
    if isinstance(subject, MapNamed):
        fm = names.map_ids.get(subject)
        return None if fm is None else Selection(fm=fm)
    found = tuple(names.op_ids.get(op) for op in ops_named(subject))
    known = tuple(op for op in found if op is not None)
    if not known or len(known) < len(found):
        return None
    last = known[-1] if isinstance(subject, EdgeNamed) else known[0]
    return Selection(op=last, more_ops=tuple(op for op in known if op != last))


def places_about(answer: Answer, edits_made: tuple[Edit, ...], selection: Selection) -> list[int]:
    """Places of edits about what is selected: its own, and those of its part in a cascade."""
    names = names_of(answer)
    ops = {names.ops[op] for op in ops_of(answer, selection)}
    maps = {names.maps[fm] for fm in maps_of(answer, selection)}
    return [
        place
        for place, edit in enumerate(edits_made)
        if (isinstance(edit.subject, MapNamed) and edit.subject in maps)
        or any(op in ops for op in ops_named(edit.subject))
    ]
