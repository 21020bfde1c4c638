"""The process for what is asked once: it fits boards to measurements, tries a model on boards, and
executes what is compiled.

It gives way to all others. No Qt.
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from core.api import boards, calibrations, compiler, networks, proof, schedules, targets
from core.base.errors import CoreError, InternalError, OptionError, about
from core.base.files import read_bytes
from core.base.progress import Cancelled, Progress
from gui.document.answer import Answer
from gui.jobs.desk import Desk
from gui.jobs.messages import (
    BoardsTried,
    Calibrate,
    Calibrated,
    ErrandEnd,
    Failed,
    Prove,
    Proved,
    Quit,
    Stopped,
    TryBoards,
)
from gui.jobs.wire import pack, unpack
from gui.jobs.worker import HungUp, Line, Watch, internal, one_line

_NICE = 10


def main(pipe: Connection) -> None:
    """Do what is asked through the pipe; return when it is closed, or when asked to."""
    # Ctrl+C in a terminal is meant for the app, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(_NICE)
    try:
        serve(Line(pipe))
    except HungUp:
        return


def serve(line: Line) -> None:
    """Answer until the app quits."""
    while True:
        question: object = line.receive()
        match question:
            case Calibrate() | TryBoards() | Prove() as asked:
                line.send(pack(answer(asked, Watch(asked.number, line, time.monotonic))))
            case Quit():
                return
            case _:
                # A cancellation: what it was to stop is done.
                pass


def answer(asked: Calibrate | TryBoards | Prove, progress: Progress) -> ErrandEnd:
    """Do one thing, whatever happens."""
    number = asked.number
    try:
        match asked:
            case Calibrate():
                return _fitted(asked, progress)
            case TryBoards():
                return _tried(asked, progress)
            case Prove():
                return _proved(asked, progress)
    except Cancelled:
        return Stopped(number=number)
    except HungUp:
        raise
    except Exception as error:  # noqa: BLE001 - one bad file must not end the process
        return _failed(number, error)


def _fitted(asked: Calibrate, progress: Progress) -> Calibrated:
    order, kept = asked.order, schedules.kept_by_default(os.environ)
    board = calibrations.board_of(order.measured, order.settings, progress, kept)
    return Calibrated(number=asked.number, board=board)


def _tried(asked: TryBoards, progress: Progress) -> BoardsTried:
    path = Path(asked.model)
    with about(path):
        found = boards.tried_on(path.name, read_bytes(path), targets.BOARDS, progress)
        return BoardsTried(number=asked.number, fits=boards.fitting(found))


def _proved(asked: Prove, progress: Progress) -> Proved:
    model = asked.document.model
    if model is None:
        raise OptionError("there is no model to prove")
    data = proof.data_files(Path(asked.data))
    if asked.original:
        made = read_bytes(Path(model.path))
        if networks.is_of_executorch(made):
            raise OptionError("programs of ExecuTorch are proved by 'reefpoint verify'")
        path, names = Path(asked.original), proof.Names(model.name, Path(asked.original).name)
    else:
        made = _compiled(asked, progress)
        path, names = Path(model.path), proof.Names(f"{model.name}, compiled", model.name)
    found = proof.verify(made, read_bytes(path), progress=progress, names=names, data=data)
    return Proved(number=asked.number, found=found)


def _compiled(asked: Prove, progress: Progress) -> bytes:
    """The file that is compiled of what is shown."""
    desk = Desk()
    workbench = desk.bench(asked.document, progress).workbench
    # What is shown refers to the network that is worked out here.
    shown: Answer = unpack(asked.shown, desk.known_runs)
    if workbench is None:
        raise OptionError("a compiled model is not compiled again")
    return compiler.compile_model(shown.scheduled, progress, encodings=workbench.encodings).data


def _failed(number: int, error: Exception) -> Failed:
    if isinstance(error, CoreError) and not isinstance(error, InternalError):
        return Failed(number=number, message=one_line(str(error)))
    trace = "".join(traceback.format_exception(error))
    return Failed(number=number, message=internal(error), trace=trace)
