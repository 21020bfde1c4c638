"""Where the worker process begins: whoever starts it need not load what it works with."""

from __future__ import annotations

from multiprocessing.connection import Connection

from gui.document.document import Document


def main(pipe: Connection, first: Document | None = None) -> None:
    """Answer what comes through the pipe; what is asked first can be told before."""
    from gui.jobs import worker  # in that process alone

    worker.main(pipe, first)
