"""The process that tries what would help; it gives way to all others. No Qt."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from multiprocessing.connection import Connection

from core.api import advices, schedules
from core.base.errors import CoreError
from core.base.progress import Cancelled, Progress
from gui.jobs.desk import Desk
from gui.jobs.messages import Advise, Advised, Quit
from gui.jobs.wire import pack
from gui.jobs.worker import HungUp, Line, Watch, one_line

_NICE = 10


def main(pipe: Connection) -> None:
    """Answer what comes through the pipe; return when it is closed, or when asked to."""
    # Ctrl+C in a terminal is meant for the app, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(_NICE)
    try:
        serve(Desk(schedules.kept_by_default(os.environ)), Line(pipe))
    except HungUp:
        return


def serve(desk: Desk, line: Line) -> None:
    """Try what would help documents until the app quits."""
    while True:
        question: object = line.receive()
        match question:
            case Advise(number=number):
                with suppress(Cancelled):
                    advise(desk, question, line, Watch(number, line, time.monotonic))
            case Quit():
                return
            case _:
                # A cancellation: what it was to stop is done.
                pass


def advise(desk: Desk, question: Advise, line: Line, progress: Progress) -> None:
    """Tell of each tip as soon as it was tried, and of the end."""
    tips: list[advices.Tip] = []
    message = ""
    try:
        for tip in desk.advice(question.document, progress):
            tips.append(tip)
            line.send(pack(Advised(number=question.number, tips=advices.in_order(tips))))
    except CoreError as error:
        message = one_line(str(error))
    told = advices.in_order(tips)
    end = Advised(number=question.number, tips=told, is_done=True, message=message)
    line.send(pack(end))
