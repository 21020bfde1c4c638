"""How far cascades may reach: so many operators, and more only where somebody asks for them."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from core.base.frozen import replace
from core.base.geometry import Kernel
from core.ir.npugraph import OpKind
from core.schedule.bonds import Bonds
from core.schedule.branches import flow
from tests.core.schedule.chains import Link, chain
from tests.core.schedule.sketch import bench

LINKS = [Link(OpKind.CONV_2D, 16, Kernel(h=3, w=3))] * 8
PROBLEM = bench(chain(LINKS, 32)).problem


def lengths(problem=PROBLEM) -> list[int]:
    """By last operator: of how many the longest cascade is."""
    earliest = flow.Flow(problem).earliest
    return [last - first + 1 for last, first in enumerate(earliest)]


def test_a_cascade_may_have_all_operators_of_a_short_chain():
    assert lengths() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_no_cascade_has_more_than_so_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flow, "_MOST_NODES", 3)
    assert lengths() == [1, 2, 3, 3, 3, 3, 3, 3]


def test_one_that_is_asked_for_has_as_many_as_it_should(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flow, "_MOST_NODES", 3)
    asked = Bonds(chains=MappingProxyType(dict.fromkeys(range(1, 7), (1, 6))))
    assert lengths(replace(PROBLEM, bonds=asked)) == [1, 2, 3, 3, 4, 5, 6, 3]
