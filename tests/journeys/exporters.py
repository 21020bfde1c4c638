"""Processes that export, but not as they should."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection
from pathlib import Path

from core.api import compiler, proof
from core.pipeline.proof.verdict import OutputVerdict, Verification
from gui.export import worker


def disproving(pipe: Connection) -> None:
    """Finds that no model computes what it should."""
    wrong = OutputVerdict(
        name="head", elements=4, inputs=1, differing=2, largest=3.0, where="operator 'up3/conv_2d'"
    )
    proof.verify = lambda *_, **__: Verification(outputs=(wrong,), faults=())
    worker.main(pipe)


def stopping_to_think(folder: Path, pipe: Connection) -> None:
    """Never comes to an end of compiling."""

    def think(scheduled, progress, **_):
        del scheduled
        (folder / "thinking").touch()
        while True:
            progress.advance("thinking", 0, 1)
            time.sleep(0.002)

    compiler.compile_model = think
    worker.main(pipe)


def dying(pipe: Connection) -> None:
    """Ends in the middle of compiling."""
    compiler.compile_model = lambda *_, **__: os._exit(9)
    worker.main(pipe)
