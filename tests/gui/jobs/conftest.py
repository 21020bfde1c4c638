"""Runners that end with the test, and leave nothing behind."""

from __future__ import annotations

import multiprocessing
import threading

import pytest

from gui.jobs.runner import Runner


@pytest.fixture
def start_runner(qapp):
    """`start_runner(store, **options)`: a runner that has been started."""
    runners = []
    assert qapp
    threads = threading.active_count()

    def start(store, **options):
        runner = Runner(store, **options)
        runners.append(runner)
        runner.start()
        return runner

    yield start
    for runner in runners:
        runner.shutdown()
    assert multiprocessing.active_children() == []
    assert threading.active_count() == threads
