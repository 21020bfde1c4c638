"""Rules for FULLY_CONNECTED."""

from __future__ import annotations

from core.lower.legality.common import SAME_TYPE, ifm_of, takes_inputs
from core.lower.legality.factors import WEIGHTED
from core.lower.legality.rule import AnyRule, LimitRule, Rule, shapes_of
from core.lower.legality.weights import BIAS_RULES, WEIGHT_RULES, weights_of
from core.lower.source import SourceOp
from core.target.limits import OperatorLimits


def _other_matrix(op: SourceOp) -> str | None:
    weights = weights_of(op)
    return None if len(weights.shape) == 2 else shapes_of([weights])


_WEIGHTS_ARE_MATRIX = Rule(
    text="Weights are a matrix", accepted="2 dimensions: outputs, inputs", check=_other_matrix
)


def _not_rows(op: SourceOp) -> str | None:
    ifm, weights = ifm_of(op), weights_of(op)
    is_rows = len(ifm.shape) != 1 and ifm.elements % weights.shape[1] == 0
    return None if is_rows else shapes_of((ifm, weights))


_INPUT_IS_ROWS = Rule(
    text="The input falls into rows that the weights multiply",
    accepted="2 dimensions or more, of a multiple of the weights' inputs",
    check=_not_rows,
)


def _too_many_rows(op: SourceOp, limits: OperatorLimits) -> str | None:
    rows = ifm_of(op).elements // weights_of(op).shape[1]
    return f"{rows} rows" if rows > limits.greatest_dimension else None


_ROWS_FIT = LimitRule(
    text="The rows of a matrix product fit one dimension",
    accepted=lambda limits: f"up to {limits.greatest_dimension} rows",
    check=_too_many_rows,
)


def _lost_dimensions(op: SourceOp) -> str | None:
    ifm, keeps = ifm_of(op), op.options.flag("keep_num_dims")
    lost = keeps and len(ifm.shape) != len(op.ofm.shape)
    return shapes_of((ifm, op.ofm)) if lost else None


_KEEPS_DIMENSIONS = Rule(
    text="The output has the input's dimensions where the operator says so",
    accepted="as many dimensions as the input",
    check=_lost_dimensions,
)


def _other_product(op: SourceOp) -> str | None:
    ifm, weights = ifm_of(op), weights_of(op)
    expected = ifm.elements // weights.shape[1] * weights.shape[0]
    fits = op.ofm.elements == expected and op.ofm.shape[-1] == weights.shape[0]
    return None if fits else shapes_of((ifm, weights, op.ofm))


_OUTPUT_IS_PRODUCT = Rule(
    text="The output has each row's outputs",
    accepted="rows of the input x outputs of the weights",
    check=_other_product,
)


def _shuffled(op: SourceOp) -> str | None:
    layout = op.options.integer("weights_format")
    return f"weights format {layout}" if layout else None


_WEIGHTS_ARE_IN_ORDER = Rule(
    text="Weights are stored in order", accepted="weights format 0", check=_shuffled
)

INPUTS = {"FULLY_CONNECTED": takes_inputs(2, 3, optional=(2,))}
SPECIFIC: dict[str, tuple[AnyRule, ...]] = {
    "FULLY_CONNECTED": (
        SAME_TYPE,
        _WEIGHTS_ARE_MATRIX,
        _INPUT_IS_ROWS,
        _ROWS_FIT,
        _KEEPS_DIMENSIONS,
        _OUTPUT_IS_PRODUCT,
        _WEIGHTS_ARE_IN_ORDER,
        *WEIGHT_RULES,
        *BIAS_RULES,
        WEIGHTED,
    ),
}
