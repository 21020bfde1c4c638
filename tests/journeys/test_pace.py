"""How quick the app is, with room for slow machines; tests/benchmarks/bench_app.py prints more.

`bench_edits.py` has more of decisions.
"""

from __future__ import annotations

import statistics
import sys

import pytest

from core.ir.options import Search
from gui.document.examples import EXAMPLES
from tests.benchmarks import bench_app, bench_edits

pytestmark = pytest.mark.slow

MODEL = EXAMPLES / "mobilenet_v2_035_96.tflite"
SLACK = 2
"""Other processes share the machine."""
GROWTH = 1.05


@pytest.fixture
def app(open_app):
    return open_app(EXAMPLES / "kws_dscnn.tflite")


def test_the_window_is_painted_while_the_compiler_still_works():
    seen = bench_app.measure_start(MODEL, runs=3)
    (paint, busy), (answer, _) = seen["paint"], seen["answer"]
    assert busy < 1.0 * SLACK
    assert paint < answer


def test_the_window_reacts_while_the_compiler_runs(app):
    gaps = bench_app.measure_opening(app, MODEL)
    assert max(gaps) < 50 * SLACK


def test_a_changed_limit_is_seen_soon(app, qtbot):
    app.files.open(str(MODEL))
    qtbot.waitUntil(lambda: app.store.is_current, timeout=60_000)
    times, gaps = bench_app.measure_changes(app, 15)
    assert statistics.median(times) < 0.4 * SLACK
    assert max(gaps) < 50 * SLACK


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")
@pytest.mark.parametrize("target", bench_edits.TARGETS)
def test_decisions_are_seen_soon_and_drags_are_smooth(open_app, target):
    app = open_app(MODEL, search=Search.DIRECT, **bench_edits.TARGETS[target])
    found = bench_edits.measure_gestures(app)
    assert len(found) > len(bench_edits.COMMANDS) / 2
    every = [taken for each in found.values() for taken in each]
    assert statistics.median(each.in_turn for each in every) < 0.3 * SLACK
    for _, seconds in bench_edits.measure_drags(app):
        assert statistics.median(seconds) < SLACK / 30


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")
def test_memory_does_not_grow_over_many_reruns(app):
    first, *_, last = bench_app.measure_memory(app, 200)
    assert last[0] < first[0] * GROWTH
    assert last[1] < first[1] * GROWTH
