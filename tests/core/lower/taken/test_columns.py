"""Windows that move along a single column in long steps, which have neighbours along a row."""

from __future__ import annotations

import pytest

from core.ir.options import LoweringOptions
from core.lower.run import run
from core.target.resolve import resolve
from tests.core.lower.legality.cases import GOOD, Case
from tests.core.lower.taken.holding import holds
from tests.core.lower.taken.variants import Variant

SMALL = resolve("ethos-u55-128").accelerator


def along(kind: str, rows: int, window: int, stride: int) -> Case:
    case = GOOD[kind].input(0, shape=(1, rows, 1, 4))
    case = case.output(shape=(1, (rows - window) // stride + 1, 1, 6 if kind == "CONV_2D" else 4))
    case = case.option(padding=1, stride_h=stride, stride_w=1)
    if kind == "CONV_2D":
        return case.input(1, shape=(6, window, 1, 4))
    return case.option(filter_height=window, filter_width=1)


def operators(case: Case) -> int:
    graph = run(Variant(what="of its own", case=case).network, SMALL, LoweringOptions())
    return len(graph.ops)


@pytest.mark.parametrize(
    ("kind", "window", "stride"),
    [
        ("CONV_2D", 25, 10),
        ("CONV_2D", 10, 10),
        ("CONV_2D", 8, 4),
        ("AVERAGE_POOL_2D", 4, 4),
        ("AVERAGE_POOL_2D", 5, 5),
    ],
)
def test_rows_of_a_column_are_seen_as_channels(kind: str, window: int, stride: int) -> None:
    case = along(kind, 200, window, stride)
    assert operators(case) == 1
    assert holds(case)


@pytest.mark.parametrize(("kind", "window"), [("CONV_2D", 6), ("AVERAGE_POOL_2D", 5)])
def test_what_has_no_whole_steps_is_made_place_by_place(kind: str, window: int) -> None:
    case = along(kind, 41, window, 5)
    assert operators(case) == 8
    assert holds(case)
