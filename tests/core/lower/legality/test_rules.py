"""Every rule of the tables keeps some operator on the CPU, and says what it found."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from core.base.ids import OpId, OpRef, SubgraphId
from core.ir.freedoms import NONE
from core.ir.options import LoweringOptions
from core.lower.legality.rule import Rule
from core.lower.legality.table import place, rules_of
from core.lower.rewrites.table import REWRITES
from core.target.families.ethos_u55 import FAMILY
from tests.core.lower.legality.accepted import ALSO_GOOD
from tests.core.lower.legality.broken import BROKEN
from tests.core.lower.legality.cases import GOOD, Case, scaled
from tests.core.lower.legality.shaped import turned

RULES = rules_of(FAMILY)
FIRST = OpRef(SubgraphId(0), OpId(0))


def first_broken(case: Case) -> tuple[Rule, str] | None:
    """The first rule of the operator's kind that it breaks."""
    op = case.bound()
    for rule in RULES[case.kind]:
        found = rule.check(op)
        if found is not None:
            return rule, found
    return None


def test_there_is_an_accepted_operator_of_every_kind() -> None:
    assert GOOD.keys() == RULES.keys()


@pytest.mark.parametrize("kind", sorted(GOOD))
def test_an_ordinary_operator_is_accepted(kind: str) -> None:
    assert first_broken(GOOD[kind]) is None


@pytest.mark.parametrize(("what", "case"), ALSO_GOOD, ids=[what for what, _ in ALSO_GOOD])
def test_an_operator_at_the_edge_is_accepted(what: str, case: Case) -> None:
    assert first_broken(case) is None, what


@pytest.mark.parametrize(
    ("text", "found", "case"),
    BROKEN,
    ids=[f"{case.kind}-{text}-{index}" for index, (text, _, case) in enumerate(BROKEN)],
)
def test_an_operator_that_breaks_a_rule_is_told_so(text: str, found: str, case: Case) -> None:
    broken = first_broken(case)
    assert broken is not None
    assert broken[0].text == text
    assert found in broken[1]


def test_every_rule_is_broken_by_some_example() -> None:
    told = {text for text, _, _ in BROKEN}
    assert {rule.text for rules in RULES.values() for rule in rules} == told


def test_a_rule_says_what_it_accepts() -> None:
    for rules in RULES.values():
        assert len(rules) == len(set(rules))
        for rule in rules:
            assert rule.text
            assert rule.accepted
            assert not rule.text.endswith(".")


def test_whatever_may_run_on_the_npu_has_a_rewrite() -> None:
    assert RULES.keys() == REWRITES.keys()


@pytest.mark.parametrize("kind", sorted(RULES))
def test_accepted_operators_are_not_placed_on_the_cpu(kind: str) -> None:
    assert place(GOOD[kind].graph(), FAMILY, LoweringOptions()) == {}


@pytest.mark.parametrize("kind", ["CAST", "DEQUANTIZE", "CUSTOM"])
def test_an_operator_without_a_rewrite_stays_on_the_cpu(kind: str) -> None:
    case = GOOD.get(kind, replace(GOOD["RELU"], kind=kind))
    rejection = place(case.graph(), FAMILY, LoweringOptions())[FIRST]
    assert (rejection.op, rejection.rule) == (FIRST, "The NPU has the operator")
    assert rejection.found == kind
    assert rejection.accepted.startswith("one of ABS, ADD, ")


def test_an_input_that_nothing_makes_keeps_an_operator_on_the_cpu() -> None:
    graph = GOOD["ADD"].graph()
    rejection = place(replace(graph, inputs=graph.inputs[:1]), FAMILY, LoweringOptions())[FIRST]
    assert rejection.rule == "Something makes every input"
    assert rejection.found == "nothing makes 'b'"


@pytest.mark.parametrize("order", [(0, 3, 1, 2), (0, 1, 3, 2)])
def test_orders_that_take_several_steps_are_taken_where_that_is_free(order) -> None:
    graph = turned(order, 1, 4, 6, 8).graph()
    rejection = place(graph, FAMILY, LoweringOptions(freedoms=NONE))[FIRST]
    assert rejection.rule.startswith("A transposition exchanges two dimensions that can be seen")
    assert rejection.found == f"1x4x6x8 in the order {order}"
    assert place(graph, FAMILY, LoweringOptions()) == {}


@pytest.mark.parametrize(
    "what", ["a constant is spread beside another input", "the depth alone", "a mirrored depth"]
)
def test_what_the_older_compiler_refuses_is_taken_where_that_is_free(what: str) -> None:
    graph = dict(ALSO_GOOD)[what].graph()
    rejection = place(graph, FAMILY, LoweringOptions(freedoms=NONE))[FIRST]
    assert rejection.rule in {
        "Only one of the inputs is spread",
        "The depth is reduced only where height, width or depth is 1",
        "The depth is not padded by a mirror image",
    }
    assert place(graph, FAMILY, LoweringOptions()) == {}


@pytest.mark.parametrize("kind", ["CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"])
def test_signed_weights_are_symmetric_unless_they_are_forced_to_be(kind: str) -> None:
    graph = GOOD[kind].input(1, quantization=scaled(0.5, zero_points=(3,))).graph()
    rejection = place(graph, FAMILY, LoweringOptions())[FIRST]
    assert rejection.rule == "Weights for a signed input are symmetric"
    assert rejection.found == "'weights' has zero point 3"
    assert place(graph, FAMILY, LoweringOptions(force_symmetric_int_weights=True)) == {}
