"""Rules: one decision about all operators or maps that a query finds.

A rule asks what the network itself says, and nothing that a search decides: it means the same for
another target, limit or engine, as the names of single edits do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from core.base.errors import OptionError
from core.base.query import Fields, Query, Thing, Value, meant
from core.base.query import query_of as _query_of
from core.edits.names import Names
from core.edits.processors import source_named
from core.ir.edits import Edit, MapNamed, OpNamed, Rule
from core.ir.npugraph import FeatureMap, NpuGraph, NpuOp

FIELDS: Fields = MappingProxyType(
    {
        "name": str,
        "title": str,
        "kind": str,
        "source": str,
        "number": float,
        "is": frozenset,
        "shape": str,
        "bytes": float,
    }
)


def query_of(text: str) -> Query:
    """What a rule asks; an OptionError says what is wrong with it."""
    query = _query_of(text, FIELDS)
    if query.is_empty:
        raise OptionError("asks for nothing; 'is=operator' and 'is=map' are all of them")
    return query


def expanded(rule: Rule, graph: NpuGraph, names: Names) -> tuple[Edit, ...]:
    """An edit for each operator or map that a rule is about, in the order of the network.

    Where maps are decided, an operator stands for the map that it makes.
    """
    test = query_of(rule.query).test
    ops = tuple(op for op in graph.ops if test(_op(op, graph)))
    subjects: Iterable[OpNamed | MapNamed]
    if rule.what.is_of_maps:
        made = {op.ofm.fm for op in ops}
        touched = {view.fm for op in graph.ops for view in op.views}
        subjects = [
            names.maps[fm.id]
            for fm in graph.feature_maps
            if fm.data is None and fm.id in touched and (fm.id in made or test(_map(fm, graph)))
        ]
    elif rule.what.is_of_file:
        own = (source_named(op.id, graph) for op in ops)
        subjects = dict.fromkeys(each for each in own if each is not None)
    else:
        subjects = [names.ops[op.id] for op in ops]
    return tuple(
        Edit(
            subject=subject,
            what=rule.what,
            value=rule.value,
            is_on=rule.is_on,
            note=rule.note,
            rule=rule.query,
        )
        for subject in subjects
    )


def meant_by(rule: Rule, graph: NpuGraph) -> str:
    """What a rule that finds nothing may have meant."""
    things = (
        *(_op(op, graph) for op in graph.ops),
        *(_map(fm, graph) for fm in graph.feature_maps),
    )
    return meant(query_of(rule.query), things)


def _op(op: NpuOp, graph: NpuGraph) -> Thing:
    made, title = graph.feature_maps[op.ofm.fm], graph.titles.op(op.id)
    values: Mapping[str, Value] = {
        "name": op.name,
        "title": title,
        "kind": op.kind.value,
        "source": op.origin,
        "number": float(op.id),
        "is": frozenset({"operator", "npu"}),
        "shape": _shape(op.ofm.touched),
        "bytes": _bytes(made),
    }
    return Thing((op.name, title, op.kind.value), values)


def _map(fm: FeatureMap, graph: NpuGraph) -> Thing:
    title = graph.titles.map(fm.id)
    values: Mapping[str, Value] = {
        "name": fm.name,
        "title": title,
        "kind": "map",
        "number": float(fm.id),
        "is": frozenset({"map"}),
        "shape": _shape(fm.shape),
        "bytes": _bytes(fm),
    }
    return Thing((fm.name, title), values)


def _shape(sizes: Sequence[int]) -> str:
    return "x".join(map(str, sizes))


def _bytes(fm: FeatureMap) -> float:
    """What a map takes as a whole, in rows."""
    return float(math.prod(fm.shape) * fm.dtype.bits // 8)
