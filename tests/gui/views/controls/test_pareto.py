"""Knobs of the Pareto engine."""

from __future__ import annotations

import pytest

from core.ir.knobs import KNOBS
from core.ir.options import (
    Engine,
    ParetoOptions,
    Search,
)
from tests.gui.answers import answer_of, store_with
from tests.gui.views.controls.handling import choose


@pytest.fixture
def pareto(show):
    return show(store_with(answer_of("kws_dscnn", engine=Engine.PARETO)))


PARETO_KNOBS = {knob.name for knob in KNOBS if knob.engine is Engine.PARETO}


def test_knobs_of_the_pareto_engine_are_there_while_it_is_asked(pareto):
    def shown():
        return {knob for knob in PARETO_KNOBS if pareto.rows[knob].isVisible()}

    assert shown() == PARETO_KNOBS
    assert all(pareto.boxes[knob].accessibleName() for knob in PARETO_KNOBS)
    choose(pareto.boxes["engine"], Engine.CASCADING)
    assert shown() == set()
    choose(pareto.boxes["engine"], Engine.PARETO)
    assert shown() == PARETO_KNOBS


def test_the_schedules_of_the_front_are_offered(pareto):
    front = pareto._store.answer.scheduled.schedule.front
    offered = [choice.value for choice in pareto.boxes["pareto.most_bytes"]._choices]
    assert offered == [None, *(point.peak_bytes for point in front)]


def test_knobs_that_the_pareto_engine_does_not_heed_say_so(show):
    options = ParetoOptions(ifm_streaming=False, most_bytes=16000)
    turned = {"pareto": options, "search": Search.BEST}
    view = show(store_with(answer_of("kws_dscnn", engine=Engine.PARETO, **turned)))
    for knob in ("search", "strategy", "pareto.cascading"):
        assert view.rows[knob].effect.text().startswith("no effect: "), knob
    assert not view.rows["pareto.ifm_streaming"].effect.isVisible()
