"""A comparison as JSON, and its operators as CSV."""

from __future__ import annotations

from typing import Any

from core.base.harmless import csv_text
from core.compare.account import Account, AccountRange
from core.compare.comparison import (
    Cause,
    Comparison,
    Difference,
    Fate,
    OpPair,
    RangePair,
    Value,
)
from core.report.comparison.tables import decided
from core.report.comparison.words import cause_text, caveats, headline
from core.report.json_forms.stamp import stamp

Json = dict[str, Any]

CSV_HEADERS = (
    "a_operator",
    "b_operator",
    "kind",
    "a_cycles",
    "b_cycles",
    "difference_cycles",
    "decided",
    "name",
)


def describe(comparison: Comparison) -> Json:
    """Everything that differs; A's value, B's, and what B has more."""
    return {
        **stamp("comparison"),
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "is_equal": comparison.is_equal,
        "headline": headline(comparison),
        "estimate_error": None if comparison.family is None else comparison.family.estimate_error,
        "tells_cycles_apart": comparison.tells_cycles_apart,
        "cause": None if comparison.cause is None else _first(comparison, comparison.cause),
        "causes": [_cause(each) for each in comparison.causes],
        "notes": list(caveats(comparison)),
        "proofs": [
            {"side": each.side, "holds": each.holds, "told": list(each.told)}
            for each in comparison.proofs
        ],
        "totals": {
            each.name: {"a": each.before, "b": each.after, "difference": each.change}
            for each in comparison.figures
        },
        "operators": [_operator(pair) for pair in comparison.operators],
        "cascades": [
            {"a_pairs": list(each.before), "b_pairs": list(each.after)}
            for each in comparison.cascades
        ],
        "ranges": [_range(pair) for pair in comparison.ranges if pair.fate is not Fate.SAME],
        "cpu_ops": {"a": list(comparison.a.cpu_ops), "b": list(comparison.b.cpu_ops)},
    }


def _side(account: Account) -> Json:
    return {"title": account.title, "target": dict(account.target)}


def _first(comparison: Comparison, cause: Cause) -> Json:
    """What most follows from, and as many after it as explain most of the difference, in words."""
    return {"text": cause_text(comparison), **_cause(cause)}


def _cause(cause: Cause) -> Json:
    nothing = {"aspect": None, "about": None, "a": None, "b": None}
    return {
        "pairs": list(cause.pairs),
        "cycles": cause.cycles,
        "share": cause.share,
        **(nothing if cause.difference is None else _difference(cause.difference)),
    }


def _operator(pair: OpPair) -> Json:
    op = pair.b or pair.a
    assert op is not None
    return {
        "name": pair.name,
        "kind": op.kind,
        "a_operators": [] if pair.a is None else list(pair.a.numbers),
        "b_operators": [] if pair.b is None else list(pair.b.numbers),
        "a_cycles": None if pair.a is None else pair.before_cycles,
        "b_cycles": None if pair.b is None else pair.after_cycles,
        "difference_cycles": pair.cycles,
        "differences": [_difference(each) for each in pair.differences],
    }


def _difference(difference: Difference) -> Json:
    return {
        "aspect": difference.aspect.value,
        "about": difference.about or None,
        "a": _value(difference.before),
        "b": _value(difference.after),
    }


def _value(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value


def _range(pair: RangePair) -> Json:
    return {
        "name": pair.name,
        "fate": pair.fate.value,
        "a": _bytes(pair.a),
        "b": _bytes(pair.b),
        "difference_bytes": pair.size_bytes,
    }


def _bytes(told: AccountRange | None) -> Json | None:
    if told is None:
        return None
    return {
        "memory": told.memory,
        "address": told.address,
        "bytes": told.size_bytes,
        "start": told.start,
        "end": told.end,
    }


def render_csv(comparison: Comparison) -> str:
    """A line for each operator of either side, in the order in which they run."""
    lines = [_line(comparison, pair) for pair in comparison.operators]
    return csv_text([CSV_HEADERS, *lines])


def _line(comparison: Comparison, pair: OpPair) -> tuple[object, ...]:
    op = pair.b or pair.a
    assert op is not None
    return (
        "" if pair.a is None else pair.a.numbers[0],
        "" if pair.b is None else pair.b.numbers[0],
        op.kind,
        "" if pair.a is None else _plain(pair.before_cycles),
        "" if pair.b is None else _plain(pair.after_cycles),
        _plain(pair.cycles),
        decided(comparison, pair),
        pair.name,
    )


def _plain(cycles: float) -> float:
    """Whole cycles without a point, wherever they come from."""
    return int(cycles) if cycles == int(cycles) else cycles
