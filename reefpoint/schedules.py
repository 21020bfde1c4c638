"""Schedules: how a network runs on a target, with every figure that the reports have."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from core.api import edits as edits_door
from core.api import listings, programs, schedules
from core.base.errors import OptionError, about
from core.base.files import as_utf8, read_bytes, write_whole
from core.base.frozen import Frozen, field, members, replace
from core.base.harmless import to_json
from core.base.ids import NpuOpId
from core.base.progress import Progress
from core.ir import engines, knobs
from core.ir.edits import Edit, Rule
from core.ir.options import Options, Search
from core.ir.schedule import OpPlan
from core.ir.settings import Settings
from core.report.words import counted
from core.target.target import Area
from reefpoint import pages
from reefpoint.figures import Figures
from reefpoint.models import Model, Source, model_of
from reefpoint.progress import Watcher, watched
from reefpoint.tables import data_frame
from reefpoint.targets import Target, target_of

Edits = str | os.PathLike[str] | Sequence[Mapping[str, Any]]
"""A file of edits, or what stands under `edits` in one."""


class Operator(Frozen):
    """An operator on the NPU, in the order in which they run."""

    name: str
    kind: str
    cycles: float
    """That it takes, with all that it waits for."""
    macs: int
    decided_by: str
    """What its cycles are decided by, such as `macs` or `sram`."""
    cascade: int
    """The number of its cascade; 0 where it is in none."""
    stripe_rows: int
    """Rows of its output that are made at once."""
    weight_bytes: int
    """Of its weights as they are stored; 0 where it has none."""
    sram_moved_bytes: float
    dram_moved_bytes: float


class Cascade(Frozen):
    """Operators that run stripe by stripe, each handing rows to the next."""

    number: int
    operators: tuple[str, ...]


class Schedule(Figures, dict=True, eq=False):
    """A schedule; its figures are attributes, its operators rows."""

    model: Model
    target: Target
    bench: schedules.Workbench | None = field(default=None)

    @property
    def cpu_operators(self) -> tuple[str, ...]:
        """Names of operators that do not run on the NPU."""
        return tuple(op.name for op in self.scheduled.graph.cpu_ops)

    @property
    def cascades(self) -> tuple[Cascade, ...]:
        """In the order in which they begin."""
        numbers, ops = self.scheduled.cascade_numbers(), self.scheduled.graph.ops
        found = [
            Cascade(
                number=numbers[island.island, at],
                operators=tuple(ops[op].name for op in cascade.ops),
            )
            for island in self.scheduled.schedule.islands
            for at, cascade in enumerate(island.cascades)
        ]
        return tuple(sorted(found, key=lambda each: each.number))

    @property
    def operators(self) -> tuple[Operator, ...]:
        """All that run on the NPU."""
        scheduled, number_of = self.scheduled, dict[NpuOpId, int]()
        for (island, at), number in scheduled.cascade_numbers().items():
            cascade = scheduled.schedule.islands[island].cascades[at]
            number_of |= dict.fromkeys(cascade.ops, number)
        return tuple(
            _operator(scheduled, plan, number_of.get(plan.op, 0)) for plan in scheduled.plans()
        )

    @cached_property
    def analysis(self) -> schedules.Analysis:
        """What happens when, for pictures."""
        return schedules.analyse(self.scheduled)

    def to_dict(self) -> dict[str, Any]:
        """All of it, with the keys of `resources/schedule-json.md`."""
        return listings.describe_schedule(self.model.name, self.scheduled)

    def to_pandas(self) -> Any:
        """A table with a row for each operator."""
        return data_frame(members(each) for each in self.operators)

    def to_html(self, *, interactive: bool = False) -> str:
        """A page with the summary, the timeline and the memory map; it needs nothing else.

        An interactive one has all operators and Why too, to be zoomed, searched and selected, and
        the schedules of the front where `effort` has found one.
        """
        if interactive:
            return pages.to_explore(self.scheduled, self.analysis, self.bench)
        return pages.of_schedule(self.scheduled, self.analysis)

    def write_json(self, path: Source) -> None:
        """What `reefpoint schedule --json` writes."""
        write_whole({Path(path): as_utf8(to_json(self.to_dict(), indent=1) + "\n")})

    def write_html(self, path: Source, *, interactive: bool = False) -> None:
        """The page, as a file."""
        write_whole({Path(path): as_utf8(self.to_html(interactive=interactive))})

    def write_edits(self, path: Source) -> None:
        """All its decisions, which `edits=` takes again."""
        text = edits_door.decisions(self.scheduled, self.model.digest)
        write_whole({Path(path): as_utf8(text)})

    def __repr__(self) -> str:
        over = "" if self.fits else f", {self.excess_bytes:,} over the limit"
        return (
            f"<Schedule of {self.model.name} on {self.target.accelerator}: {self.cycles:,.0f}"
            f" cycles, {self.fast_storage_bytes:,} bytes of fast storage{over},"
            f" {counted(len(self.scheduled.graph.ops), 'NPU operator')}>"
        )

    def _repr_html_(self) -> str:
        return pages.framed(self.to_html(interactive=True))


def _operator(scheduled: schedules.Scheduled, plan: OpPlan, cascade: int) -> Operator:
    op, cost = scheduled.op(plan), scheduled.cost(plan)
    return Operator(
        name=op.name,
        kind=op.kind.value,
        cycles=cost.total_cycles,
        macs=cost.macs,
        decided_by=cost.decides.name.lower() if cost.decides else "",
        cascade=cascade,
        stripe_rows=plan.stripe.ofm.h,
        weight_bytes=plan.weights.stream_bytes if plan.weights else 0,
        sram_moved_bytes=cost.moved_bytes(Area.SRAM),
        dram_moved_bytes=cost.moved_bytes(Area.DRAM),
    )


def schedule(
    model: Model | Source,
    target: Target | str | None = None,
    *,
    engine: str | None = None,
    effort: int | None = None,
    edits: Edits | None = None,
    options: Sequence[str] = (),
    progress: Watcher | bool = True,
) -> Schedule:
    """How a model runs on a target; of a compiled model, what its command streams do.

    `effort` is how many searches there are beside the first, 0 where it is not said. `options` are
    words of the command line for all else, such as `["--optimise", "Size"]`.
    """
    network, asked_target = model_of(model), target_of(target)
    with watched(progress) as told:
        if network.is_compiled:
            return _read_back(network, asked_target, told)
        settings = settings_of(asked_target, engine, effort, options)
        settings = with_edits(network, settings, edits, told)
        return scheduled_with(network, settings, told)


def scheduled_with(model: Model, settings: Settings, progress: Progress) -> Schedule:
    """The schedule of a model with these settings, whatever was asked of it before."""
    bench = model.bench(settings, settings.options, progress)
    with about(model.name):
        found = bench.schedule_alone(settings.target(), settings.options, progress)
    named = replace(found, name=model.name)
    names = Target(settings=replace(settings, options=Options()))
    return Schedule(model=model, target=names, scheduled=named, bench=bench)


def _read_back(model: Model, target: Target, progress: Progress) -> Schedule:
    with about(model.name):
        read = model.program(progress)
        if read is None:
            raise OptionError(f"{model.name}: has no command stream")
        accelerator = programs.accelerator_in(read.program)
        settings = programs.settings_for(target.settings, read.program, accelerator)
        on = settings.target()
        studied = programs.study_program(read, lambda _: on, progress)
        found = replace(programs.read_back(studied).scheduled, name=model.name)
    return Schedule(model=model, target=Target(settings=settings), scheduled=found)


def settings_of(
    target: Target,
    engine: str | None,
    effort: int | None,
    options: Sequence[str] = (),
) -> Settings:
    """What these ask of the compiler."""
    if effort is not None and (type(effort) is not int or effort < 0):
        raise OptionError(f"effort has to be a whole number, 0 or more, and not {effort!r}")
    if isinstance(options, str):
        raise OptionError("options has to be a list of words, and not a text")
    words = _read_words(options).options if options else Options()
    named = engine is not None or effort is not None
    number = None if effort is None else str(effort)
    settings = replace(target.settings, options=words)
    if named:
        meant = engines.meant(engine, None, number, usual=Search.DIRECT)
        settings = knobs.turned(settings, meant)
    return settings


def with_edits(
    model: Model, settings: Settings, edits: Edits | None, progress: Progress
) -> Settings:
    """Settings with edits, whose names and rules are those of a model."""
    if edits is None:
        return settings
    graph = model.bench(settings, settings.options, progress).run.graph
    named = edits_door.spelled(_edits(edits), graph)
    return replace(settings, options=replace(settings.options, edits=named))


def _read_words(words: Sequence[str]) -> Settings:
    try:
        return knobs.read_words(words)
    except LookupError as error:
        raise OptionError(f"{error.args[0]!r} is no option, or lacks its value") from error


def _edits(given: Edits) -> tuple[Edit | Rule, ...]:
    if isinstance(given, str | os.PathLike):
        with about(Path(given)):
            return edits_door.decode(read_bytes(Path(given))).edits
    plain = {"reefpoint": "edits", "version": 1, "edits": [dict(each) for each in given]}
    return edits_door.decode(to_json(plain).encode()).edits
