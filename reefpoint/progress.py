"""Who is told how far a long computation is: a function, or a bar where somebody looks."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.base.progress import SILENT, Progress

Watcher = Callable[[str, int, int], None]
"""Is told the name of a stage, how many of its steps are done, and how many there are; what it
raises ends the computation."""


class _Told(Frozen):
    watcher: Watcher

    def advance(self, stage: str, done: int, total: int) -> None:
        self.watcher(stage, done, total)


@contextmanager
def watched(progress: Watcher | bool) -> Iterator[Progress]:  # noqa: FBT001 - as users give it
    """Progress that tells a function, or draws a bar; nobody is told where nobody looks."""
    if callable(progress):
        yield _Told(watcher=progress)
    elif not isinstance(progress, bool):
        raise OptionError(f"progress has to be a function, True or False, and not {progress!r}")
    elif progress and _is_seen():
        with _bar() as bar:
            yield bar
    else:
        yield SILENT


def _is_seen() -> bool:
    """Whether there is somebody to see a bar, and something to draw it."""
    if importlib.util.find_spec("rich") is None:
        return False
    in_notebook = "ipykernel" in sys.modules
    if in_notebook:
        return importlib.util.find_spec("ipywidgets") is not None
    return sys.stderr.isatty()


@contextmanager
def _bar() -> Iterator[Progress]:
    # It need not be there.
    console = import_module("rich.console").Console(stderr=True)
    with import_module("rich.progress").Progress(console=console, transient=True) as rich:
        task = rich.add_task("starting", total=None)

        def moved(stage: str, done: int, total: int) -> None:
            rich.update(task, description=stage, completed=done, total=total or None)

        yield _Told(watcher=moved)
