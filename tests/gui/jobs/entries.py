"""Workers that misbehave in ways that a test can control; each runs in a process of its own."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection
from pathlib import Path

from gui.jobs import worker
from gui.jobs.desk import Desk
from gui.jobs.messages import Advanced, Export, Exported, Quit, Request, Stopped
from gui.jobs.wire import pack


def counting(folder: Path, pipe: Connection) -> None:
    """The real worker; writes down the numbers of the requests that it gets."""
    desk, line = Desk(), worker.Line(pipe)
    while not isinstance(question := line.receive(), Quit):
        if isinstance(question, Request):
            with (folder / "requests").open("a") as log:
                log.write(f"{question.number}\n")
            worker.answer(desk, question, line)


def stubborn(folder: Path, pipe: Connection) -> None:
    """Answers only when the file `go` is there, and hears of nothing before that."""
    desk, line = Desk(), worker.Line(pipe)
    while not isinstance(question := line.receive(), Quit):
        if isinstance(question, Request):
            (folder / f"started-{question.number}").touch()
            while not (folder / "go").exists():
                time.sleep(0.002)
            line.has_more = bool  # type: ignore[method-assign,assignment]
            worker.answer(desk, question, line)


def endless(pipe: Connection) -> None:
    """Says that it is half way, and is done only when something else is asked."""
    line = worker.Line(pipe)
    desk = EndlessDesk()
    while not isinstance(question := line.receive(), Quit):
        if isinstance(question, Request):
            line.send(pack(Advanced(number=question.number, stage="thinking", done=1, total=2)))
            worker.answer(desk, question, line)


class EndlessDesk(Desk):
    """Computes until it is stopped."""

    def bench(self, document, progress=worker):
        del document
        while True:
            progress.advance("thinking", 1, 2)
            time.sleep(0.001)


def crashing(pipe: Connection) -> None:
    """Ends as soon as it is asked."""
    line = worker.Line(pipe)
    while not isinstance(line.receive(), Request):
        pass
    os._exit(3)


def stillborn(pipe: Connection) -> None:
    """Ends before it is asked."""
    del pipe
    os._exit(4)


class BrokenDesk(Desk):
    """Has a bug."""

    def bench(self, document, progress=worker):
        if document.settings.accelerator == "ethos-u55-32":
            raise ZeroDivisionError("one\ntwo")
        return super().bench(document, progress)


def buggy(pipe: Connection) -> None:
    """The real worker with a bug in one accelerator."""
    worker.serve(BrokenDesk(), worker.Line(pipe))


def exporting(pipe: Connection) -> None:
    """Makes nothing, but says that it did."""
    line = worker.Line(pipe)
    while isinstance(export := line.receive(), Export):
        number = export.number
        line.send(pack(Advanced(number=number, stage="making", done=1, total=2)))
        done = Exported(number=number, paths=(export.order,), notes=(export.document.model.name,))
        line.send(pack(done))


def waiting(pipe: Connection) -> None:
    """Makes nothing until it is told to stop."""
    line = worker.Line(pipe)
    while isinstance(export := line.receive(), Export):
        line.send(pack(Advanced(number=export.number, stage="waiting", done=0, total=1)))
        line.receive()
        line.send(pack(Stopped(number=export.number)))


def deaf(pipe: Connection) -> None:
    """Hears nothing of what comes after an export."""
    line = worker.Line(pipe)
    export = line.receive()
    line.send(pack(Advanced(number=export.number, stage="deaf", done=0, total=1)))
    while True:
        time.sleep(1)


def ending_once(folder: Path, pipe: Connection) -> None:
    """Ends the first time that it is asked; works the next time."""
    if (folder / "ended").exists():
        exporting(pipe)
        return
    (folder / "ended").touch()
    worker.Line(pipe).receive()
    os._exit(3)
