"""How quick the app is, with room for slow machines; tests/benchmarks/bench_app.py prints more."""

from __future__ import annotations

import statistics
import sys

import pytest

from gui.document.examples import EXAMPLES
from tests.benchmarks import bench_app

pytestmark = pytest.mark.slow

MODEL = EXAMPLES / "mobilenet_v2_035_96.tflite"
SLACK = 2
"""Other processes share the machine."""
GROWTH = 1.05


@pytest.fixture
def app(open_app):
    return open_app(EXAMPLES / "kws_dscnn.tflite")


def test_the_window_is_painted_while_the_compiler_still_works():
    paint, answer = bench_app.measure_start(MODEL, runs=3)
    assert paint < 2.0 * SLACK
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
def test_memory_does_not_grow_over_many_reruns(app):
    first, *_, last = bench_app.measure_memory(app, 200)
    assert last[0] < first[0] * GROWTH
    assert last[1] < first[1] * GROWTH
