"""All rules by kind of operator, and which operators of a subgraph they keep on the CPU."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from types import MappingProxyType

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import OpRef
from core.ir.npugraph import HAS_OPERATOR, Rejection
from core.ir.options import LoweringOptions
from core.lower.forms.table import better_forms, other_forms
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
from core.lower.legality.generic import (
    COMPUTE_AS_STORED,
    HAS_FEW_DIMENSIONS,
    IS_NOT_INT32,
    IS_QUANTISED,
    KEEP_ELEMENTS,
    PADS,
    TAKES_MANY_DIMENSIONS,
    generic_rules,
)
from core.lower.legality.rule import AnyRule, LimitRule, Rule, listed
from core.lower.legality.weights import HAVE_SYMMETRIC_WEIGHTS, SYMMETRIC_WEIGHTS
from core.lower.legality.whole import whole_numbers_fit
from core.lower.on_purpose import NOBODY, Named, rule_of
from core.lower.source import SourceGraph, SourceOp
from core.target.family import Family

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


_RULES: Mapping[str, tuple[AnyRule, ...]] = MappingProxyType(
    {
        kind: (_HAS_OUTPUTS, family.INPUTS[kind], *generic_rules(kind), *rules)
        for family in _FAMILIES
        for kind, rules in family.SPECIFIC.items()
    }
)
_TABLES = MappingProxyType({"first architecture": _RULES})


@lru_cache
def rules_of(family: Family) -> Mapping[str, tuple[Rule, ...]]:
    """What an operator of each kind must keep to run on the NPU, in the order it is asked."""
    table = family.chosen("set of rules", family.algorithms.lowering, _TABLES)
    return MappingProxyType(
        {
            kind: tuple(
                rule.under(family.limits) if isinstance(rule, LimitRule) else rule
                for rule in table[kind]
            )
            for kind in sorted(table)
        }
    )


def place(
    graph: SourceGraph, family: Family, options: LoweringOptions, named: Named = NOBODY
) -> dict[OpRef, Rejection]:
    """The operators that stay on the CPU, each with the first rule that it breaks."""
    judge = _Judge(graph, family, options, named)
    rejected = ((op.ref, judge.first_broken(op)) for op in graph.ops)
    return {ref: rejection for ref, rejection in rejected if rejection is not None}


def in_forms_of_the_npu(
    graph: SourceGraph, family: Family, options: LoweringOptions, named: Named = NOBODY
) -> SourceGraph:
    """The graph with what would stay on the CPU in another form, where the NPU has it in one; and
    in a better form, where there is one."""

    judge = _Judge(graph, family, options)
    rules = rules_of(family)

    def chosen(op: SourceOp) -> SourceOp:
        if op.ref in named or not _is_in_shape(op, rules):
            return op
        forms = chain(better_forms(op, family.limits.longest_stride), (op,), other_forms(op))
        return next((form for form in forms if judge.first_broken(form) is None), op)

    return replace(graph, ops=tuple(chosen(op) for op in graph.ops))


class _Judge:
    """Holds operators of one graph against all that is asked of them."""

    def __init__(
        self,
        graph: SourceGraph,
        family: Family,
        options: LoweringOptions,
        named: Named = NOBODY,
    ) -> None:
        self._family, self._options, self._named = family, options, named
        self._rules = rules_of(family)
        self._first = (_is_known(self._rules), _inputs_are_made(graph))
        self._whole_numbers_fit = whole_numbers_fit(graph)

    def first_broken(self, op: SourceOp) -> Rejection | None:
        """Why an operator stays on the CPU: the first rule that it breaks."""
        for rule in self._asked(op):
            found = rule.check(op)
            if found is not None:
                return rule.broken(op.ref, found)
        return None

    def _asked(self, op: SourceOp) -> Iterator[Rule]:
        if op.ref in self._named:
            yield rule_of(self._named[op.ref])
        yield from self._first
        yield from self._rules.get(op.kind, ())
        if op.kind in COMPUTE_AS_STORED and op.outputs and op.ofm.dtype is DType.INT32:
            yield self._whole_numbers_fit
        yield from _asked_for(op, self._family, self._options)


def _is_in_shape(op: SourceOp, rules: Mapping[str, tuple[Rule, ...]]) -> bool:
    """Whether it has its inputs and outputs, and all of them elements."""
    own = rules.get(op.kind, (_HAS_OUTPUTS,))[:2]
    tensors = [tensor for tensor in (*op.inputs, *op.outputs) if tensor is not None]
    has_all = all(rule.check(op) is None for rule in own)
    return has_all and all(dim >= 1 for tensor in tensors for dim in tensor.shape)


def _is_known(kinds: Collection[str]) -> Rule:
    return Rule(
        text=HAS_OPERATOR,
        accepted=f"one of {listed(kinds)}",
        check=lambda op: None if op.kind in kinds else op.operator.title,
    )


def _asked_for(op: SourceOp, family: Family, options: LoweringOptions) -> Iterator[Rule]:
    if op.kind in HAVE_SYMMETRIC_WEIGHTS and not options.force_symmetric_int_weights:
        yield SYMMETRIC_WEIGHTS
    if options.freedoms.fewer_operators:
        return
    if op.kind in TAKES_MANY_DIMENSIONS:
        yield HAS_FEW_DIMENSIONS.under(family.limits)
    yield from _WITHOUT_FREEDOM.get(op.kind, ())


_WITHOUT_FREEDOM: Mapping[str, tuple[Rule, ...]] = MappingProxyType(
    {
        **dict.fromkeys(KEEP_ELEMENTS | PADS, (IS_NOT_INT32, IS_QUANTISED)),
        **dict.fromkeys(elementwise.BINARY, (elementwise.ONE_INPUT_IS_FULL,)),
        **dict.fromkeys(
            COMPUTE_AS_STORED, (IS_NOT_INT32, IS_QUANTISED, elementwise.ONE_INPUT_IS_FULL)
        ),
        **dict.fromkeys(reduction.MEANS, (reduction.DEPTH_IS_REDUCED_ALONG_ONE,)),
        "DEPTHWISE_CONV_2D": (convolution.MULTIPLIER_IS_ONE,),
        "MIRROR_PAD": (IS_NOT_INT32, padding.DEPTH_IS_NOT_MIRRORED),
        "TRANSPOSE": (IS_NOT_INT32, renaming.EXCHANGES_TWO),
    }
)
"""What the ecosystem's older compiler asks beside the rules of all."""


def _inputs_are_made(graph: SourceGraph) -> Rule:
    def check(op: SourceOp) -> str | None:
        for tensor_id, tensor in zip(op.operator.inputs, op.inputs, strict=True):
            if tensor is None or tensor.data is not None or tensor.is_variable:
                continue
            if tensor_id not in graph.producers and tensor_id not in graph.inputs:
                return f"nothing makes '{tensor.name}'"
        return None

    return Rule(
        text="Something makes every input",
        accepted="inputs of the graph, outputs of its operators, constants, variables",
        check=check,
    )
