"""Schedules and advice as reviewers are shown them: worst first, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.rough import rough_text
from core.ir.advice import Tip
from core.ir.edits import EditFate
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.report import advice
from core.report.edits import edit_text, reasons_text
from core.report.judgements import Judgement
from core.report.limits import misfits, over_limits
from core.report.naming import titled
from core.report.options_text import asked_text
from core.report.review import Review
from core.report.tables import Listing
from core.report.where import decides_text, next_text, where_listing
from core.report.words import Count, seconds_text

_SLOWEST = ("operator", "kind", "cycles", "%", "decides", "next")


def of_schedule(name: str, material: Scheduled) -> Review:
    """Whether it fits and is as it was asked for, and where its time goes."""
    total = material.total
    return Review(
        headline=f"{name}: {rough_text(total.total_cycles)} cycles, {seconds_text(total.seconds)},"
        f" {material.fast_bytes:,} bytes of fast storage",
        remarks=(_target_text(material), *material.graph.warnings),
        judged=(fits(name, material), *_edits(name, material)),
        tables=(
            ("Where the time goes", where_listing(material)),
            ("Operators with most cycles", _slowest(material)),
            _on_the_cpu(material),
        ),
    )


def of_advice(name: str, material: Scheduled, tips: Sequence[Tip], shown: Settings) -> Review:
    """What would help, each of it tried, and whether it fits as it is."""
    total, graph = material.total, material.graph
    helps = (
        f"{len(tips):,} of what was tried would help" if tips else "nothing that was tried helps"
    )
    return Review(
        headline=f"{name}: {rough_text(total.total_cycles)} cycles; {helps}",
        remarks=(_target_text(material),),
        judged=(fits(name, material),),
        tables=(
            ("What would help", advice.listing(tips, shown, graph)),
            _on_the_cpu(material),
        ),
    )


def fits(name: str, material: Scheduled) -> Judgement:
    """Whether all limits of memories are kept, and what there is to say where one is not."""
    layout = material.layout
    over = (*over_limits(material.schedule, layout), *misfits(layout))
    return Judgement(
        model=name, limit="fits", holds=not over, found="; ".join(over) or "within all limits"
    )


def _edits(name: str, material: Scheduled) -> Iterator[Judgement]:
    """Whether each decision of users is as they asked for it."""
    call = titled(material.graph)
    for outcome in material.edits:
        if outcome.fate is not EditFate.OFF:
            said = reasons_text(outcome.reasons, call)
            yield Judgement(
                model=name,
                limit=f"edit: {edit_text(outcome.edit, call)}",
                holds=outcome.fate is EditFate.HONOURED,
                found=": ".join(filter(None, (outcome.fate.value, said))),
            )


def _target_text(material: Scheduled) -> str:
    target = material.target
    return (
        f"for {target.accelerator.name}, {target.system.name}, {target.mode.name},"
        f" {asked_text(material)}"
    )


def _slowest(material: Scheduled) -> Listing:
    """Operators on the NPU, those with most cycles first."""
    whole = material.total.total_cycles
    plans = sorted(material.schedule.ops, key=lambda plan: -material.cost(plan).total_cycles)
    rows = [
        (
            material.graph.titles.op(plan.op),
            material.op(plan).kind.value,
            Count(round(cost.total_cycles)),
            f"{cost.total_cycles / whole:.1%}" if whole else None,
            decides_text(cost),
            next_text(cost),
        )
        for plan in plans
        for cost in (material.cost(plan),)
    ]
    return Listing(_SLOWEST, rows)


def _on_the_cpu(material: Scheduled) -> tuple[str, Listing]:
    lines = [(line,) for line in advice.cpu_lines(material.graph)]
    return "On the CPU", Listing(("what it is, and what the model would need instead",), lines)
