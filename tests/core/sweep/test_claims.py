"""Two sweeps on one file: whoever claims a cell is the only one that computes it."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from core.api.sweeps import SweepFile, SweptModel, plan
from core.ir.settings import Settings
from core.sweep.claims import Claims, Life
from core.sweep.file import Known, Sweeper
from core.sweep.work import Ask

ASKED = plan(Settings(), {"limit_bytes": tuple(range(1024, 9 * 1024, 1024))}).asked
ASKS = [Ask(settings=each.swept.digest, target=each.target, options=each.options) for each in ASKED]


def is_open(known: Known | None) -> bool:
    return known is None


def claims(file: SweepFile, name: str, seconds: list[float]) -> Claims:
    """One sweep's, by a clock that a test sets."""
    return Claims(file, is_open, Life(name, lambda: seconds[0], lambda _: None))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s"
    with SweepFile.written(path) as file:
        model = SweptModel(digest="m", name="m.tflite", size_bytes=1)
        file.name([model], [asked.swept for asked in ASKED])
    return path


def test_a_cell_is_of_whoever_claims_it_first(path: Path) -> None:
    with SweepFile.written(path) as one, SweepFile.written(path) as other:
        first, second = claims(one, "first", [0.0]), claims(other, "second", [0.0])
        assert first.take("m", ASKS[:5]) == tuple(ASKS[:5])
        assert second.take("m", ASKS) == tuple(ASKS[5:])
        first.leave()
        assert second.take("m", ASKS[:5]) == tuple(ASKS[:5])


def test_one_that_begins_while_another_is_about_to_claim_keeps_its_cells(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch was computed by both where one began between the other's look and its claim."""
    claim = SweepFile.claim
    with SweepFile.written(path) as one, SweepFile.written(path) as other:
        first, second = claims(one, "first", [0.0]), claims(other, "second", [0.0])

        def interrupted(file: SweepFile, *words: object) -> list[str]:
            if file is other:
                assert first.take("m", ASKS[:5]) == tuple(ASKS[:5])
            return claim(file, *words)  # type: ignore[arg-type] - as given

        monkeypatch.setattr(SweepFile, "claim", interrupted)
        assert second.take("m", ASKS) == tuple(ASKS[5:])


def test_claims_of_one_that_counts_no_more_are_given_to_others(path: Path) -> None:
    seconds = [0.0]
    with SweepFile.written(path) as one, SweepFile.written(path) as other:
        first, second = claims(one, "first", seconds), claims(other, "second", seconds)
        first.take("m", ASKS)
        assert second.take("m", ASKS) == ()
        for seconds[0] in (50.0, 100.0, 150.0):
            first.beat()
            assert second.take("m", ASKS) == ()
        seconds[0] = 211.0
        assert second.take("m", ASKS) == tuple(ASKS)


@pytest.mark.parametrize(("host", "holds"), [(platform.node(), False), ("another", True)])
def test_a_process_that_is_gone_from_this_machine_holds_nothing(
    path: Path, host: str, holds: bool
) -> None:
    gone = os.spawnlp(os.P_NOWAIT, "true", "true")
    os.waitpid(gone, 0)
    with SweepFile.written(path) as one, SweepFile.written(path) as other:
        claims(one, "first", [0.0]).take("m", ASKS)
        one.beat(Sweeper("first", host, gone, 1))
        taken = claims(other, "second", [0.0]).take("m", ASKS)
    assert taken == (() if holds else tuple(ASKS))
