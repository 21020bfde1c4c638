"""The door to why: what decided a part of a schedule, in sentences with numbers."""

from __future__ import annotations

from core.base.checked import door
from core.base.ids import IslandId, NpuOpId
from core.ir.layout import AreaLayout
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis
from core.report import limits
from core.report.options_text import option_rows
from core.report.padding import Padding, element_bytes, padding_at_peak
from core.report.where import DEEDS, decides_text, next_text, term_text
from core.report.why.explain import (
    AboutBuffer,
    AboutCascade,
    AboutCpuOp,
    AboutMap,
    AboutNetwork,
    AboutOp,
    Subject,
)
from core.report.why.explain import explain as explain_subject
from core.report.why.explain import lead as lead_of
from core.report.why.facts import Facts, Sentence
from core.report.why.lead import Lead
from core.report.why.stripes import alone_text, uncascaded_sentences

__all__ = [
    "DEEDS",
    "AboutBuffer",
    "AboutCascade",
    "AboutCpuOp",
    "AboutMap",
    "AboutNetwork",
    "AboutOp",
    "Lead",
    "Padding",
    "Sentence",
    "Subject",
    "decides_text",
    "element_bytes",
    "explain",
    "lead",
    "least_bytes",
    "next_text",
    "option_rows",
    "padding_at_peak",
    "term_text",
    "why_alone",
    "why_uncascaded",
]


@door
def explain(scheduled: Scheduled, analysis: Analysis, subject: Subject) -> tuple[Sentence, ...]:
    """Why a part of a schedule is as it is."""
    return explain_subject(scheduled, analysis, subject)


@door
def lead(scheduled: Scheduled, analysis: Analysis, subject: Subject) -> Lead:
    """What is said first about a part of a schedule, and the reasons that matter most."""
    return lead_of(scheduled, analysis, subject)


@door
def why_alone(scheduled: Scheduled, analysis: Analysis, op: NpuOpId) -> str:
    """Why an operator is in no cascade."""
    return alone_text(Facts(scheduled, analysis), op)


@door
def why_uncascaded(scheduled: Scheduled, analysis: Analysis, island: IslandId) -> tuple[str, ...]:
    """Why nothing of a command stream is in a cascade."""
    found = scheduled.schedule.islands[island]
    return tuple(uncascaded_sentences(Facts(scheduled, analysis), found))


@door
def least_bytes(scheduled: Scheduled, area: AreaLayout) -> int:
    """What any schedule of these operators in their order needs of a memory; 0 if unknown."""
    return limits.least_bytes(scheduled.schedule, scheduled.layout, area)
