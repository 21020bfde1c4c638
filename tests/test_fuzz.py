"""The attacks find what is planted, and find it again."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.errors import InputError
from gui.document import session
from tests.fuzz import watched
from tests.fuzz.campaign import attacked
from tests.fuzz.kind import Inconsistent, Kind
from tests.fuzz.kinds import KINDS
from tests.fuzz.replay import replayed
from tests.fuzz.watched import Case, ending_of

SEEDS = range(150)


def cases(kind, seeds=SEEDS):
    return (Case(kind, KINDS[kind], seed) for seed in seeds)


def case_that(use):
    return Case("made up", Kind("bin", lambda _: None, lambda *_: b"", use), 0)


def test_a_check_that_is_removed_is_found_and_found_again_from_its_file_or_its_number(
    monkeypatch, tmp_path
):
    assert not any(attacked(case, tmp_path).is_finding for case in cases("sessions"))
    monkeypatch.setattr(session, "_at", lambda items, position, _: items[position])
    found = {
        case.seed: ending
        for case in cases("sessions")
        if (ending := attacked(case, tmp_path)).is_finding
    }
    assert found
    assert all(text.strip().endswith("out of range") for _, text in found.values())
    for seed, ending in found.items():
        for name in (tmp_path / f"sessions-{seed}.json", f"sessions-{seed}"):
            assert replayed(str(name)) == ending


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_case_follows_from_its_number(kind):
    once, again = ([case.data() for case in cases(kind, range(5))] for _ in range(2))
    assert once == again
    assert len(set(once)) == 5


def endless(*_):
    while True:
        pass


def greedy(*_):
    np.zeros(1 << 31)


def raises(error):
    def use(*_):
        raise error

    return use


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (endless, "takes too long"),
        (greedy, "takes too much memory"),
        (raises(KeyError("x")), "KeyError"),
        (raises(RecursionError()), "RecursionError"),
        (raises(InputError("")), "other than one line"),
        (raises(Inconsistent("other values")), "other values"),
    ],
)
def test_whatever_is_no_refusal_in_one_line_is_a_finding(use, told, monkeypatch):
    monkeypatch.setattr(watched, "MOST_CPU_SECONDS", 0.1)
    ending = ending_of(case_that(use), b"")
    assert ending.is_finding
    assert told in ending.text


def test_a_refusal_in_one_line_and_a_result_are_fine():
    for told in ("is none", "a name of\ntwo lines is none"):
        assert ending_of(case_that(raises(InputError(told))), b"").word == "refused"
    assert ending_of(case_that(lambda *_: None), b"").word == "accepted"
