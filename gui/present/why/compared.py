"""What is decided otherwise in A about the selection, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from core.api.comparisons import Comparison, Fate, OpPair, words
from core.base.sentences import capitalised
from gui.document.answer import Answer
from gui.document.selection import Selection


def compared_with_a(found: Comparison, answer: Answer, selection: Selection) -> tuple[str, ...]:
    """Sentences about an operator, a map, or the whole, also where nothing of it differs."""
    if selection.is_empty:
        told = (words.headline(found), words.cause_text(found))
        return tuple(f"{text}." for text in told if text)
    if selection.op is not None:
        return tuple(_operator(found, selection.op))
    if selection.fm is not None:
        return tuple(_map(found, answer.scheduled.run.graph.feature_maps[selection.fm].name))
    return ()


def _operator(found: Comparison, op: int) -> Iterator[str]:
    pair = next((each for each in found.operators if each.b and op in each.b.numbers), None)
    if pair is None:
        return
    yield _cycles(pair)
    for each in pair.differences:
        yield f"{capitalised(words.difference_text(each, found))}."


def _cycles(pair: OpPair) -> str:
    if pair.a is None:
        return "A has no such operator."
    before, after = round(pair.before_cycles), round(pair.after_cycles)
    if before == after and not pair.differences:
        return f"Nothing of it is decided otherwise in A, and it takes {after:,} cycles there too."
    if before == after:
        return f"It takes {after:,} cycles, as in A, by other decisions."
    less = "less" if after < before else "more"
    return f"In A it takes {before:,} cycles, here {after:,}: {abs(after - before):,} {less}."


def _map(found: Comparison, name: str) -> Iterator[str]:
    for pair in found.ranges:
        here = pair.b or pair.a
        if here is None or name not in here.tensors:
            continue
        if pair.fate is Fate.SAME:
            yield "It lies where it does in A."
        elif pair.a is None:
            yield "A has no such range of bytes."
        elif pair.b is not None:
            yield (
                f"{capitalised(words.fate_text(pair.fate))}: in A it is {pair.a.size_bytes:,} bytes"
                f" at {pair.a.address:#x} in {words.memory_title(pair.a.memory)}, here"
                f" {pair.b.size_bytes:,} bytes at {pair.b.address:#x} in"
                f" {words.memory_title(pair.b.memory)}."
            )
