"""What an operator computes with, in sentences: padding, scales and zero points, and its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.ids import NpuOpId
from core.ir.npugraph import Activation, ActivationKind, NpuOp, View, Weights
from core.report.why.facts import Facts, Sentence, listed
from core.report.words import counted

_TOPIC = "what it is"


def attribute_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """As the model has it, where that is not the plain case."""
    op = facts.op(number)
    padding = op.padding
    sides = (
        (padding.top, "row", "above"),
        (padding.bottom, "row", "below"),
        (padding.left, "column", "left"),
        (padding.right, "column", "right"),
    )
    padded = [f"{counted(count, noun)} {where}" for count, noun, where in sides if count]
    if padded:
        filled = "with copies of the edge" if op.pads_with_edge else "with its zero point"
        yield Sentence(_TOPIC, f"Its input is padded {filled}: {listed(padded)}.")
    yield Sentence(_TOPIC, f"{_numbers(facts, op)}.")
    if op.alpha is not None:
        yield Sentence(_TOPIC, f"Its slope below zero is {_number(op.alpha)}.")
    if op.activation is not None:
        yield Sentence(_TOPIC, f"{_end(op.activation)}.")


def _numbers(facts: Facts, op: NpuOp) -> str:
    """Types, scales and zero points of all that it reads and makes."""
    parts = [f"Its input is {_stored(facts, op.ifm)}"]
    if op.ifm2 is not None:
        parts.append(f"its second input {_stored(facts, op.ifm2)}")
    if op.weights is not None:
        parts.append(f"its weights have {_weighed(op.weights)}")
    parts.append(f"its output is {_stored(facts, op.ofm)}")
    return listed(parts)


def _stored(facts: Facts, view: View) -> str:
    dtype = facts.material.graph.feature_maps[view.fm].dtype.name.lower()
    if view.quant is None or view.quant.scale is None:
        return f"{dtype}, taken as it is"
    scale, zero = _number(view.quant.scale), _number(view.quant.zero_point)
    return f"{dtype} with a scale of {scale} and a zero point of {zero}"


def _weighed(weights: Weights) -> str:
    zeros = _range([float(zero) for zero in weights.zero_points])
    channels = len(weights.scales)
    each = f"{channels:,} scales from" if channels > 1 else "a scale of"
    return f"{each} {_range(weights.scales)} and a zero point of {zeros}"


def _range(values: Sequence[float]) -> str:
    least, most = min(values, default=0.0), max(values, default=0.0)
    return _number(least) if least == most else f"{_number(least)} to {_number(most)}"


def _number(value: float) -> str:
    """With a sign that is no hyphen."""
    sign = "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{abs(value):,.6g}"


def _end(activation: Activation) -> str:
    """What happens to each value in the end."""
    match activation.kind:
        case ActivationKind.LUT:
            return "Each value that it makes is looked up in a table in the end"
        case ActivationKind.CLAMP:
            ends = (("at least", activation.minimum), ("at most", activation.maximum))
            told = [f"{word} {_number(end)}" for word, end in ends if end is not None]
            return f"What it makes is held to {listed(told)}" if told else "Nothing is cut off"
        case _:
            return f"The end is a {activation.kind.value} of each value"
