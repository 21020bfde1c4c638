"""Advice in words, as rows and as JSON: what to ask for, what it brings, and what it costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Any

from core.base.geometry import round_up
from core.base.harmless import visible
from core.base.ids import OpRef
from core.base.rough import rough_text
from core.edits.plain import to_plain
from core.ir import knobs
from core.ir.advice import Because, Effect, Occasion, Tip, Topic
from core.ir.knob import OneOf
from core.ir.npugraph import HAS_OPERATOR, CpuOp, NpuGraph, Rejection
from core.ir.settings import Settings
from core.report.edits import edit_text
from core.report.json_forms.stamp import stamp
from core.report.naming import titled
from core.report.tables import Listing
from core.report.words import Count, counted, kib_text
from core.target.format import BRICK_DEPTH

Json = dict[str, Any]

HEADERS = ("what to ask for", "cycles", "%", "fast storage", "evicted", "then fits", "because")
_MOST_NAMED = 6
"""Operators on the CPU that one line names."""


def deed_text(tip: Tip, shown: Settings, graph: NpuGraph) -> str:
    """What to do, in a few words: the settings that are other ones, or the edit."""
    if tip.edit is not None:
        return edit_text(tip.edit, titled(graph))
    return ", ".join(_turned(tip.settings, shown))


def _turned(settings: Settings, shown: Settings) -> Iterator[str]:
    for knob in knobs.KNOBS:
        value = knob.value(settings)
        if value == knob.value(shown):
            continue
        text = knob.text(value, kib_text)
        if knob.name == "limit_bytes" and value is not None:
            text = f"{kib_text(value)} ({value:,} bytes)"
        yield f"{knob.title} {text}" if isinstance(knob.takes, OneOf) else f"{knob.title}: {text}"


def because_text(tip: Tip) -> str:
    """Why an edit or a limit was tried; empty of other settings."""
    because = tip.because
    if because is None:
        return ""
    size, name = kib_text(because.size_bytes), because.title
    match because.occasion:
        case Occasion.WORST:
            text = "one of the operators with most cycles"
        case Occasion.EVICTED if tip.edit is None:
            text = f"{name}, {size}, is in fast storage then, and with 1 KiB less it is not"
        case Occasion.EVICTED:
            text = f"its {size} found no room in fast storage"
        case Occasion.LEFT:
            text = f"its {size} are not in fast storage: the search leaves there what cascades make"
        case Occasion.PADDED:
            stored = round_up(because.channels, BRICK_DEPTH)
            text = f"{counted(because.channels, 'channel')} stored as {stored}: {size} of padding"
        case Occasion.AT_PEAK:
            text = f"{name}, {size}, is live between them when most is"
        case Occasion.WAITING:
            readers = "one reader" if because.readers == 1 else f"{because.readers} readers"
            text = f"{name}, {size}, waits {because.steps} steps for {readers} when most is live"
    return text


def effect_text(tip: Tip) -> str:
    """What it brings, and then what it costs, all of it measured."""
    effects = sorted(_effects(tip), key=lambda effect: not effect[0])
    return ", ".join(text for _, text in effects) or "the same in less"


def _effects(tip: Tip) -> Iterator[tuple[bool, str]]:
    """Each with whether it is a gain."""
    before, after = tip.before, tip.after
    if before.fits != after.fits:
        yield after.fits, "then it fits" if after.fits else "then it does not fit"
    if tip.tells_cycles and round(tip.cycles):
        share = f"({tip.cycles / before.cycles:+.1%})"
        yield tip.cycles < 0, f"{rough_text(abs(tip.cycles))} cycles {_less(tip.cycles)} {share}"
    if tip.fast_bytes:
        told = f"{kib_text(abs(tip.fast_bytes))} {_less(tip.fast_bytes)} fast storage"
        yield tip.fast_bytes < 0, told
    moved = after.evicted_bytes - before.evicted_bytes
    if moved:
        yield moved < 0, f"{kib_text(abs(moved))} {_less(moved)} evicted"
    if round(tip.cycles) and not tip.tells_cycles:
        yield False, "as many cycles, as far as the estimate can tell"


def _less(change: float) -> str:
    return "less" if change < 0 else "more"


def listing(tips: Iterable[Tip], shown: Settings, graph: NpuGraph) -> Listing:
    """One row for each, in the order in which they are to be read."""
    rows = [
        (
            deed_text(tip, shown, graph),
            _Change(round(tip.cycles)),
            f"{tip.cycles / tip.before.cycles:+.1%}",
            _Change(tip.fast_bytes),
            _Change(tip.after.evicted_bytes - tip.before.evicted_bytes),
            "yes" if tip.after.fits else "no",
            because_text(tip) or None,
        )
        for tip in tips
    ]
    return Listing(HEADERS, rows)


class _Change(Count):
    """A difference, which is written with its sign."""

    def __str__(self) -> str:
        return f"{int(self):+,}"


def in_order(tips: Iterable[Tip]) -> tuple[Tip, ...]:
    """What makes it fit first; then the fastest, of equal ones the smallest; what costs memory or
    another memory mode comes last."""
    last = (Topic.MORE_MEMORY, Topic.MODE)

    def rank(tip: Tip) -> tuple[bool, bool, float, int]:
        gains_fit = tip.after.excess_bytes < tip.before.excess_bytes
        return not gains_fit, tip.topic in last, tip.after.cycles, tip.after.fast_bytes

    return tuple(sorted(tips, key=rank))


def render(name: str, tips: Sequence[Tip], shown: Settings, graph: NpuGraph) -> str:
    """Advice for a terminal."""
    if not tips:
        return f"{visible(name)}: nothing that was tried helps\n"
    before = tips[0].before
    head = (
        f"{visible(name)}: {rough_text(before.cycles)} cycles, {before.fast_bytes:,} bytes of fast"
        " storage; what would help, each of it tried"
    )
    lines = (
        f"{number:3}  {deed_text(tip, shown, graph)}{_bracketed(because_text(tip))}\n"
        f"     {effect_text(tip)}"
        for number, tip in enumerate(tips, 1)
    )
    return "\n".join((head, "", *lines, ""))


def _bracketed(text: str) -> str:
    return f" ({text})" if text else ""


def cpu_lines(graph: NpuGraph) -> list[str]:
    """A line for each cause that keeps operators on the CPU, the most bytes first: the rule that
    they break, what a model would need to have, and what passes through the CPU.

    That is no trial: another model is none that could be run.
    """
    reasons = {reason.op: reason for reason in graph.rejections}
    causes: dict[tuple[str, str], list[CpuOp]] = {}
    for op in graph.cpu_ops:
        found = reasons.get(op.source)
        cause = HAS_OPERATOR, op.kind
        if found is not None and found.rule != HAS_OPERATOR:
            cause = found.rule, found.accepted
        causes.setdefault(cause, []).append(op)
    by_cost = sorted(causes.items(), key=lambda each: -_passed_bytes(graph, each[1]))
    return [
        f"{_named(ops)}: {_broken(rule, accepted, ops, reasons)}; {_costs(graph, ops)}"
        for (rule, accepted), ops in by_cost
    ]


def _named(ops: Sequence[CpuOp]) -> str:
    """Operators by kind and number, as many as can be read."""
    numbers: dict[str, list[str]] = {}
    for op in sorted(ops, key=lambda op: op.source)[:_MOST_NAMED]:
        numbers.setdefault(op.kind, []).append(str(op.source.op))
    told = ", ".join(f"{kind} {', '.join(each)}" for kind, each in numbers.items())
    more = len(ops) - _MOST_NAMED
    return f"{told} and {more:,} more" if more > 0 else told


def _broken(
    rule: str, accepted: str, ops: Sequence[CpuOp], reasons: Mapping[OpRef, Rejection]
) -> str:
    if rule == HAS_OPERATOR:
        # What it has are dozens, of which none does the same.
        return "no NPU of this kind has it: a model would need others in its place"
    found = list(dict.fromkeys(reasons[op.source].found for op in ops))
    others = f" and {len(found) - 1:,} more like it" if len(found) > 1 else ""
    return f"{rule}; it has {found[0]}{others}, and {accepted} would be accepted"


def _costs(graph: NpuGraph, ops: Sequence[CpuOp]) -> str:
    """How long they take depends on the CPU: what is known is what they read and write."""
    passed = f"the CPU reads and writes {kib_text(_passed_bytes(graph, ops))}"
    cuts = _cuts(graph, ops)
    waits = " between two command streams" if cuts == 1 else f" at {cuts} places"
    return f"{passed}, and the NPU waits for it{waits}" if cuts else passed


def _passed_bytes(graph: NpuGraph, ops: Iterable[CpuOp]) -> int:
    maps = [graph.feature_maps[fm] for op in ops for fm in (*op.inputs, *op.outputs)]
    return sum(prod(fm.shape) * fm.dtype.size_bytes for fm in maps if fm.data is None)


def _cuts(graph: NpuGraph, ops: Collection[CpuOp]) -> int:
    """Between how many command streams and their next they stand."""
    cuts = 0
    for steps in graph.steps:
        islands = [place for place, step in enumerate(steps) if not isinstance(step, CpuOp)]
        for before, after in pairwise(islands):
            cuts += any(step in ops for step in steps[before + 1 : after])
    return cuts


def describe(name: str, tips: Sequence[Tip], shown: Settings, graph: NpuGraph) -> Json:
    """Advice as JSON; `options` and `edit` ask for what is claimed."""
    return {
        **stamp("advice"),
        "model": name,
        "options": list(knobs.command_line(shown)),
        "advice": [
            {
                "topic": tip.topic.value,
                "text": deed_text(tip, shown, graph),
                "effect": effect_text(tip),
                "because": None if tip.because is None else _because(tip.because),
                "options": list(knobs.command_line(tip.settings)),
                "edit": None if tip.edit is None else to_plain(tip.edit),
                "tells_cycles": tip.tells_cycles,
                "before": _effect(tip.before),
                "after": _effect(tip.after),
            }
            for tip in tips
        ],
    }


def _because(because: Because) -> Json:
    return {
        "occasion": because.occasion.value,
        "map": because.map or None,
        "size_bytes": because.size_bytes,
        "channels": because.channels,
        "steps": because.steps,
        "readers": because.readers,
    }


def _effect(effect: Effect) -> Json:
    return {
        "total_cycles": effect.cycles,
        "fast_storage_bytes": effect.fast_bytes,
        "evicted_bytes": effect.evicted_bytes,
        "excess_bytes": effect.excess_bytes,
    }
