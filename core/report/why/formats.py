"""Rows and bricks in sentences: why a map is in one of them, and what padding costs."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.geometry import round_up
from core.base.ids import FmId
from core.ir.decisions import FormatChosen, FormatPrice
from core.report.why.facts import Facts, Sentence, in_bytes, in_cycles
from core.report.why.reasons import because
from core.report.words import counted
from core.target.format import BRICK_DEPTH, Format

ORDERS = {
    Format.LINEAR: "row by row (NHWC)",
    Format.BRICKS: "in bricks of 16 channels (NHCWB16)",
}


def format_sentences(facts: Facts, number: FmId) -> Iterator[Sentence]:
    """Why a map is in its format."""
    for decision in facts.decisions(FormatChosen):
        if decision.fm != number:
            continue
        why = because(decision.reason, channel=decision.channel)
        yield Sentence("format", f"It is stored {ORDERS[decision.format]}, since {why}.")
        if decision.rows is not None and decision.bricks is not None:
            depth = facts.material.graph.feature_maps[number].shape[-1]
            yield Sentence("format", _prices(decision.rows, decision.bricks, depth))


def _prices(rows: FormatPrice, bricks: FormatPrice, depth: int) -> str:
    """What a map takes in either format, and the operators that touch it."""
    text = (
        f"In rows it takes {in_bytes(rows.size_bytes)}, and the operators that touch it"
        f" {in_cycles(rows.cycles)}; in bricks {in_bytes(bricks.size_bytes)} and"
        f" {in_cycles(bricks.cycles)}"
    )
    added = bricks.size_bytes - rows.size_bytes
    if not added:
        return f"{text}."
    stored = round_up(depth, BRICK_DEPTH)
    return (
        f"{text}, {in_bytes(added)} of them padding, as {counted(depth, 'channel')}"
        f" {'is' if depth == 1 else 'are'} stored as {stored:,}."
    )


def padding_sentences(facts: Facts) -> Iterator[Sentence]:
    """What padding takes, and what rows save of it."""
    priced = [each for each in facts.decisions(FormatChosen) if each.rows and each.bricks]
    for order, end in (
        (Format.LINEAR, "which saves {size} of padding"),
        (Format.BRICKS, "of which padding takes {size}"),
    ):
        found = [_padding_bytes(each) for each in priced if each.format is order]
        padded = [size for size in found if size]
        if padded:
            text = f"{counted(len(padded), 'map')} of less than whole bricks"
            verb = "is" if len(padded) == 1 else "are"
            told = end.format(size=in_bytes(sum(padded)))
            yield Sentence("format", f"{text} {verb} stored {ORDERS[order]}, {told}.")


def _padding_bytes(decision: FormatChosen) -> int:
    assert decision.rows is not None
    assert decision.bricks is not None
    return decision.bricks.size_bytes - decision.rows.size_bytes
