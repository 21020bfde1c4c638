"""Where the time of an inference goes: what decides operators, and what to do about it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import MappingProxyType

from core.base.frozen import NamedTuple
from core.ir.cost import OperatorCost, Term
from core.ir.scheduled import Scheduled
from core.report.tables import Listing, Row
from core.report.words import Count, counted

MOST_CAUSES = 5
DEEDS = MappingProxyType(
    {
        Term.MACS: "other blocks (edit 'block'), or an accelerator with more MACs",
        Term.SRAM: "other blocks or formats, which read less again (edits 'block', 'format')",
        Term.EXTERNAL: "more fast storage, or weights that come earlier ('advise'; edits 'region',"
        " 'weights')",
        Term.DECODER: "larger blocks or higher stripes: fewer decodings (edits 'block', 'stripe')",
        Term.OUTPUT: "fewer elements of fewer bits in the model, or a larger accelerator",
        Term.COMMANDS: "higher stripes and fewer slices (edits 'stripe', 'weights')",
        Term.LATENCY: "larger blocks, or maps in a nearer memory (edits 'block', 'region')",
    }
)
"""What to do about each."""
_HEADERS = ("what decides", "operators", "cycles", "%", "what to do about it")
_TERM_HEADERS = ("#", "name", "cycles", "decides", "next", *(term.value for term in Term))


class Cause(NamedTuple):
    """What decides some operators."""

    term: Term
    operators: int
    cycles: float
    share: float
    """Of the cycles of all operators."""


def causes(material: Scheduled) -> tuple[Cause, ...]:
    """What decides operators, those with most cycles first."""
    found: dict[Term, list[float]] = {}
    for cost in material.costs:
        if cost.decides is not None:
            found.setdefault(cost.decides, []).append(cost.total_cycles)
    whole = material.total.total_cycles
    rows = [
        Cause(term, len(cycles), math.fsum(cycles), math.fsum(cycles) / whole if whole else 0.0)
        for term, cycles in found.items()
    ]
    return tuple(sorted(rows, key=lambda cause: -cause.cycles))


def where_listing(material: Scheduled) -> Listing:
    """The causes with most cycles."""
    rows = [
        (
            cause.term.value,
            cause.operators,
            Count(round(cause.cycles)),
            f"{cause.share:.1%}",
            DEEDS[cause.term],
        )
        for cause in causes(material)[:MOST_CAUSES]
    ]
    return Listing(_HEADERS, rows)


def terms_listing(material: Scheduled) -> Listing:
    """One row for each operator on the NPU: how long each would take it, as a share of all."""
    return Listing(_TERM_HEADERS, list(_terms(material)))


def _terms(material: Scheduled) -> Iterator[Row]:
    for plan in material.schedule.ops:
        cost = material.cost(plan)
        yield (
            int(plan.op),
            # Its number stands before it.
            material.graph.titles.op(plan.op).partition(" ")[2],
            Count(round(cost.total_cycles)),
            decides_text(cost),
            next_text(cost),
            *(f"{cost.term_share(cycles):.0%}" if cycles else None for cycles in cost.terms),
        )


def decides_text(cost: OperatorCost) -> str | None:
    """What decides an operator."""
    return None if cost.decides is None else cost.decides.value


def next_text(cost: OperatorCost) -> str | None:
    """What would decide it if that were faster."""
    return cost.ranked[1][0].value if len(cost.ranked) > 1 else None


def term_text(cost: OperatorCost) -> str:
    """What decides an operator, and how near the next is, in a sentence."""
    if not cost.ranked:
        return ""
    (first, _), *others = cost.ranked
    if not others:
        return f"What decides it is its time for {first.value}; nothing else takes any."
    second, cycles = others[0]
    share = f"{cost.term_share(cycles):.0%}"
    return (
        f"What decides is {_the(first)}; next is {_the(second)}, with {share} of its"
        f" {counted(round(cost.total_cycles), 'cycle')}."
    )


def _the(term: Term) -> str:
    return term.value if term in (Term.COMMANDS, Term.LATENCY, Term.OUTPUT) else f"the {term.value}"
