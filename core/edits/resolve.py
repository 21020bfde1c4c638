"""From edits by name to what is fixed in one lowered network; nobody wins where two contradict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.base.ids import NpuOpId
from core.edits.kinds import kind_of
from core.edits.names import Names, named, ops_of
from core.edits.processors import became, sources_of
from core.edits.spelled import near
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
    Subject,
    Value,
    What,
)
from core.ir.fixed import Decided, Fixed, fixed_of
from core.ir.npugraph import NpuGraph

_DECISIONS = 20
"""More than there are about any operator or map."""


class Resolved(Frozen, dict=True):
    """Edits that a search can be asked to obey, and those that it need not see."""

    names: Names
    asked: Mapping[int, Edit]
    """By place among the edits."""
    settled: Mapping[int, EditOutcome]
    """By place: the others, with the reason."""

    def places(self, decided: Decided) -> tuple[int, ...]:
        """Of edits that ask for a decision; groups that share operators were joined to one."""
        kind, ids = decided
        if kind is Grouping.TOGETHER:
            return tuple(place for place, ops in self._groups if ops.issubset(ids))
        return self._places.get(decided, ())

    @cached_property
    def _places(self) -> Mapping[Decided, tuple[int, ...]]:
        found: defaultdict[Decided, list[int]] = defaultdict(list)
        for place, edit in self.asked.items():
            for each in decisions(edit, self.names):
                found[each].append(place)
        return {decided: tuple(places) for decided, places in found.items()}

    @cached_property
    def _groups(self) -> tuple[tuple[int, frozenset[int]], ...]:
        return tuple(
            (place, frozenset(ids))
            for (kind, ids), places in self._places.items()
            for place in places
            if kind is Grouping.TOGETHER
        )


def resolve(graph: NpuGraph, edits: Sequence[Edit]) -> Resolved:
    """What of the edits a search is to obey."""
    names = Names.of(graph)
    settled: dict[int, EditOutcome] = {}
    asked: dict[int, Edit] = {}
    for place, edit in enumerate(edits):
        every = (*named(edit.subject), *_named_by(edit))
        missing = tuple(each for each in every if not _is_known(each, names))
        if not edit.is_on:
            settled[place] = EditOutcome(edit=edit, fate=EditFate.OFF)
        elif edit.what.is_of_file and edit.subject in sources_of(graph):
            settled[place] = became(edit, graph)
        elif missing or edit.what.is_of_file:
            settled[place] = _orphan(edit, Ground.NO_SUBJECT, missing, graph)
        elif edit.value is Grouping.APART and not _has_two(graph, edit.subject, names):
            settled[place] = _orphan(edit, Ground.NO_EDGE, every, graph)
        elif edit.subject == edit.value:
            settled[place] = _refused(edit, EditReason(ground=Ground.ITSELF, is_proved=True))
        else:
            asked[place] = edit
    _demand_possible(len(asked), names)
    for place, against in _contradictions(asked, names).items():
        reason = EditReason(ground=Ground.CONTRADICTED, is_proved=True, edits=tuple(against))
        settled[place] = _refused(asked.pop(place), reason)
    return Resolved(names=names, asked=asked, settled=settled)


def _demand_possible(count: int, names: Names) -> None:
    """Refuse more edits than there are decisions, of which most would contradict each other."""
    most = _DECISIONS * (len(names.ops) + len(names.maps))
    if count > most:
        raise OptionError(
            f"{count:,} edits are about this network, of whose {len(names.ops):,} operators and"
            f" {len(names.maps):,} maps {most:,} decisions can be taken at most"
        )


def _refused(edit: Edit, reason: EditReason) -> EditOutcome:
    return EditOutcome(edit=edit, fate=EditFate.REFUSED, reasons=(reason,))


def _orphan(
    edit: Edit, ground: Ground, missing: Sequence[OpNamed | MapNamed], graph: NpuGraph
) -> EditOutcome:
    reason = EditReason(
        ground=ground,
        is_proved=True,
        maps=tuple(each for each in missing if isinstance(each, MapNamed)),
        ops=tuple(each for each in missing if isinstance(each, OpNamed)),
        near=near(missing[0], graph) if ground is Ground.NO_SUBJECT else (),
    )
    return EditOutcome(edit=edit, fate=EditFate.ORPHAN, reasons=(reason,))


def _named_by(edit: Edit) -> tuple[OpNamed, ...]:
    """The operator that a value is."""
    return (edit.value,) if isinstance(edit.value, OpNamed) else ()


def _is_known(name: OpNamed | MapNamed, names: Names) -> bool:
    return name in (names.op_ids if isinstance(name, OpNamed) else names.map_ids)


def border_of(graph: NpuGraph, names: Names, one: NpuOpId, other: NpuOpId) -> EdgeNamed | OpsNamed:
    """What keeps two neighbours apart: their edge, where the second reads what the first makes."""
    edge = EdgeNamed(names.ops[one], names.ops[other])
    return edge if _is_edge(graph, edge, names) else OpsNamed((edge.maker, edge.reader))


def _is_edge(graph: NpuGraph, edge: EdgeNamed, names: Names) -> bool:
    """Whether one operator reads bytes that the other makes."""
    maker, reader = (graph.ops[names.op_ids[each]] for each in (edge.maker, edge.reader))
    made = graph.fm(maker.ofm).storage
    return maker is not reader and any(graph.fm(v).storage == made for v in reader.views[:-1])


def _has_two(graph: NpuGraph, subject: Subject, names: Names) -> bool:
    """Whether there is something that can be apart."""
    if isinstance(subject, EdgeNamed):
        return _is_edge(graph, subject, names)
    return len(ops_of(subject, names)) > 1


def decisions(edit: Edit, names: Names) -> tuple[Decided, ...]:
    """What an edit decides."""
    return kind_of(edit.what).decided(edit, names)


def _contradictions(edits: Mapping[int, Edit], names: Names) -> dict[int, list[int]]:
    """By place: the places of edits that cannot be beside it."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in (*_unlike(edits, names), *_torn(edits, names)):
        found[one].add(other)
        found[other].add(one)
    return {place: sorted(against) for place, against in found.items()}


def _unlike(edits: Mapping[int, Edit], names: Names) -> Iterator[tuple[int, int]]:
    """Pairs that ask for different values of one decision."""
    by_decision: defaultdict[Decided, list[int]] = defaultdict(list)
    for place, edit in edits.items():
        if kind_of(edit.what).has_one:
            by_decision[decisions(edit, names)[0]].append(place)
    for places in by_decision.values():
        for one, other in combinations(places, 2):
            are_alike = kind_of(edits[one].what).holds
            if not are_alike(edits[one].value, edits[other].value):
                yield one, other


def _torn(edits: Mapping[int, Edit], names: Names) -> Iterator[tuple[int, int]]:
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
            is_cut = value is Grouping.APART and len(others & ops) > 1
            if is_cut or (value is Grouping.NEVER and not others.isdisjoint(ops)):
                yield one, other


def fixed_by(edits: Iterable[Edit], names: Names) -> Fixed:
    """What edits that do not contradict each other fix."""
    asked: defaultdict[Decided, list[Value]] = defaultdict(list)
    for edit in edits:
        for each in decisions(edit, names):
            asked[each].append(edit.value)
    return fixed_of({each: kind_of(each[0]).merged(values) for each, values in asked.items()})
