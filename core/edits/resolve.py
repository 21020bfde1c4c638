"""From edits by name to what is fixed in one lowered network; nobody wins where two contradict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.base.groups import joined
from core.base.ids import FmId, NpuOpId
from core.edits.names import Names
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
    SpanNamed,
    Subject,
    WeightsAsked,
    What,
)
from core.ir.fixed import Decided, Fixed, Kind, Precedence, Reserve
from core.ir.npugraph import NpuGraph

_DECISIONS = 20
"""More than there are about any operator or map."""
_ORDERS = (What.BEFORE, What.AFTER)


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
        named = (*_named(edit.subject), *_named_by(edit))
        missing = tuple(each for each in named if not _is_known(each, names))
        if not edit.is_on:
            settled[place] = EditOutcome(edit=edit, fate=EditFate.OFF)
        elif edit.what is What.PROCESSOR and edit.subject in sources_of(graph):
            settled[place] = became(edit, graph)
        elif missing or edit.what is What.PROCESSOR:
            settled[place] = _orphan(edit, Ground.NO_SUBJECT, missing, names)
        elif edit.value is Grouping.APART and not _has_two(graph, edit.subject, names):
            settled[place] = _orphan(edit, Ground.NO_EDGE, named, names)
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
    edit: Edit, ground: Ground, missing: Sequence[OpNamed | MapNamed], names: Names
) -> EditOutcome:
    reason = EditReason(
        ground=ground,
        is_proved=True,
        maps=tuple(each for each in missing if isinstance(each, MapNamed)),
        ops=tuple(each for each in missing if isinstance(each, OpNamed)),
        near=near(missing[0], names) if ground is Ground.NO_SUBJECT else (),
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


def ops_of(subject: Subject, names: Names) -> tuple[NpuOpId, ...]:
    """The operators that a subject names, in the order in which they run."""
    found = (names.op_ids[each] for each in _named(subject) if isinstance(each, OpNamed))
    return tuple(sorted({*found}))


def map_of(subject: Subject, names: Names) -> FmId:
    """The map that a subject is."""
    assert isinstance(subject, MapNamed)
    return names.map_ids[subject]


def kind_of(edit: Edit) -> Kind:
    """What an edit decides; of cascades, in which way."""
    return edit.value if isinstance(edit.value, Grouping) else edit.what


def decisions(edit: Edit, names: Names) -> tuple[Decided, ...]:
    """What an edit decides: of several operators that are to be in no cascade, each by itself."""
    kind = kind_of(edit)
    if isinstance(edit.subject, MapNamed):
        return ((kind, (map_of(edit.subject, names),)),)
    ops = ops_of(edit.subject, names)
    ids: Iterable[tuple[int, ...]] = (ops[-1:],)
    if kind is Grouping.NEVER:
        ids = ((op,) for op in ops)
    elif kind is Grouping.APART:
        ids = combinations(ops, 2)
    elif kind is Grouping.TOGETHER:
        ids = (ops,)
    elif isinstance(edit.value, OpNamed):
        wish = precedence(edit, names)
        ids = ((wish.first, wish.then),)
    elif kind is What.RESERVE and isinstance(edit.value, int):
        ids = ((ops[0], ops[-1], edit.value),)
    return tuple((kind, each) for each in ids)


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
        if edit.what not in (What.CASCADE, What.RESERVE, *_ORDERS):
            by_decision[decisions(edit, names)[0]].append(place)
    for places in by_decision.values():
        for one, other in combinations(places, 2):
            if not _are_alike(edits[one].value, edits[other].value):
                yield one, other


def _are_alike(one: object, other: object) -> bool:
    """Whether one schedule can have both; of weights, parts may be asked for one by one."""
    if isinstance(one, WeightsAsked) and isinstance(other, WeightsAsked):
        parts = zip(_parts(one), _parts(other), strict=True)
        return all(mine is None or yours in (None, mine) for mine, yours in parts)
    return one == other


def _parts(weights: WeightsAsked) -> tuple[object, ...]:
    return weights.buffers, weights.depths, weights.prefetch


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
    by_kind: defaultdict[Kind, dict[tuple[int, ...], Any]] = defaultdict(dict)
    reserves: list[Reserve] = []
    for edit in edits:
        for kind, ids in decisions(edit, names):
            known = by_kind[kind].get(ids)
            by_kind[kind][ids] = _both(known, edit.value)
            if kind is What.RESERVE:
                reserves.append(Reserve(NpuOpId(ids[0]), NpuOpId(ids[1]), ids[2]))

    def values(what: What) -> tuple[tuple[Any, Any], ...]:
        return tuple(sorted(((ids[0], value) for ids, value in by_kind[what].items()), key=_first))

    return Fixed(
        living=values(What.REGION),
        formats=values(What.FORMAT),
        addresses=values(What.ADDRESS),
        together=joined([_ids(ids) for ids in by_kind[Grouping.TOGETHER]]),
        apart=tuple(sorted((NpuOpId(a), NpuOpId(b)) for a, b in by_kind[Grouping.APART])),
        never=frozenset(NpuOpId(op) for (op,) in by_kind[Grouping.NEVER]),
        heights=values(What.STRIPE),
        blocks=values(What.BLOCK),
        traversals=values(What.TRAVERSAL),
        rolling=values(What.ROLLING),
        weights=values(What.WEIGHTS),
        reserves=tuple(sorted(reserves)),
        order=tuple(
            sorted(
                Precedence(NpuOpId(first), NpuOpId(then), what is What.AFTER)
                for what in _ORDERS
                for first, then in by_kind[what]
            )
        ),
    )


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _ids(ids: Sequence[int]) -> tuple[NpuOpId, ...]:
    return tuple(NpuOpId(each) for each in ids)


def _both(one: object, other: object) -> object:
    """What two edits ask for that are alike: of weights, each part of which one says something."""
    if isinstance(one, WeightsAsked) and isinstance(other, WeightsAsked):
        return WeightsAsked(
            buffers=other.buffers if one.buffers is None else one.buffers,
            depths=other.depths if one.depths is None else one.depths,
            prefetch=other.prefetch if one.prefetch is None else one.prefetch,
        )
    return other


def precedence(edit: Edit, names: Names) -> Precedence:
    """What an edit of the order asks for."""
    assert isinstance(edit.subject, OpNamed)
    assert isinstance(edit.value, OpNamed)
    own, other = names.op_ids[edit.subject], names.op_ids[edit.value]
    return (
        Precedence(own, other) if edit.what is What.BEFORE else Precedence(other, own, waits=True)
    )
