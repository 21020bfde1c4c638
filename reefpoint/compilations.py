"""Compiled models, proved before they are handed over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.api import compiler, proof
from core.base.errors import CoreError, about
from core.base.files import write_whole
from core.base.frozen import Frozen
from reefpoint.models import Model, Source, load
from reefpoint.progress import Watcher, watched
from reefpoint.schedules import Edits, Schedule, schedule
from reefpoint.targets import Target


class DoesNotHold(CoreError):  # noqa: N818 - the command line's word
    """A compiled model does not compute what its original does; `sentences` say where."""

    def __init__(self, name: str, sentences: Sequence[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__(f"{name}: {' '.join(sentences)}")


class Compiled(Frozen, eq=False):
    """A compiled model, with the schedule that it runs by."""

    schedule: Schedule
    data: bytes
    is_proved: bool
    """It was executed bit by bit, and computes what the original does."""
    sentences: tuple[str, ...] = ()
    """What the proof says, output by output."""

    @property
    def size_bytes(self) -> int:
        """Of the file."""
        return len(self.data)

    @property
    def model(self) -> Model:
        """The compiled model, which can be scheduled, compared or advised on like any other."""
        return load(self.data, name=self.schedule.model.name)

    def write(self, path: Source) -> None:
        """The compiled `.tflite` file."""
        write_whole({Path(path): self.data})

    def __repr__(self) -> str:
        proved = "proved" if self.is_proved else "not proved"
        return f"<Compiled {self.schedule.model.name}: {self.size_bytes:,} bytes, {proved}>"


def compile(  # noqa: A001 - what users call it
    model: Model | Source | Schedule,
    target: Target | str | None = None,
    *,
    verify: bool = True,
    engine: str | None = None,
    effort: int | None = None,
    edits: Edits | None = None,
    options: Sequence[str] = (),
    progress: Watcher | bool = True,
) -> Compiled:
    """The compiled model of a schedule, or of a model, which is scheduled first.

    With `verify`, it is executed bit by bit and held against LiteRT; DoesNotHold says where it
    computes something else. The same question gives the same bytes, whatever was asked before.
    """
    with watched(progress) as told:
        asked = model
        if not isinstance(asked, Schedule):
            found = schedule(
                asked,
                target,
                engine=engine,
                effort=effort,
                edits=edits,
                options=options,
                progress=told.advance,
            )
        else:
            found = asked
        with about(found.model.name):
            encodings = None if found.bench is None else found.bench.encodings
            data = compiler.compile_model(found.scheduled, told, encodings=encodings).data
            if not verify or not found.scheduled.graph.islands:
                return Compiled(schedule=found, data=data, is_proved=False)
            verdict = proof.verify(data, found.model.data, progress=told)
    if not verdict.holds:
        raise DoesNotHold(found.model.name, verdict.sentences())
    return Compiled(schedule=found, data=data, is_proved=True, sentences=verdict.sentences())
