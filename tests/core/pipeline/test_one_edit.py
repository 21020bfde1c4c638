"""The direct search is never worse than itself with one edit that is honoured."""

from __future__ import annotations

import pytest

from tests.core.pipeline.one_edit import CELLS, SMALL, Breach, Cell, breaches, complaints, told

TOLD = told()
MATRIX = [
    pytest.param(cell, marks=[pytest.mark.slow] * (cell not in SMALL), id=str(cell))
    for cell in CELLS
]


@pytest.mark.parametrize("cell", MATRIX)
def test_no_single_edit_makes_it_faster_but_for_the_breaches_of_today(cell: Cell):
    assert complaints(breaches(cell), TOLD.get(str(cell), {})) == []


def test_the_list_is_of_cells_that_there_are():
    assert TOLD.keys() <= {str(cell) for cell in CELLS}


@pytest.mark.parametrize(
    ("ratio", "listed", "said"),
    [
        (1.02, None, "is a new breach"),
        (1.02, 1.015, "got worse"),
        (1.02, 1.0199, ""),
        (1.02, 1.03, "is less: write 1.020"),
        (None, 1.02, "take its line out"),
        (None, None, ""),
    ],
)
def test_the_list_may_only_shrink(ratio, listed, said):
    found, before = (
        {} if value is None else {"never": Breach("never", value, "all")}
        for value in (ratio, listed)
    )
    text = " ".join(complaints(found, before))
    assert said in text
    assert bool(said) == bool(text)
