"""A crew of processes on this machine, each with a thread here that talks to it."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from core.base.errors import CoreError
from core.base.unheard import start_unheard
from core.sweep.crew import Fate, Seat
from core.sweep.work import Batch, Clock, Found, compute

_Order = tuple[Batch, bytes, Future[tuple[Found, ...]]]


def cores() -> int:
    """Those that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class WorkerEnded(Exception):  # noqa: N818 - it is killed or it crashes, and says nothing
    """A process that was computing a batch is there no more."""


class ProcessCrew:
    """As many processes as are asked for; one that ends is replaced."""

    batch_s = 1.0

    def __init__(
        self, count: int, bytes_of: Callable[[str], bytes], clock: Clock, *, niceness: int = 0
    ) -> None:
        self._bytes_of = bytes_of
        self._workers = [_Worker(clock, niceness) for _ in range(count)]

    def seats(self) -> Sequence[Seat]:
        """All of them, always."""
        return range(len(self._workers))

    def submit(self, seat: Seat, batch: Batch) -> Future[tuple[Found, ...]]:
        """Queue a batch for a process."""
        future: Future[tuple[Found, ...]] = Future()
        try:
            model = self._bytes_of(batch.model)
        except CoreError as error:
            future.set_exception(error)
            return future
        self._workers[int(str(seat))].orders.put((batch, model, future))
        return future

    def fate(self, error: BaseException) -> Fate:
        """What ends a process may be in the batch."""
        del error
        return Fate.FAILED

    def stop(self) -> None:
        """Kill them: what is not in the file is computed again."""
        for worker in self._workers:
            worker.stop()


class _Worker:
    """One process after another, and what is to be sent to them."""

    def __init__(self, clock: Clock, niceness: int) -> None:
        self.orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._clock = clock
        self._niceness = niceness
        self._process: BaseProcess | None = None
        self._is_stopped = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the process and the thread."""
        self._is_stopped = True
        self.orders.put(None)
        if self._process is not None:
            self._process.kill()
        self._thread.join()

    def _serve(self) -> None:
        pipe: Connection | None = None
        while (order := self.orders.get()) is not None and not self._is_stopped:
            batch, model, future = order
            pipe = pipe or self._started()
            try:
                pipe.send((model, batch))
                found = pipe.recv()
            except (EOFError, OSError):
                pipe.close()
                pipe = None
                future.set_exception(WorkerEnded("the process that computed it was ended"))
            else:
                future.set_result(found)
        if pipe is not None:
            pipe.close()
        if self._process is not None:
            self._process.join()

    def _started(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        pipe, far_end = context.Pipe()
        process = context.Process(
            target=_answer, args=(far_end, self._clock, self._niceness), daemon=True
        )
        start_unheard(process)
        # Only the process holds it now, so that its end is the end of the pipe.
        far_end.close()
        self._process = process
        if self._is_stopped:
            process.kill()
        return pipe


def _answer(pipe: Connection, clock: Clock, niceness: int) -> None:
    """Compute batches until nobody asks any more."""
    # Ctrl+C is for the one that asks, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(niceness)
    with suppress(EOFError, OSError):
        while True:
            model, batch = pipe.recv()
            pipe.send(compute(model, batch, clock))
