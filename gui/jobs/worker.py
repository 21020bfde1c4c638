"""The worker process: answers one request after the other until it is told to quit; no Qt."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from core.api import schedules
from core.base.errors import CoreError, InternalError
from core.base.process import keep_memory
from core.base.progress import Cancelled
from gui.document.document import Document
from gui.jobs.desk import Desk
from gui.jobs.messages import (
    Advanced,
    Cancel,
    Done,
    Failed,
    Improved,
    Price,
    Priced,
    Question,
    Quit,
    Ranged,
    Request,
    RunMade,
    SearchedAnew,
    Stopped,
    Tried,
)
from gui.jobs.wire import pack, unpack

REPORT_PAUSE_S = 0.05
"""At most twenty reports a second: nobody reads more."""
READY_PAUSE_S = 0.2
"""Nobody who is still moving something is kept waiting by what may be asked next."""
IDLE_PAUSE_S = 1.0
"""What takes seconds, and is for one of many things that may be asked, waits for longer."""
_NICE = 5
"""Enough for others to go first; whoever asks something else waits until the thread has seen that,
which on a busy machine took half a second with 10."""
LOOK_PAUSE_S = 0.002
"""How often it is looked whether something else is asked."""


class HungUp(Exception):  # noqa: N818 - not an error: the app is gone
    """Nobody is at the other end of the pipe any more."""


class Line:
    """The worker's end of the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def receive(self) -> Question:
        """What is asked next; waits for it."""
        try:
            question: Question = unpack(self._pipe.recv_bytes())
        except (EOFError, OSError) as error:
            raise HungUp from error
        return question

    def has_more(self, within_s: float = 0.0) -> bool:
        """Whether something is asked by then, or nobody will ask any more."""
        try:
            return self._pipe.poll(within_s)
        except OSError as error:
            raise HungUp from error

    def send(self, data: bytes) -> None:
        """Tell the app something that was packed."""
        try:
            self._pipe.send_bytes(data)
        except OSError as error:
            raise HungUp from error


class Watch:
    """Progress that is told to the app, and that ends a computation for whatever comes next."""

    def __init__(self, number: int, line: Line, clock: Callable[[], float]) -> None:
        self._number = number
        self._line = line
        self._clock = clock
        self._next_look = clock()
        self._next_report = clock()

    def advance(self, stage: str, done: int, total: int) -> None:
        """Say where the computation is, unless that was said a moment ago."""
        now = self._clock()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_PAUSE_S
        if self._line.has_more():
            raise Cancelled
        if now >= self._next_report:
            self._next_report = now + REPORT_PAUSE_S
            news = Advanced(number=self._number, stage=stage, done=done, total=total)
            self._line.send(pack(news))


def main(pipe: Connection, first: Document | None = None) -> None:
    """Answer what comes through the pipe; return when it is closed, or when asked to.

    What will be asked first is worked out while the window is made.
    """
    # Ctrl+C in a terminal is meant for the app, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_memory()
    desk, line = Desk(schedules.kept_by_default(os.environ)), Line(pipe)
    try:
        if first is not None:
            foresee(desk, first)
        serve(desk, line)
    except HungUp:
        return


def foresee(desk: Desk, document: Document) -> None:
    """Have at hand what a document is answered with; why there is no answer is told when asked."""
    # Whatever it is, it must not end the process before somebody asks.
    with suppress(Exception):
        desk.glance(document)


def serve(desk: Desk, line: Line) -> None:
    """Answer questions until the app quits."""
    while True:
        match line.receive():
            case Request() as request:
                if (document := answer(desk, request, line)) is not None:
                    number, grows = request.number, request.grows
                    go_on(desk, Price(number=number, document=document, grows=grows), line)
            case Price() as question:
                go_on(desk, question, line)
            case Quit():
                return
            case Cancel():
                # What it was to stop is done.
                pass


def answer(desk: Desk, request: Request, line: Line) -> Document | None:
    """Answer one request, whatever happens; what was answered, if that could be."""
    number, answered = request.number, None
    try:
        end, answered = _solve(desk, request, line)
    except Cancelled:
        end = pack(Stopped(number=number))
    except HungUp:
        raise
    except Exception as error:  # noqa: BLE001 - one bad network must not end the process
        end = pack(_failed(number, error))
    line.send(end)
    return answered


def go_on(desk: Desk, question: Price, line: Line) -> None:
    """Tell the range of what was answered, try what edits cost and what would let refused ones be,
    let the front grow, and make ready for limits near by, until something else is asked."""
    number, document = question.number, question.document
    progress = Watch(number, line, time.monotonic)
    try:
        for place, trial in enumerate(question.trials):
            found, layout = desk.trial(trial, progress) or (None, None)
            line.send(pack(Tried(number=number, place=place, trial=found, layout=layout)))
        if line.has_more(READY_PAUSE_S):
            return
        give_way(partial(_tell_range, desk, question, line, progress))
        if document.edits:
            for edits in desk.prices(document, progress):
                line.send(pack(Priced(number=number, edits=edits)))
        if document.ground is not None:
            anew = desk.anew(document, progress)
            line.send(pack(SearchedAnew(number=number, anew=anew)))
        give_way(partial(desk.make_ground, document, progress))
        if question.grows:
            give_way(partial(_grow, desk, question, line, progress))
            give_way(partial(desk.make_ground, document, progress))
        # Around what is shown, the next is mostly another edit, which would have to wait for it.
        if document.ground is None and not line.has_more(IDLE_PAUSE_S):
            give_way(partial(desk.make_ready, document, progress))
    except (Cancelled, CoreError):
        # They are asked for again with the next answer.
        return


def give_way(work: Callable[[], None]) -> None:
    """Work in a thread that gives way to all others, and return when it has ended.

    A thread that has given way cannot take it back, and what is asked next is not to wait.
    """
    ends: list[BaseException] = []

    def run() -> None:
        if sys.platform == "linux":
            # Here it is the thread's own; elsewhere all of the process would give way for good.
            os.nice(_NICE)
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the thread is awaited
            ends.append(error)

    thread = threading.Thread(target=run, name="giving way")
    thread.start()
    thread.join()
    if ends:
        raise ends[0]


def _tell_range(desk: Desk, question: Price, line: Line, progress: Watch) -> None:
    spread = desk.spread(question.document, progress=progress)
    line.send(pack(Ranged(number=question.number, spread=spread)))


def _grow(desk: Desk, question: Price, line: Line, progress: Watch) -> None:
    begin = time.perf_counter()
    for found in desk.improved(question.document, progress):
        news = Improved(
            number=question.number,
            scheduled=found.scheduled,
            analysis=found.analysis,
            seconds=time.perf_counter() - begin,
            together=found.together,
            spread=desk.spread(question.document, found.scheduled, progress),
        )
        line.send(pack(news, desk.known_runs))


def _solve(desk: Desk, request: Request, line: Line) -> tuple[bytes, Document]:
    begin = time.perf_counter()
    progress = Watch(request.number, line, time.monotonic)
    document = request.document
    if request.adopts is not None:
        document = desk.adopting(document, request.adopts, progress)
    bench = desk.bench(document, progress)
    if bench.key not in request.known_runs:
        line.send(pack(RunMade(key=bench.key, run=bench.run)))
    solution = desk.glance(document, progress)
    done = Done(
        number=request.number,
        scheduled=solution.scheduled,
        analysis=solution.analysis,
        unlimited_bytes=solution.unlimited_bytes,
        seconds=time.perf_counter() - begin,
        adopted=None if request.adopts is None else document,
        together=solution.together,
    )
    return pack(done, {bench.key: bench.run}), document


def _failed(number: int, error: Exception) -> Failed:
    """What is told of an error: a line where it is one of those that users can meet."""
    if isinstance(error, CoreError) and not isinstance(error, InternalError):
        return Failed(number=number, message=one_line(str(error)))
    trace = "".join(traceback.format_exception(error))
    return Failed(number=number, message=internal(error), trace=trace)


def one_line(text: str) -> str:
    """A text without its line breaks."""
    return " ".join(text.split())


def internal(error: Exception) -> str:
    """What went wrong with us, and where."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return one_line(f"internal error: {type(error).__name__}: {error} ({where})")
