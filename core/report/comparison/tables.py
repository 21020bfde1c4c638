"""A comparison as tables: figures, operators by the size of what differs, ranges, cascades."""

from __future__ import annotations

from core.compare.comparison import Aspect, Comparison, Fate, OpPair, RangePair
from core.ir.titles import telling
from core.report.comparison.words import (
    MEMORY_FIGURES,
    difference_text,
    fate_text,
    memory_title,
    number_of,
    value_text,
)
from core.report.ecosystem_names import kind_text
from core.report.tables import Listing, Row
from core.report.words import Count, ranges_text

_MOVED = {
    f"{name.removesuffix('_bytes')}_moved_bytes": title for name, title in MEMORY_FIGURES.items()
}
_TITLES = {
    "total_cycles": "cycles",
    "ecosystem_cycles": "cycles by the ecosystem's estimate",
    "npu_cycles": "cycles of the NPU alone",
    "fast_storage_bytes": "bytes of fast storage",
    **{name: f"bytes in {title}" for name, title in MEMORY_FIGURES.items()},
    "excess_bytes": "bytes above limits",
    "evicted_bytes": "bytes evicted",
    "evicted_maps": "maps evicted",
    "encoded_weight_bytes": "bytes of encoded weights",
    **{name: f"bytes moved, {title}" for name, title in _MOVED.items()},
    "macs": "MACs",
    "npu_operators": "operators on the NPU",
    "cpu_operators": "operators on the CPU",
    "command_streams": "command streams",
    "cascades": "cascades",
    "cascaded_operators": "operators in cascades",
}
_FIGURE_HEADERS = ("", "A", "B", "difference", "%")
_OPERATOR_HEADERS = ("A", "B", "kind", "cycles A", "cycles B", "difference", "name", "decided")
_RANGE_HEADERS = (
    "what",
    "memory",
    "bytes A",
    "bytes B",
    "difference",
    "address A",
    "address B",
    "name",
)
_CASCADE_HEADERS = ("operators in A", "operators in B")


class Change(int):
    """A difference, which is written with its sign and its thousands apart."""

    def __str__(self) -> str:
        return f"{int(self):+,}"


def figures(comparison: Comparison) -> Listing:
    """One row for each figure that either side has."""
    rows: list[Row] = []
    for name, title in _TITLES.items():
        found = comparison.figure(name)
        if not found.before and not found.after:
            continue
        rows.append(
            (
                title,
                _count(found.before),
                _count(found.after),
                None if found.change is None else Change(round(found.change)),
                f"{found.change / found.before:+.1%}" if found.change and found.before else None,
            )
        )
    return Listing(_FIGURE_HEADERS, rows)


def _count(value: float | None) -> Count | None:
    return None if value is None else Count(round(value))


def by_size(comparison: Comparison) -> tuple[OpPair, ...]:
    """Operators that differ, with the greatest differences first."""
    if comparison.is_totals_alone:
        return ()
    pairs = [pair for pair in comparison.operators if not pair.is_equal]
    return tuple(sorted(pairs, key=lambda pair: -abs(pair.cycles)))


def operators(comparison: Comparison) -> Listing:
    """One row for each operator that differs, with the greatest differences first."""
    return Listing(_OPERATOR_HEADERS, [operator_row(comparison, at) for at in by_size(comparison)])


def operator_row(comparison: Comparison, pair: OpPair) -> Row:
    """An operator: its numbers and cycles on both sides, and what is decided otherwise."""
    op = pair.b or pair.a
    assert op is not None
    return (
        None if pair.a is None else pair.a.numbers[0],
        None if pair.b is None else pair.b.numbers[0],
        kind_text(op.kind),
        None if pair.a is None else Count(round(pair.before_cycles)),
        None if pair.b is None else Count(round(pair.after_cycles)),
        Change(round(pair.cycles)),
        comparison.parts[pair.name],
        decided(comparison, pair),
    )


def decided(comparison: Comparison, pair: OpPair) -> str:
    """What is decided otherwise about an operator."""
    return "; ".join(difference_text(each, comparison) for each in pair.differences)


def ranges(comparison: Comparison) -> Listing:
    """One row for each range of bytes that is another one, the largest differences first."""
    told = () if comparison.is_totals_alone else comparison.ranges
    found = [pair for pair in told if pair.fate is not Fate.SAME]
    order = list(Fate)
    found.sort(key=lambda pair: (-abs(pair.size_bytes), order.index(pair.fate)))
    rows: list[Row] = []
    for pair in found:
        a, b = pair.a, pair.b
        places = dict.fromkeys(memory_title(each.memory) for each in (a, b) if each is not None)
        rows.append(
            (
                fate_text(pair.fate),
                " to ".join(places),
                None if a is None else Count(a.size_bytes),
                None if b is None else Count(b.size_bytes),
                Change(pair.size_bytes),
                None if a is None else f"{a.address:#x}",
                None if b is None else f"{b.address:#x}",
                _range_name(comparison, pair),
            )
        )
    return Listing(_RANGE_HEADERS, rows)


def _range_name(comparison: Comparison, pair: RangePair) -> str:
    """What lies there: whose weights, or which map, and how many others with it."""
    side = pair.b or pair.a
    assert side is not None
    if side.tensors:
        more = len(side.tensors) - 1
        return comparison.parts[side.tensors[0]] + (f" and {more} more" if more else "")
    name, colon, role = side.name.rpartition(": ")
    return f"{role} of {comparison.parts.get(name) or telling([name])[0]}" if colon else role


def cascades(comparison: Comparison) -> Listing:
    """One row for each cascade that the other side has not."""

    def numbers(pairs: tuple[int, ...]) -> str:
        places = [number_of(comparison.operators[at]) for at in pairs]
        return ranges_text(places) if places else value_text(Aspect.CASCADE, None)

    told = () if comparison.is_totals_alone else comparison.cascades
    rows = [(numbers(each.before), numbers(each.after)) for each in told]
    return Listing(_CASCADE_HEADERS, rows)


TABLES = {
    "Figures": figures,
    "Operators": operators,
    "Cascades": cascades,
    "Ranges of bytes": ranges,
}
"""By title, in their order."""
