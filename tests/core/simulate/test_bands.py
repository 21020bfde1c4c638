"""What is worked on row by row, because maps are large, is what it is as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ir.npugraph import Rounding
from core.simulate import scaling


@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)),
    most=st.integers(1, 40),
    form=st.sampled_from(["one", "channels", "places"]),
    rounding=st.sampled_from(list(Rounding)),
    seed=st.integers(0, 99),
)
def test_scaling_in_bands_changes_nothing(shape, most, form, rounding, seed):
    drawn = np.random.default_rng(seed)
    values = drawn.integers(-(1 << 24), 1 << 24, shape)
    of = {"one": None, "channels": shape[2:], "places": (*shape[:2], 1)}[form]
    multiplier = 1 << 20 if of is None else drawn.integers(1 << 20, 1 << 21, of)
    shift = 33 if of is None else drawn.integers(20, 40, of)
    if rounding is Rounding.TRUNCATE:
        shift = 33
    whole = scaling.scaled(values, multiplier, shift, rounding)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scaling, "MOST_ELEMENTS", most)
        parts = scaling.scaled(values, multiplier, shift, rounding)
        rows = list(scaling.bands(values))
    np.testing.assert_array_equal(parts, whole)
    assert [at for part in rows for at in range(shape[0])[part]] == list(range(shape[0]))
