"""Processes of the app that are forked from one that has loaded what they need.

A process that is started as the app starts it loads modules for longer than a small network takes
to schedule. Tests of the whole window start hundreds and are about other things; `tests/gui/jobs`
has what is said of starts.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any

import pytest

LOADED = [
    "__main__",
    # With pytest, which each process would load anew to learn what it is.
    __name__,
    "gui.jobs.worker",
    "gui.jobs.advice_worker",
    "gui.jobs.errand_worker",
]


class _Process(ForkServerProcess):
    """Has the environment of whoever starts it, not that of when the first was started."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._environment = dict(os.environ)

    def run(self) -> None:
        os.environ.clear()
        os.environ.update(self._environment)
        super().run()


class _Context(ForkServerContext):
    Process = _Process


@contextmanager
def forked_processes() -> Iterator[None]:
    """Fork what the app would start anew; where a system cannot fork, it is started."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        yield
        return
    context = _Context()
    context.set_forkserver_preload(LOADED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", lambda _: context)
        yield
