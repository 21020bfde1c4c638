"""The boxes of slices, held against numpy; the factors of resizing, against multiplication."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InternalError
from core.lower.slicing import SliceBox, integers, scale_factor, slice_box, upscale_factor
from tests.core.lower.legality.cases import GOOD, Case, const, fm

SHAPES = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple)
ENTRIES = st.integers(-9, 9)


def taken(box: SliceBox, array: np.ndarray) -> np.ndarray:
    parts = zip(box.begin, box.end, box.strides, strict=True)
    return array[tuple(slice(begin, end, step) for begin, end, step in parts)]


@st.composite
def strided_slices(draw: Any) -> tuple[Case, Any]:
    """A slice and what numpy takes for it: for each entry a range, one element, or a new axis."""
    shape = draw(SHAPES)
    expression: list[Any] = []
    columns: dict[str, list[int]] = {"begin": [], "end": [], "strides": []}
    masks = dict.fromkeys(("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    remaining = list(shape[: draw(st.integers(0, len(shape)))])
    adds = draw(st.booleans())
    entry = 0
    while remaining or (adds and entry < 5 and draw(st.booleans())):
        begin, end, step = draw(ENTRIES), draw(ENTRIES), draw(st.integers(1, 3))
        for name, value in zip(columns, (begin, end, step), strict=True):
            columns[name].append(value)
        if not remaining or (adds and draw(st.booleans())):
            masks["new_axis_mask"] |= 1 << entry
            expression.append(None)
        elif not adds and draw(st.booleans()):
            size = remaining.pop(0)
            columns["begin"][-1] = begin % (2 * size) - size
            masks["shrink_axis_mask"] |= 1 << entry
            # Interpreters let the mask win.
            opens = draw(st.booleans())
            masks["begin_mask"] |= opens << entry
            expression.append(0 if opens else columns["begin"][-1])
        else:
            remaining.pop(0)
            opens, closes = draw(st.booleans()), draw(st.booleans())
            masks["begin_mask"] |= opens << entry
            masks["end_mask"] |= closes << entry
            expression.append(slice(None if opens else begin, None if closes else end, step))
        entry += 1
    parameters = (const(name, values) for name, values in columns.items())
    case = GOOD["STRIDED_SLICE"].option(**masks)
    inputs = (fm("x", *shape), *parameters)
    return Case(case.kind, inputs, case.outputs, case.options), tuple(expression)


@given(strided_slices())
def test_a_strided_slice_takes_what_numpy_takes(drawn: tuple[Case, Any]) -> None:
    case, expression = drawn
    shape = case.inputs[0].shape  # type: ignore[union-attr]
    array = np.arange(int(np.prod(shape))).reshape(shape)
    box = slice_box(case.bound())
    expected = array[expression]
    assert taken(box, array).reshape(-1).tolist() == expected.reshape(-1).tolist()
    if expected.size:
        assert int(np.prod(box.extent)) == expected.size


@given(SHAPES, st.data())
def test_a_slice_takes_what_numpy_takes(shape: tuple[int, ...], data: st.DataObject) -> None:
    begin = [data.draw(st.integers(0, dim - 1)) for dim in shape]
    size = [
        data.draw(st.just(-1) | st.integers(1, dim - start))
        for dim, start in zip(shape, begin, strict=True)
    ]
    inputs = (fm("x", *shape), const("begin", begin), const("size", size))
    array = np.arange(int(np.prod(shape))).reshape(shape)
    box = slice_box(Case("SLICE", inputs, (fm("y"),)).bound())
    expected = array[
        tuple(
            slice(start, None if count < 0 else start + count)
            for start, count in zip(begin, size, strict=True)
        )
    ]
    assert taken(box, array).tolist() == expected.tolist()
    assert box.extent == expected.shape


def test_a_box_that_is_computed_at_run_time_is_an_error() -> None:
    with pytest.raises(InternalError, match="no constant box"):
        slice_box(GOOD["SLICE"].input(1, data=None).bound())


@given(st.integers(1, 9), st.integers(1, 9), st.booleans())
def test_a_scale_factor_leads_from_one_size_to_the_other(
    given_size: int, factor: int, is_aligned: bool
) -> None:
    less = 1 if is_aligned else 0
    made = (given_size - less) * factor + less
    found = scale_factor(given_size, made, is_aligned=is_aligned)
    assert found == (1 if is_aligned and given_size == 1 else factor)


@given(st.integers(0, 9), st.integers(0, 30), st.booleans())
def test_a_scale_factor_is_whole_or_none(given_size: int, made: int, is_aligned: bool) -> None:
    less = 1 if is_aligned else 0
    found = scale_factor(given_size, made, is_aligned=is_aligned)
    if found is not None:
        assert (given_size - less) * found == made - less


def test_the_factor_of_a_resize_is_that_of_the_dimension_that_grows() -> None:
    row = GOOD["RESIZE_BILINEAR"].input(0, shape=(1, 1, 6, 8)).output(shape=(1, 1, 48, 8))
    assert upscale_factor(row.bound()) == 8
    assert upscale_factor(GOOD["RESIZE_BILINEAR"].bound()) == 2


def test_integers_are_read_from_constants_only() -> None:
    assert integers(const("axes", ((1, -2), (3, 4)))) == (1, -2, 3, 4)
    assert integers(const("axis", 5)) == (5,)
    assert integers(fm("x", 2)) is None
    assert integers(None) is None
