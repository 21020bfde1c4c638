"""The door to edits: their file and words, decisions of a schedule as edits."""

from __future__ import annotations

from core.base.checked import door
from core.edits.adopt import Adopted, Unadopted
from core.edits.freeze import everything, freeze
from core.edits.names import Names
from core.edits.plain import to_plain
from core.edits.processors import source_named
from core.edits.resolve import border_of
from core.edits.rules import meant_by
from core.edits.shown import shown_of
from core.edits.spelled import reach, spelled
from core.edits.text import (
    EditsFile,
    decode,
    encode,
    from_plain,
    is_edits,
    lowered_otherwise,
    typed_value,
)
from core.executorch.beside import beside
from core.ir.edits import Edit
from core.ir.scheduled import Scheduled
from core.pipeline.adoption import adopted, shown_in
from core.pipeline.edit_prices import anew, tried, trying
from core.report.around import anew_text, cycles_against, followed_text
from core.report.edits import (
    adopted_against,
    adopted_text,
    edit_text,
    few_unheard,
    reason_text,
    reasons_text,
    rule_text,
    subject_text,
    unheard,
    value_text,
    way_text,
)
from core.report.naming import Call, titled, whole
from core.report.words import counted

__all__ = [
    "Adopted",
    "Call",
    "EditsFile",
    "Names",
    "Unadopted",
    "adopted",
    "adopted_against",
    "adopted_text",
    "anew",
    "anew_text",
    "beside",
    "border_of",
    "cycles_against",
    "decisions",
    "decode",
    "edit_text",
    "encode",
    "everything",
    "few_unheard",
    "followed_text",
    "freeze",
    "from_plain",
    "is_edits",
    "lowered_otherwise",
    "meant_by",
    "reach",
    "reason_text",
    "reasons_text",
    "rule_text",
    "shown_in",
    "shown_of",
    "source_named",
    "spelled",
    "subject_text",
    "taken",
    "titled",
    "to_plain",
    "tried",
    "trying",
    "typed_value",
    "unheard",
    "value_text",
    "way_text",
    "whole",
]


@door
def taken(data: bytes, scheduled: Scheduled) -> tuple[tuple[Edit, ...], str]:
    """The edits of a file, or those that another schedule or compiled model comes to, and words."""
    if is_edits(data):
        file = decode(data)
        named = spelled(file.edits, scheduled.graph)
        rules = (rule_text(*each) for each in reach(file.edits, named))
        other = lowered_otherwise(file, scheduled.options)
        return named, "; ".join(filter(None, (counted(len(named), "edit"), *rules, other)))
    found = adopted(data, scheduled.graph, scheduled.target)
    return found.edits, adopted_text(found)


@door
def decisions(scheduled: Scheduled, model: str | None = None) -> str:
    """A file of all decisions of a schedule, for the model with this digest."""
    found = everything(scheduled.graph, scheduled.schedule, scheduled.target)
    return encode(EditsFile(edits=found, model=model, search=scheduled.options.search))
