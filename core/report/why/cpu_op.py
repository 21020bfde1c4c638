"""Why an operator is on the CPU, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.npugraph import CpuOp
from core.report.why.facts import Facts, Sentence, listed
from core.report.words import shape_text


def cpu_sentences(facts: Facts, position: int) -> Iterator[Sentence]:
    """Everything that explains an operator on the CPU."""
    op = facts.material.graph.cpu_ops[position]
    title = facts.material.network.operator(op.source).title
    given = maps_text(facts, op.inputs)
    made = maps_text(facts, op.outputs)
    yield Sentence(
        "what it is",
        f"{title} is operator {op.source.op} of the model and runs on the CPU: it"
        f" makes {made or 'nothing'} of {given or 'nothing'}.",
    )
    yield from _reasons(facts, op)
    yield Sentence(
        "cost",
        "How long it takes depends on the CPU, and is not part of the estimate: the accelerator"
        " waits meanwhile.",
    )
    around = between_text(facts, op)
    if around:
        yield Sentence("memory", around)


def _reasons(facts: Facts, op: CpuOp) -> Iterator[Sentence]:
    found = [reason for reason in facts.material.graph.rejections if reason.op == op.source]
    for reason in found:
        yield Sentence(
            "why on the CPU",
            f"It breaks the rule '{reason.rule}'. Found: {reason.found}."
            f" Accepted: {reason.accepted}.",
        )
    if not found:
        yield Sentence(
            "why on the CPU",
            f"The accelerator has no operator for {op.kind}, and no rule was asked about it.",
        )


def maps_text(facts: Facts, fms: tuple[int, ...]) -> str:
    """Maps by name and shape."""
    maps = facts.material.graph.feature_maps
    return listed([f"{facts.map_name(maps[fm].id)} ({shape_text(maps[fm].shape)})" for fm in fms])


def between_text(facts: Facts, op: CpuOp) -> str:
    """The command streams that it cuts apart."""
    for steps in facts.material.graph.steps:
        if op not in steps:
            continue
        place = steps.index(op)
        before = [step for step in steps[:place] if not isinstance(step, CpuOp)]
        after = [step for step in steps[place + 1 :] if not isinstance(step, CpuOp)]
        if before and after:
            return (
                f"It stands between command streams {before[-1]} and {after[0]}; what passes from"
                " one to the other must exist whole."
            )
    return ""
