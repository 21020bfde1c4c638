"""A process with a pipe to it; no Qt, so that it can get ready while Qt is loaded here."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from core.base.frozen import NamedTuple
from core.base.unheard import start_unheard

Entry = Callable[..., None]
"""It takes the far end of the pipe, and what else it is given."""


class Spawned(NamedTuple):
    """A process that has been started, and our end of its pipe."""

    process: BaseProcess
    pipe: Connection


def spawn(entry: Entry, *given: object) -> Spawned:
    """Start a process that shares nothing with this one."""
    context = multiprocessing.get_context("spawn")
    pipe, far_end = context.Pipe()
    process = context.Process(target=entry, args=(far_end, *given), daemon=True)
    start_unheard(process)
    # Only the process holds it now, so that its end is the end of the pipe.
    far_end.close()
    return Spawned(process, pipe)
