"""The process that makes exports: it has a desk, and a studio, of its own."""

from __future__ import annotations

import os
import signal
import time
import traceback
from multiprocessing.connection import Connection

from core.api import schedules
from core.base.errors import CoreError, InternalError
from core.base.files import write_whole
from core.base.outputs import demand_outputs
from core.base.progress import Cancelled, Progress
from gui.document.answer import Answer
from gui.export.beside import files_beside, outputs_beside
from gui.export.make import Job, job_as_shown, job_of, make
from gui.export.orders import Order
from gui.export.studio import QtStudio
from gui.jobs.desk import Desk
from gui.jobs.messages import ErrandEnd, Export, Exported, Failed, Quit, Stopped
from gui.jobs.wire import pack, unpack
from gui.jobs.worker import HungUp, Line, Watch, internal, one_line


def main(pipe: Connection) -> None:
    """Make what is ordered through the pipe; return when it is closed, or when asked to."""
    # Ctrl+C in a terminal is meant for the app, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    desk, line, studio = Desk(schedules.kept_by_default(os.environ)), Line(pipe), QtStudio()
    try:
        serve(desk, line, studio)
    except HungUp:
        return


def serve(desk: Desk, line: Line, studio: QtStudio) -> None:
    """Make exports until the app quits."""
    while True:
        question: object = line.receive()
        match question:
            case Export() as export:
                watch = Watch(export.number, line, time.monotonic)
                line.send(pack(answer(desk, export, studio, watch)))
            case Quit():
                return
            case _:
                # A cancellation: what it was to stop is done.
                pass


def answer(desk: Desk, export: Export, studio: QtStudio, progress: Progress) -> ErrandEnd:
    """Make and write one export, whatever happens."""
    number = export.number
    try:
        return _export(desk, export, studio, progress)
    except Cancelled:
        return Stopped(number=number)
    except HungUp:
        raise
    except Exception as error:  # noqa: BLE001 - one bad export must not end the process
        return _failed(number, error)


def _export(desk: Desk, export: Export, studio: QtStudio, progress: Progress) -> Exported:
    order = export.order
    assert isinstance(order, Order)
    # Before any work is done: what cannot be written need not be made.
    document, path = export.document, order.output.path
    outputs = [order.output, *outputs_beside(document, order, path)]
    demand_outputs(outputs, order.inputs(document), replaces=order.replaces)
    made = make(_job(desk, export, studio, progress), order)
    # From here on there is no way back.
    progress.advance("writing", 0, 1)
    files = {path: made.content} | files_beside(document, order, path)
    write_whole(files)
    return Exported(number=export.number, paths=tuple(map(str, files)), notes=made.notes)


def _job(desk: Desk, export: Export, studio: QtStudio, progress: Progress) -> Job:
    if not export.shown:
        return job_of(export.document, desk, studio, progress)
    # What is shown refers to the network that is worked out here.
    desk.bench(export.document, progress)
    shown: Answer = unpack(export.shown, desk.known_runs)
    return job_as_shown(shown, desk, studio, progress)


def _failed(number: int, error: Exception) -> Failed:
    if isinstance(error, CoreError) and not isinstance(error, InternalError):
        return Failed(number=number, message=one_line(str(error)))
    trace = "".join(traceback.format_exception(error))
    return Failed(number=number, message=internal(error), trace=trace)
