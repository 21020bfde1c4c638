"""Processes of the app that are forked from one that has loaded what they need.

A process that is started as the app starts it loads modules for longer than a small network takes
to schedule. Tests of the whole window start hundreds and are about other things; `tests/gui/jobs`
has what is said of starts.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any, NamedTuple

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


class Ended(NamedTuple):
    """A process that has ended."""

    exit_code: int | None
    out: str
    err: str


def ended(folder: Path, work: Callable[..., int], *given: Any) -> Ended:
    """What work in a process of its own writes, into files of a folder, and returns."""
    paths = (folder / "stdout", folder / "stderr")
    with forked_processes():
        process = multiprocessing.get_context("spawn").Process(
            target=_written, args=(paths, work, given)
        )
        process.start()
        process.join()
    return Ended(process.exitcode, *(path.read_text("utf-8") for path in paths))


def _written(paths: tuple[Path, Path], work: Callable[..., int], given: tuple[Any, ...]) -> None:
    for number, path in enumerate(paths, 1):
        with path.open("wb") as file:
            os.dup2(file.fileno(), number)
    sys.exit(work(*given))
