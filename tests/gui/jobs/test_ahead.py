"""Limits near by are worked out before somebody moves there, and answers stay what they were."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.api import edits
from core.base.frozen import replace
from core.base.ids import NpuOpId
from core.base.progress import Cancelled
from core.cost import model
from core.ir.edits import Edit, WeightsAsked, What
from core.ir.options import Search
from core.pipeline import scheduled
from core.pipeline.around import Grounded
from gui.jobs.ahead import limits_around
from gui.jobs.desk import Desk
from gui.present.units import KIB
from tests.gui.answers import document_of

LIMIT = 20 * KIB
NEAR = 17 * KIB
"""None of those that are worked out."""


def asked(limit_bytes, **options):
    return document_of("kws_dscnn", limit_bytes=limit_bytes, **options)


@pytest.fixture
def chosen(monkeypatch):
    """For how many operators blocks were chosen, call by call."""
    counts = []
    choose = model.choose_blocks

    def counted(rates, questions):
        counts.append(len(questions))
        return choose(rates, questions)

    monkeypatch.setattr(model, "choose_blocks", counted)
    return counts


@given(limit=st.integers(0, 1 << 24), most=st.integers(0, 1 << 24))
def test_the_nearest_limits_come_first_and_none_is_above_what_is_taken(limit, most):
    found = list(limits_around(limit, most))
    assert all(0 < near < most for near in found)
    middle = min(limit, most)
    distances = [abs(near - middle) for near in found]
    assert all(before <= after + 2 * 16 for before, after in pairwise(distances))
    if middle >= 32:
        assert min(found) < middle


def test_a_limit_near_by_chooses_no_blocks_once_it_was_made_ready(chosen):
    desk, fresh = Desk(), Desk()
    for each in (desk, fresh):
        each.solve(asked(LIMIT, search=Search.DIRECT))
    desk.make_ready(asked(LIMIT, search=Search.DIRECT))
    chosen.clear()
    answer = desk.solve(asked(NEAR, search=Search.DIRECT))
    assert sum(chosen) == 0
    cold = fresh.solve(asked(NEAR, search=Search.DIRECT))
    assert sum(chosen) > 0
    assert answer.scheduled == cold.scheduled


def test_the_best_search_has_a_front_instead(chosen):
    desk = Desk()
    desk.make_ready(asked(LIMIT, search=Search.BEST))
    assert chosen == []


def test_the_first_edit_finds_that_ready_which_it_is_around(monkeypatch):
    made = []

    def counted(*parts):
        made.append(parts)
        return Grounded(*parts)

    monkeypatch.setattr(scheduled, "Grounded", counted)
    desk, document = Desk(), asked(LIMIT, search=Search.DIRECT)
    shown = desk.solve(document).scheduled
    desk.make_ground(document)
    assert len(made) == 1
    name = edits.Names.of(shown.graph).ops[NpuOpId(1)]
    edit = Edit(subject=name, what=What.WEIGHTS, value=WeightsAsked(buffers=0))
    around = replace(document, around=edits.shown_of(shown)).with_edits((edit,))
    answer = desk.solve(around).scheduled
    assert len(made) == 1
    assert answer == Desk().solve(around).scheduled


def test_whoever_asks_does_not_wait_until_it_is_ready():
    class Asking:
        def advance(self, *_):
            raise Cancelled

    desk = Desk()
    desk.solve(asked(LIMIT, search=Search.DIRECT))
    with pytest.raises(Cancelled):
        desk.make_ready(asked(LIMIT, search=Search.DIRECT), Asking())
