"""The original is computed while the compiled model runs."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import numpy as np
import pytest

from core.pipeline.proof import litert
from core.pipeline.proof.ahead import expected
from core.pipeline.proof.random_inputs import random_inputs
from core.tflite import reader
from tests.core.pipeline.planted import example

KWS = reader.read(example("kws_dscnn"))
INPUTS = [random_inputs(KWS, 0, number) for number in range(3)]


def test_each_input_has_what_litert_makes_of_it():
    found = list(expected(KWS, INPUTS))
    assert [one.given for one in found] == INPUTS
    for one in found:
        made = one.made.result()
        for number, value in litert.compute(KWS, one.given).items():
            assert np.array_equal(made[number], value)


def test_the_next_input_is_computed_before_it_is_asked_for_and_no_other(monkeypatch):
    run, begun = litert.Session.run, [threading.Event() for _ in INPUTS]

    def told(session, given):
        next(event for event in begun if not event.is_set()).set()
        return run(session, given)

    monkeypatch.setattr(litert.Session, "run", told)
    with closing(expected(KWS, INPUTS)) as computed:
        next(computed).made.result()
        assert begun[1].wait(60)
        assert not begun[2].is_set()


def test_who_asks_for_an_input_need_not_wait_for_what_is_made_of_it(monkeypatch):
    run, may_go_on = litert.Session.run, threading.Event()

    def held(session, given):
        assert may_go_on.wait(60)
        return run(session, given)

    monkeypatch.setattr(litert.Session, "run", held)
    with closing(expected(KWS, INPUTS)) as computed:
        first = next(computed)
        assert first.given == INPUTS[0]
        assert not first.made.done()
        may_go_on.set()
        assert first.made.result()


def test_who_breaks_off_does_not_wait_for_what_is_computed_ahead(monkeypatch):
    run, asked = litert.Session.run, []

    def late(session, given):
        asked.append(given)
        if len(asked) == 2:
            # As if LiteRT were at work: nothing comes until its process has ended.
            session._process._popen.wait(60)
        return run(session, given)

    monkeypatch.setattr(litert.Session, "run", late)
    computed = expected(KWS, INPUTS)
    next(computed).made.result()
    start = time.monotonic()
    computed.close()
    assert time.monotonic() - start < 30


def test_an_input_on_which_litert_ends_itself_is_told_and_the_next_ones_are_computed(monkeypatch):
    run, asked = litert.Session.run, []

    def ends_once(session, given):
        asked.append(given)
        if len(asked) == 2:
            raise litert.Ended("LiteRT ends itself")
        return run(session, given)

    monkeypatch.setattr(litert.Session, "run", ends_once)
    made = [one.made.result() for one in expected(KWS, INPUTS)]
    assert [isinstance(one, litert.Ended) for one in made] == [False, True, False]


def test_operators_on_the_cpu_do_not_wait_for_what_is_computed_ahead():
    ahead, own = litert._process(is_ahead=True), litert._process()
    assert ahead is not own
    with ahead._lock:
        litert.compute(KWS, INPUTS[0])


@pytest.fixture(autouse=True)
def _no_process_is_left_that_waits():
    yield
    litert.end_ahead()
