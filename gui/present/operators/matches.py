"""What the filter and the rules find, as views draw it: it has their colours, all else fades."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.api.comparisons import Comparison
from core.api.queries import Query
from core.base.frozen import Frozen
from core.base.ids import FmId
from core.ir.titles import shortened
from gui.document.answer import Answer
from gui.document.document import Document
from gui.present import units
from gui.present.edits.pins import pins_of
from gui.present.memory.ghosts import Ghost
from gui.present.memory.map import AreaMap
from gui.present.network.picture import Drawing
from gui.present.operators.order import Filter, things_in
from gui.present.operators.rules import Rule, Rules, listed
from gui.present.operators.table import operator_table, with_comparison
from gui.present.rects import Lit
from gui.present.timeline.data import TimelineData
from gui.theme.tones import Tone

Keys = frozenset[int]
_NAME_LETTERS = 32


class Matches(Frozen, eq=False):
    """Operators and maps that a query finds."""

    ops: Keys
    cpu_ops: Keys
    fms: frozenset[FmId]

    @property
    def counted(self) -> str:
        """How many they are."""
        counts = (len(self.ops) + len(self.cpu_ops), "operator"), (len(self.fms), "map")
        told = [units.counted(count, noun) for count, noun in counts if count]
        return ", ".join(told) or "nothing"


class Coloured(Frozen, eq=False):
    """What is looked at, and what each rule finds."""

    lit: Matches
    rules: tuple[tuple[Rule, Matches], ...]

    @property
    def legend(self) -> tuple[tuple[Tone, str], ...]:
        """Which colour is which rule; figures come first, as a name can be cut."""
        return tuple(
            (rule.tone, f"{matches.counted}: {shortened(rule.name, _NAME_LETTERS)}")
            for rule, matches in self.rules
        )


def coloured_of(
    document: Document, answer: Answer, found: Comparison | None, typed: Filter, rules: Rules
) -> Coloured | None:
    """Of an answer; None where nothing is asked for."""
    wanted = listed(typed, rules).query
    if wanted is None:
        return None
    table = operator_table(answer)
    if found is not None:
        table = with_comparison(table, found)
    pins = pins_of(document, answer)
    things = tuple(things_in(table, frozenset(pins.ops), frozenset(pins.maps)))

    def matches(query: Query) -> Matches:
        hits = [each for each in things if query.test(each.thing)]
        return Matches(
            ops=frozenset(int(each.op) for each in hits if each.op is not None),
            cpu_ops=frozenset(each.cpu_op for each in hits if each.cpu_op is not None),
            fms=frozenset(each.fm for each in hits if each.fm is not None),
        )

    by_rule = tuple((rule, matches(rule.query)) for rule in rules.on)
    return Coloured(lit=matches(wanted), rules=by_rule)


def _lit(found: Coloured, keys_of: Callable[[Matches], Keys]) -> Lit:
    """Of what several rules find, the first one's colour."""
    keys, tones = keys_of(found.lit), dict[int, Tone]()
    for rule, matches in reversed(found.rules):
        tones.update(dict.fromkeys(keys_of(matches) & keys, rule.tone))
    return Lit(keys, tones)


def lit_slices(data: TimelineData, found: Coloured) -> Lit:
    """Slices in which operators work, and cascades as one bar that have one of them."""
    trace = data.trace

    def keys(matches: Matches) -> Keys:
        is_meant = np.isin(trace.op, sorted(matches.ops))
        is_meant |= np.isin(trace.cpu_op, sorted(matches.cpu_ops))
        bars = (
            -1 - place
            for place, cascade in enumerate(data.cascades)
            if not matches.ops.isdisjoint(cascade.ops)
        )
        return frozenset((*np.flatnonzero(is_meant).tolist(), *bars))

    return _lit(found, keys)


def lit_nodes(drawing: Drawing, found: Coloured) -> Lit:
    """Boxes of operators."""

    def keys(matches: Matches) -> Keys:
        return frozenset(
            place
            for place, node in enumerate(drawing.nodes)
            if node.op in matches.ops or node.cpu_op in matches.cpu_ops
        )

    return _lit(found, keys)


def lit_edges(drawing: Drawing, found: Coloured) -> Lit:
    """Lines of maps."""

    def keys(matches: Matches) -> Keys:
        edges = enumerate(drawing.edges)
        return frozenset(place for place, edge in edges if edge.fm in matches.fms)

    return _lit(found, keys)


def lit_ranges(
    answer: Answer, drawn: AreaMap, ghosts: tuple[Ghost, ...], found: Coloured
) -> tuple[Lit, Lit]:
    """Ranges and ghosts of maps, of what operators make, and of their weights."""
    graph = answer.scheduled.graph

    def maps(matches: Matches) -> frozenset[FmId]:
        made = {graph.ops[op].ofm.fm for op in matches.ops}
        made |= {fm for op in matches.cpu_ops for fm in graph.cpu_ops[op].outputs}
        return matches.fms | made

    def ranges(matches: Matches) -> Keys:
        keys = {key for fm in maps(matches) for key in drawn.by_fm.get(fm, ())}
        return frozenset(keys.union(*(drawn.by_op.get(op, ()) for op in matches.ops)))

    def evicted(matches: Matches) -> Keys:
        fms, places = maps(matches), enumerate(ghosts)
        return frozenset(place for place, each in places if not fms.isdisjoint(each.evicted.fms))

    return _lit(found, ranges), _lit(found, evicted)
