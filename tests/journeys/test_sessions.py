"""Whenever the app is killed, the next start offers what was there, and goes on with it."""

from __future__ import annotations

import itertools
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gui.document.examples import EXAMPLES
from gui.document.wares import FORMS, Ware
from gui.export.orders import Order
from tests.gui.running import Oracle
from tests.processes import kill

ROOT = Path(__file__).parents[2]

BOUND_S = 0.3
"""After this long what was done is on the disk."""
SLACK_S = 1.0
"""A machine that has other things to do may take this much longer now and then."""
PATIENCE_S = 60
LOOK_S = 0.02


@dataclass
class Ledger:
    """What processes said, and what the next one may therefore offer."""

    open: list[tuple[float, str]] = field(default_factory=list)
    """What is known to be on the disk, and all that was done after it."""
    is_any_kept: bool = False
    latencies: list[float] = field(default_factory=list)
    offers: int = 0

    def allowed(self, killed: float) -> set[str]:
        """What may be offered: what was done last, unless that was only just done."""
        at = max(
            (at for at, (when, _) in enumerate(self.open) if killed - when > BOUND_S + SLACK_S),
            default=0,
        )
        return {digest for _, digest in self.open[at:]}

    def read(self, lines: list[str], killed_before: float) -> None:
        """Take in what one process said, from its start to its end."""
        offered, is_offer_due = "", self.is_any_kept
        for line in lines:
            word, when, digest = line.split()
            if word == "offered":
                assert digest in self.allowed(killed_before)
                offered, self.offers = digest, self.offers + 1
                self.open = [(float(when), digest)]
            elif word == "restored":
                assert digest == offered
            elif word == "settled":
                assert offered or not is_offer_due, "nothing was offered"
                self.open.append((float(when), digest))
            elif word == "kept":
                self._on_kept(float(when), digest)

    def _on_kept(self, when: float, digest: str) -> None:
        known = [done for _, done in self.open]
        if digest in known:
            at = known.index(digest)
            if at:
                self.latencies.append(when - self.open[at][0])
            self.open = self.open[at:]
        else:
            # What a start opens is kept without anybody having done anything.
            assert not self.is_any_kept
            self.open.insert(0, (when, digest))
        self.is_any_kept = True


def whole_lines(file: Path) -> list[str]:
    """What was said; of the last line there may be half."""
    return [line for line in file.read_text("utf-8").splitlines(keepends=True) if line[-1] == "\n"]


def live_and_die(folder: Path, number: int, dice: random.Random) -> tuple[list[str], float]:
    """Start the app, kill it at some moment; what it said, and when it was killed."""
    said, errors = folder / f"said{number}", folder / f"errors{number}"
    with said.open("wb") as out, errors.open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.journeys.session_use", str(number)],
            cwd=ROOT,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        try:
            # Now and then it does not even come to be used.
            if number and dice.random() < 0.2:
                live(process, dice.uniform(0.1, 2.0))
            else:
                give_up = time.monotonic() + PATIENCE_S
                while not any(word in said.read_text("utf-8") for word in ("settled", "restored")):
                    assert process.poll() is None, errors.read_text("utf-8")
                    assert time.monotonic() < give_up, errors.read_text("utf-8")
                    live(process, LOOK_S)
                live(process, dice.uniform(0, 0.8))
        finally:
            killed = time.monotonic()
            process.kill()
            process.wait()
    told = errors.read_text("utf-8")
    assert process.returncode == -signal.SIGKILL, told
    assert "Traceback" not in told, told
    return whole_lines(said), killed


def live(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Let it do what it does, until it ends by itself, which it must not."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def kill_until(folder: Path, offers: int, seed: int, kept: int = 0) -> Ledger:
    """Kill the app until so many starts have offered what was there, and changes have been kept."""
    ledger, dice, killed = Ledger(), random.Random(seed), 0.0
    for number in itertools.count():
        lines, killed_now = live_and_die(folder, number, dice)
        ledger.read(lines, killed)
        if lines:
            killed = killed_now
        if ledger.offers >= offers and len(ledger.latencies) >= kept:
            break
    return ledger


pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the folder of preferences is moved as on Linux"
)


@pytest.mark.long
def test_what_was_there_is_offered_whenever_the_app_is_killed(tmp_path):
    kill_until(tmp_path, 2, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_what_was_there_is_offered_all_of_fifty_times(tmp_path, seed):
    ledger = kill_until(tmp_path, 5, seed=100 + seed, kept=6)
    assert statistics.median(ledger.latencies) < BOUND_S


@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_an_export_that_is_killed_leaves_what_was_there_or_all_of_it(
    open_app, qtbot, tmp_path, times
):
    app, dice = open_app(EXAMPLES / "kws_dscnn.tflite", make_runner=Oracle), random.Random(times)
    exporter, file = app._exports.exporter, tmp_path / "schedule.json"
    order = Order(ware=Ware.SCHEDULE, path=str(file), form=FORMS[Ware.SCHEDULE][0])
    with qtbot.waitSignal(exporter.ended, timeout=60_000):
        exporter.start(app.store.document, order)
    whole = file.read_bytes()
    for number in range(times):
        before = f"what was there {number}".encode()
        file.write_bytes(before)
        with qtbot.waitSignal(exporter.ended, timeout=60_000):
            exporter.start(app.store.document, order)
            patience_ms = dice.randrange(1, 3000)
            # The process has to start again; then it says now and then how far it is.
            with qtbot.waitSignal(exporter.advanced, timeout=patience_ms, raising=False):
                pass
            # It was told already where the question went to the process killed before.
            if exporter.worker_pid:
                kill(exporter.worker_pid)
        assert file.read_bytes() in (before, whole)
