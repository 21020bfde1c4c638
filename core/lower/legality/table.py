"""All rules by kind of operator, and which operators of a subgraph they keep on the CPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from core.base.ids import OpRef
from core.ir.npugraph import Rejection
from core.ir.options import LoweringOptions
from core.lower.legality import (
    activation,
    convolution,
    elementwise,
    extended,
    fully_connected,
    joining,
    padding,
    pooling,
    recurrent,
    reduction,
    renaming,
    resize,
    slices,
)
from core.lower.legality.generic import generic_rules
from core.lower.legality.rule import Rule, listed
from core.lower.legality.weights import HAVE_SYMMETRIC_WEIGHTS, SYMMETRIC_WEIGHTS
from core.lower.source import SourceGraph, SourceOp

_FAMILIES = (
    activation,
    convolution,
    elementwise,
    extended,
    fully_connected,
    joining,
    padding,
    pooling,
    recurrent,
    reduction,
    renaming,
    resize,
    slices,
)
_TAKES_APART = frozenset({"SPLIT", "SPLIT_V", "UNPACK"})


def _other_outputs(op: SourceOp) -> str | None:
    count = len(op.outputs)
    return None if count == 1 or (count and op.kind in _TAKES_APART) else f"{count} outputs"


_HAS_OUTPUTS = Rule(
    text="The operator has its outputs",
    accepted=f"1 output; more only of {listed(_TAKES_APART)}",
    check=_other_outputs,
)


def _table(
    inputs: Mapping[str, Rule], specific: Mapping[str, tuple[Rule, ...]]
) -> Mapping[str, tuple[Rule, ...]]:
    return MappingProxyType(
        {
            kind: (_HAS_OUTPUTS, inputs[kind], *generic_rules(kind), *rules)
            for kind, rules in sorted(specific.items())
        }
    )


RULES = _table(
    dict(chain.from_iterable(family.INPUTS.items() for family in _FAMILIES)),
    dict(chain.from_iterable(family.SPECIFIC.items() for family in _FAMILIES)),
)
"""What an operator of each kind must keep to run on the NPU, in the order in which it is asked."""

_IS_KNOWN = Rule(
    text="The NPU has the operator",
    accepted=f"one of {listed(RULES)}",
    check=lambda op: None if op.kind in RULES else op.operator.title,
)


def place(graph: SourceGraph, options: LoweringOptions) -> dict[OpRef, Rejection]:
    """The operators that stay on the CPU, each with the first rule that it breaks."""
    are_made = _inputs_are_made(graph)
    rejected: dict[OpRef, Rejection] = {}
    for op in graph.ops:
        for rule in _rules_for(op, are_made, options):
            found = rule.check(op)
            if found is not None:
                rejected[op.ref] = rule.broken(op.ref, found)
                break
    return rejected


def _rules_for(op: SourceOp, are_made: Rule, options: LoweringOptions) -> Iterator[Rule]:
    yield _IS_KNOWN
    yield are_made
    yield from RULES[op.kind]
    if op.kind in HAVE_SYMMETRIC_WEIGHTS and not options.force_symmetric_int_weights:
        yield SYMMETRIC_WEIGHTS


def _inputs_are_made(graph: SourceGraph) -> Rule:
    known = frozenset((*graph.inputs, *graph.producers))

    def check(op: SourceOp) -> str | None:
        for tensor_id, tensor in zip(op.operator.inputs, op.inputs, strict=True):
            if tensor is None or tensor_id in known:
                continue
            if tensor.data is None and not tensor.is_variable:
                return f"nothing makes '{tensor.name}'"
        return None

    return Rule(
        text="Something makes every input",
        accepted="inputs of the graph, outputs of its operators, constants, variables",
        check=check,
    )
