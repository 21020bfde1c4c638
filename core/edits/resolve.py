"""From edits by name to what is fixed in one lowered network; nobody wins where two contradict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.base.ids import FmId, NpuOpId
from core.edits.names import Names
from core.ir.edits import (
    EdgeNamed,
    Edit,
    EditFate,
    EditOutcome,
    EditReason,
    Ground,
    Grouping,
    MapNamed,
    OpNamed,
    OpsNamed,
    SpanNamed,
    Subject,
    What,
)
from core.ir.fixed import Fixed, Precedence, Reserve
from core.ir.npugraph import NpuGraph

_DECISIONS = 20
"""More than there are about any operator or map."""


class Resolved(Frozen):
    """What is fixed, and the edits that are not, with the reason."""

    fixed: Fixed
    settled: dict[int, EditOutcome]
    """By place among the edits: those that no search has to see."""


def resolve(graph: NpuGraph, edits: Sequence[Edit]) -> Resolved:
    """What of the edits a search is to obey."""
    names = Names.of(graph)
    settled: dict[int, EditOutcome] = {}
    asked: dict[int, Edit] = {}
    for place, edit in enumerate(edits):
        named = (*_named(edit.subject), *_named_by(edit))
        missing = tuple(each for each in named if not _is_known(each, names))
        if not edit.is_on:
            settled[place] = EditOutcome(edit=edit, fate=EditFate.OFF)
        elif missing:
            settled[place] = _orphan(edit, missing)
        else:
            asked[place] = edit
    _demand_possible(len(asked), names)
    for place, against in _contradictions(asked, names).items():
        reason = EditReason(ground=Ground.CONTRADICTED, is_proved=True, edits=tuple(against))
        settled[place] = EditOutcome(
            edit=asked.pop(place), fate=EditFate.REFUSED, reasons=(reason,)
        )
    return Resolved(fixed=_fixed(asked.values(), names), settled=settled)


def _demand_possible(count: int, names: Names) -> None:
    """Refuse more edits than there are decisions, of which most would contradict each other."""
    most = _DECISIONS * (len(names.ops) + len(names.maps))
    if count > most:
        raise OptionError(
            f"{count:,} edits are about this network, of whose {len(names.ops):,} operators and"
            f" {len(names.maps):,} maps {most:,} decisions can be taken at most"
        )


def _orphan(edit: Edit, missing: tuple[OpNamed | MapNamed, ...]) -> EditOutcome:
    reason = EditReason(
        ground=Ground.NO_SUBJECT,
        is_proved=True,
        maps=tuple(each for each in missing if isinstance(each, MapNamed)),
        ops=tuple(each for each in missing if isinstance(each, OpNamed)),
    )
    return EditOutcome(edit=edit, fate=EditFate.ORPHAN, reasons=(reason,))


def _named(subject: Subject) -> tuple[OpNamed | MapNamed, ...]:
    """All names in a subject."""
    match subject:
        case OpNamed() | MapNamed():
            return (subject,)
        case EdgeNamed():
            return subject.maker, subject.reader
        case OpsNamed():
            return subject.ops
        case SpanNamed():
            return subject.first, subject.last


def _named_by(edit: Edit) -> tuple[OpNamed, ...]:
    """The operator that a value is."""
    return (edit.value,) if isinstance(edit.value, OpNamed) else ()


def _is_known(name: OpNamed | MapNamed, names: Names) -> bool:
    return name in (names.op_ids if isinstance(name, OpNamed) else names.map_ids)


def ops_of(subject: Subject, names: Names) -> tuple[NpuOpId, ...]:
    """The operators that a subject names, in the order in which they run."""
    found = (names.op_ids[each] for each in _named(subject) if isinstance(each, OpNamed))
    return tuple(sorted(found))


def map_of(subject: Subject, names: Names) -> FmId:
    """The map that a subject is."""
    assert isinstance(subject, MapNamed)
    return names.map_ids[subject]


def _contradictions(edits: dict[int, Edit], names: Names) -> dict[int, list[int]]:
    """By place: the places of edits that cannot be beside it."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    pairs = [*_unlike(edits, names), *_torn(edits, names)]
    for one, other in pairs:
        found[one].add(other)
        found[other].add(one)
    return {place: sorted(against) for place, against in found.items()}


def _unlike(edits: dict[int, Edit], names: Names) -> Iterator[tuple[int, int]]:
    """Pairs that ask for different values of one decision."""
    by_decision: defaultdict[tuple[What, Any], list[int]] = defaultdict(list)
    for place, edit in edits.items():
        match edit.what:
            case What.CASCADE | What.RESERVE | What.BEFORE | What.AFTER:
                continue
            case What.REGION | What.FORMAT | What.ADDRESS | What.ROLLING:
                by_decision[edit.what, map_of(edit.subject, names)].append(place)
            case _:
                by_decision[edit.what, ops_of(edit.subject, names)[-1]].append(place)
    for places in by_decision.values():
        for at, one in enumerate(places):
            for other in places[at + 1 :]:
                if edits[one].value != edits[other].value:
                    yield one, other


def _torn(edits: dict[int, Edit], names: Names) -> Iterator[tuple[int, int]]:
    """Pairs of which one wants operators in one cascade, and the other not."""
    groups = {
        place: frozenset(ops_of(edit.subject, names))
        for place, edit in edits.items()
        if edit.what is What.CASCADE
    }
    for one, ops in groups.items():
        if edits[one].value is not Grouping.TOGETHER:
            continue
        for other, others in groups.items():
            value = edits[other].value
            is_cut = value is Grouping.APART and others <= ops
            if is_cut or (value is Grouping.NEVER and not others.isdisjoint(ops)):
                yield one, other


def _fixed(edits: Iterable[Edit], names: Names) -> Fixed:
    """What edits that do not contradict each other fix."""
    by_what: defaultdict[What, list[Edit]] = defaultdict(list)
    for edit in edits:
        by_what[edit.what].append(edit)

    def values(what: What, of: Callable[[Subject], Any]) -> tuple[tuple[Any, Any], ...]:
        return tuple(
            sorted(
                {of(each.subject): each.value for each in by_what[what]}.items(),
                key=lambda pair: pair[0],
            )
        )

    def fm(subject: Subject) -> FmId:
        return map_of(subject, names)

    def op(subject: Subject) -> NpuOpId:
        return ops_of(subject, names)[-1]

    groups = [(each.value, ops_of(each.subject, names)) for each in by_what[What.CASCADE]]
    return Fixed(
        living=values(What.REGION, fm),
        formats=values(What.FORMAT, fm),
        addresses=values(What.ADDRESS, fm),
        together=_joined([ops for value, ops in groups if value is Grouping.TOGETHER]),
        apart=tuple(sorted((ops[0], ops[-1]) for value, ops in groups if value is Grouping.APART)),
        never=frozenset(each for value, ops in groups if value is Grouping.NEVER for each in ops),
        heights=values(What.STRIPE, op),
        blocks=values(What.BLOCK, op),
        traversals=values(What.TRAVERSAL, op),
        rolling=values(What.ROLLING, fm),
        weights=values(What.WEIGHTS, op),
        reserves=tuple(sorted(_reserves(by_what[What.RESERVE], names))),
        order=tuple(
            sorted(
                {precedence(each, names) for each in (*by_what[What.BEFORE], *by_what[What.AFTER])}
            )
        ),
    )


def precedence(edit: Edit, names: Names) -> Precedence:
    """What an edit of the order asks for."""
    assert isinstance(edit.subject, OpNamed)
    assert isinstance(edit.value, OpNamed)
    own, other = names.op_ids[edit.subject], names.op_ids[edit.value]
    return (
        Precedence(own, other) if edit.what is What.BEFORE else Precedence(other, own, waits=True)
    )


def _joined(groups: Iterable[Sequence[NpuOpId]]) -> tuple[tuple[NpuOpId, ...], ...]:
    """Groups that share an operator are one."""
    joined: list[set[NpuOpId]] = []
    for group in groups:
        own = set(group)
        for other in [each for each in joined if not own.isdisjoint(each)]:
            own |= other
            joined.remove(other)
        joined.append(own)
    return tuple(sorted(tuple(sorted(each)) for each in joined))


def _reserves(edits: Iterable[Edit], names: Names) -> Iterator[Reserve]:
    for edit in edits:
        ops = ops_of(edit.subject, names)
        assert isinstance(edit.value, int)
        yield Reserve(ops[0], ops[-1], edit.value)
