"""The weight stream: weights in brick order to bytes and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError
from core.weights.emission import emit
from core.weights.layout import MAX_WEIGHT
from core.weights.palette import codes_of
from core.weights.slices import Effort, plan_streams


def encode_streams(
    weights: Sequence[npt.NDArray[np.int16]], effort: Effort = Effort.FAST, where: str = ""
) -> tuple[bytes, ...]:
    """A stream for each array of weights; what is needed in common is worked out once."""
    counts = np.array([part.size for part in weights], dtype=np.int64)
    if not counts.size or not counts.all():
        raise InputError("there are no weights to encode", where)
    values = np.concatenate(weights) if len(weights) > 1 else weights[0]
    least, greatest = int(values.min()), int(values.max())
    if least < -MAX_WEIGHT or greatest > MAX_WEIGHT:
        found = least if least < -MAX_WEIGHT else greatest
        raise InputError(
            f"a weight less its zero point is {found}; it must be within {MAX_WEIGHT} of 0",
            where,
        )
    plan = plan_streams(codes_of(values), counts, effort)
    return emit(plan.indices.astype(np.uint16), plan.zero_runs, plan.table, counts.size)
