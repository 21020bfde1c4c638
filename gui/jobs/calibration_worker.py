"""The process that fits boards to measurements; it gives way to all others. No Qt."""

from __future__ import annotations

import os
import signal
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection

from core.api import calibrations, schedules
from core.base.errors import CoreError, InternalError
from core.base.progress import Cancelled, Progress
from gui.jobs.messages import Calibrate, Calibrated, ErrandEnd, Failed, Quit, Stopped
from gui.jobs.wire import pack
from gui.jobs.worker import HungUp, Line, Watch, internal, one_line

_NICE = 10


def main(pipe: Connection) -> None:
    """Fit what is asked through the pipe; return when it is closed, or when asked to."""
    # Ctrl+C in a terminal is meant for the app, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(_NICE)
    try:
        serve(Line(pipe))
    except HungUp:
        return


def serve(line: Line) -> None:
    """Fit boards until the app quits."""
    while True:
        question: object = line.receive()
        match question:
            case Calibrate(number=number) as asked:
                line.send(pack(answer(asked, Watch(number, line, time.monotonic))))
            case Quit():
                return
            case _:
                # A cancellation: what it was to stop is done.
                pass


def answer(asked: Calibrate, progress: Progress) -> ErrandEnd:
    """Fit one board, whatever happens."""
    number, order = asked.number, asked.order
    try:
        kept = schedules.kept_by_default(os.environ)
        board = calibrations.board_of(order.measured, order.settings, progress, kept)
        return Calibrated(number=number, board=board)
    except Cancelled:
        return Stopped(number=number)
    except HungUp:
        raise
    except Exception as error:  # noqa: BLE001 - one bad log must not end the process
        return _failed(number, error)


def _failed(number: int, error: Exception) -> Failed:
    if isinstance(error, CoreError) and not isinstance(error, InternalError):
        return Failed(number=number, message=one_line(str(error)))
    trace = "".join(traceback.format_exception(error))
    return Failed(number=number, message=internal(error), trace=trace)
