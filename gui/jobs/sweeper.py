"""Has a sweep made by processes that give way to all others; its file is whole at any moment."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from threading import Event, Thread

from PySide6.QtCore import QObject, Signal

from core.api import schedules, sweeps
from core.base.errors import CoreError
from core.base.progress import Cancelled
from gui.document.swept import Made, Making, SweepOrder, SweptCells
from gui.jobs.worker import internal, one_line

_NICE = 10
_LOOK_S = 0.3
"""Between two looks at the file, at least."""
_LOOKING = 0.1
"""Of the time, at most, goes by looking at it."""

MakeCrew = Callable[[sweeps.Models, str], sweeps.Crew]
"""Of models, and of a cluster's address where there is one."""


def low_crew(models: sweeps.Models, cluster: str) -> sweeps.Crew:
    """A cluster's workers; or a process for each core but one, which give way to who waits."""
    count = max(sweeps.cores() - 1, 1)
    if cluster:
        return sweeps.cluster_crew(cluster, count, models.bytes_of, time.perf_counter)
    return sweeps.ProcessCrew(count, models.bytes_of, time.perf_counter, niceness=_NICE)


class Sweeper(QObject):
    """Makes one sweep at a time; a thread here only hands out batches and keeps results."""

    advanced = Signal(object, object)
    """A `Making`, and `SweptCells` where there are more than before."""
    ended = Signal(object, object)
    """What was `Made`, and all cells that are there."""

    def __init__(self, parent: QObject | None = None, *, make_crew: MakeCrew = low_crew) -> None:
        super().__init__(parent)
        self._make_crew = make_crew
        self._fronts = schedules.kept_by_default(os.environ)
        self._thread: Thread | None = None
        self._watch: _Watch | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a sweep is being made."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_held(self) -> bool:
        """Whether nothing is begun until `go_on`, and all that is known was told."""
        return self._watch is not None and self._watch.is_held

    def start(self, order: SweepOrder) -> None:
        """Make a sweep; nothing else may be on its way."""
        assert not self.is_busy
        self._watch = _Watch(order, self.advanced.emit)
        self._thread = Thread(
            target=self._work, args=(order, self._watch), name="sweep", daemon=True
        )
        self._thread.start()

    def pause(self) -> None:
        """Begin no cell any more until `go_on`; what is begun comes to its end."""
        if self._watch is not None:
            self._watch.going.clear()

    def go_on(self) -> None:
        """Begin cells again."""
        if self._watch is not None:
            self._watch.going.set()

    def stop(self) -> None:
        """Give the rest up; `ended` says when that is done."""
        if self._watch is not None:
            self._watch.stop()

    def shutdown(self) -> None:
        """End all processes; what was computed is in the file."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def _work(self, order: SweepOrder, watch: _Watch) -> None:
        """In a thread of its own, which waits nearly all the time."""
        message, tally, is_stopped = "", None, False
        unread: tuple[str, ...] = ()
        try:
            plan = sweeps.plan(order.base, dict(order.axes))
            models = sweeps.Models.found(order.models)
            unread = tuple(one_line(str(error)) for error in models.unread)
            with sweeps.SweepFile.written(order.path) as file:
                watch.file = file
                try:
                    swept = [model for model, _ in models.by_digest.values()]
                    life = sweeps.Life(secrets.token_hex(8), time.monotonic, watch.sleep)
                    sweep = sweeps.Sweep(
                        file=file, models=swept, plan=plan, fronts=self._fronts, life=life
                    )
                    tally = sweep.run(self._make_crew(models, order.cluster), watch)
                finally:
                    watch.look()
        except Cancelled:
            is_stopped = True
        except CoreError as error:
            message = one_line(str(error))
        except Exception as error:  # noqa: BLE001 - it must not end without a word
            message = internal(error)
        made = Made(
            title=order.title,
            cells=tally.cells if tally else watch.cells,
            computed=tally.computed if tally else 0,
            errors=(*unread, *_errors(tally)),
            message=message,
            is_stopped=is_stopped,
        )
        self.ended.emit(made, watch.shown)


def _errors(tally: sweeps.Tally | None) -> tuple[str, ...]:
    errors = tally.errors if tally else {}
    return tuple(
        one_line(f"{name}: {count:,} cell{'' if count == 1 else 's'}: {error}")
        for (name, error), count in errors.items()
    )


class _Watch:
    """Tells of a sweep from its thread, and holds it up or ends it there."""

    def __init__(
        self, order: SweepOrder, tell: Callable[[Making, SweptCells | None], object]
    ) -> None:
        self.going = Event()
        self.going.set()
        self._stopped = Event()
        self.is_held = False
        self.file: sweeps.SweepFile | None = None
        self.cells = 0
        self.shown: SweptCells | None = None
        self._title, self._path, self._tell = order.title, str(order.path), tell
        self._held_s = 0.0
        self._pace = sweeps.Pace(lambda: time.monotonic() - self._held_s)
        self._done = -1
        self._look_at = 0.0

    def advance(self, stage: str, done: int, total: int) -> None:
        """Say how far it is; does not come back while it is held up."""
        del stage
        self.cells = total
        cells = None
        if done != self._done and time.monotonic() >= self._look_at:
            self._done = done
            cells = self.look()
        left = self._pace.seconds_left(done, total)
        self._tell(Making(title=self._title, done=done, cells=total, seconds_left=left), cells)
        start = time.monotonic()
        self.is_held = not self.going.is_set()
        self.going.wait()
        self.is_held = False
        self._held_s += time.monotonic() - start
        if self._stopped.is_set():
            raise Cancelled

    def stop(self) -> None:
        """End it at its next word."""
        self._stopped.set()
        self.going.set()

    def sleep(self, seconds: float) -> None:
        """Wait for others; whoever is stopped, as soon as that is."""
        self._stopped.wait(seconds)

    def look(self) -> SweptCells | None:
        """All cells of the file as it is."""
        if self.file is None:
            return None
        start = time.monotonic()
        cells = tuple(self.file.cells())
        self.shown = SweptCells(title=self._title, cells=cells, path=self._path)
        now = time.monotonic()
        self._look_at = now + max(_LOOK_S, (now - start) / _LOOKING)
        return self.shown
