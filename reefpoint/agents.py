"""What agents ask: each answer is some lines of text, made by what scripts use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.api import reasons
from core.base.errors import InputError, OptionError
from core.base.forms import Form
from core.base.harmless import terminal_text
from core.base.outputs import FORCE, Output, demand_outputs
from core.base.sentences import capitalised
from core.report.words import counted
from reefpoint.advices import advise
from reefpoint.comparisons import compare
from reefpoint.compilations import compile as compile_model
from reefpoint.fronts import front
from reefpoint.models import Model, load
from reefpoint.progress import Watcher
from reefpoint.schedules import Schedule, schedule
from reefpoint.targets import Target, target

_MOST = 8
"""Rows of a list; the rest is counted."""
_MOST_MODELS = 4


class Agents:
    """Models stay loaded from one question to the next, so that what is asked again is quick."""

    def __init__(self) -> None:
        self.watcher: Watcher | bool = False
        """Is told how far an answer is."""
        self._models: dict[str, tuple[int, Model]] = {}

    def load(self, model: str) -> str:
        """What a model file is: its size, and whether it is compiled."""
        found = self._model(model)
        what = "compiled already" if found.is_compiled else "not compiled"
        return _text([f"{found.name}: {found.size_bytes:,} bytes, {what}"])

    def schedule(
        self, model: str, accelerator: str = "ethos-u55-256", limit: str = "", effort: int = 0
    ) -> str:
        """How a model runs: cycles, memory, whether it fits, and the operators with most cycles.

        `accelerator` may be the name of a board; `limit` is SRAM such as "256K".
        """
        return _text(_outline(self._scheduled(model, accelerator, limit, effort)))

    def why(
        self, model: str, about: str = "", accelerator: str = "ethos-u55-256", limit: str = ""
    ) -> str:
        """Why a part of a schedule is as it is: an operator by its number or name, a map by its
        name; without any, the whole schedule."""
        found = self._scheduled(model, accelerator, limit)
        told = reasons.lead(found.scheduled, found.analysis, _subject(found, about))
        return _text([told.headline, *(capitalised(each.text) for each in told.reasons)])

    def try_edits(
        self,
        model: str,
        edits: list[dict[str, Any]],
        accelerator: str = "ethos-u55-256",
        limit: str = "",
    ) -> str:
        """What decisions make of a schedule, and what became of each. An edit is such as
        {"subject": {"operator": "NAME"}, "what": "stripe", "value": 4}; nothing is written."""
        before = self._scheduled(model, accelerator, limit)
        after = schedule(
            self._model(model), _target(accelerator, limit), edits=edits, progress=self.watcher
        )
        fates = (
            f"edit {number}: {outcome.fate.value}"
            for number, outcome in enumerate(after.scheduled.edits, 1)
        )
        return _text([*fates, *_difference(before, after)])

    def compare(self, a: str, b: str, accelerator: str = "ethos-u55-256", limit: str = "") -> str:
        """What differs between two files: models, compiled models, or schedules as JSON."""
        on = _target(accelerator, limit)
        return _text(_difference(Path(a), Path(b), on))

    def advise(
        self,
        model: str,
        accelerator: str = "ethos-u55-256",
        limit: str = "",
        effort: int = 0,
        seconds: float = 30,
    ) -> str:
        """What would help, each of it tried: searches, limits, memory modes and edits.

        What was not tried within `seconds` is left out; `effort` is how many searches the best
        engine makes, which is tried last."""
        found = advise(
            self._model(model),
            _target(accelerator, limit),
            effort=effort,
            seconds=seconds,
            progress=self.watcher,
        )
        lines = _few([f"{tip.text}: {tip.effect}" for tip in found], "tip")
        if not found.is_whole:
            untried = [f"{seconds:g} seconds were over before all was tried; give it more"]
        else:
            untried = [] if found.tips else ["nothing of what was tried helps"]
        return _text([*lines, *untried, *_few(list(found.on_the_cpu), "operator on the CPU")])

    def front(
        self, model: str, accelerator: str = "ethos-u55-256", limit: str = "", effort: int = 2
    ) -> str:
        """Schedules from the smallest to the fastest: none is both smaller and faster."""
        found = front(
            self._model(model),
            _target(accelerator, limit),
            effort=effort,
            progress=self.watcher,
        )
        lines = [f"{each.fast_storage_bytes:,} bytes: {each.cycles:,.0f} cycles" for each in found]
        return _text(lines or ["there is no front: nothing runs on the NPU"])

    def compile(
        self, model: str, output: str, accelerator: str = "ethos-u55-256", limit: str = ""
    ) -> str:
        """Write the model that runs on the NPU, after it was proved; no file is written over."""
        path = Path(output)
        if path.exists():
            raise OptionError(f"{output}: is there already")
        demand_outputs(
            [Output(path=path, form=Form.MODEL)], [Path(model)], replaces=False, way_on=FORCE
        )
        made = compile_model(
            self._scheduled(model, accelerator, limit), verify=True, progress=self.watcher
        )
        made.write(path)
        return _text([f"{path.name}: {len(made.data):,} bytes, proved and written"])

    def _model(self, path: str) -> Model:
        """A file as it is now."""
        try:
            changed = Path(path).stat().st_mtime_ns
        except OSError as error:
            raise InputError(error.strerror or "cannot be read", path) from error
        kept = self._models.pop(path, None)
        found = kept[1] if kept is not None and kept[0] == changed else load(path)
        self._models[path] = (changed, found)
        for oldest in list(self._models)[:-_MOST_MODELS]:
            del self._models[oldest]
        return found

    def _scheduled(self, model: str, accelerator: str, limit: str, effort: int = 0) -> Schedule:
        on = _target(accelerator, limit)
        return schedule(self._model(model), on, effort=effort, progress=self.watcher)


def _target(accelerator: str, limit: str) -> Target:
    return target(accelerator, limit=limit or None)


def _outline(found: Schedule) -> Iterator[str]:
    over = "fits" if found.fits else f"does not fit, {found.excess_bytes:,} bytes too many"
    yield f"{found.model.name} on {found.target.accelerator}: {over}"
    yield (
        f"{found.cycles:,.0f} cycles, estimated; {found.fast_storage_bytes:,} bytes of fast"
        f" storage; {found.sram_bytes:,} of SRAM, {found.dram_bytes:,} of DRAM,"
        f" {found.flash_bytes:,} of flash"
    )
    ops = found.operators
    yield f"{counted(len(ops), 'operator')} on the NPU, {counted(len(found.cascades), 'cascade')}"
    titles = found.scheduled.graph.titles.ops
    order = sorted(range(len(ops)), key=lambda at: -ops[at].cycles)
    yield from _few(
        [f"{titles[at]}: {ops[at].cycles:,.0f} cycles, {ops[at].decided_by}" for at in order],
        "operator",
    )
    yield from _few([f"{name}: on the CPU" for name in found.cpu_operators], "operator on the CPU")


def _subject(found: Schedule, about: str) -> reasons.Subject:
    """What a number or a part of a name means; it has to be one thing."""
    if not about:
        return reasons.AboutNetwork()
    graph = found.scheduled.graph
    number = about.removeprefix("#")
    if number.isdecimal() and int(number) < len(graph.ops):
        return reasons.AboutOp(graph.ops[int(number)].id)
    word = about.casefold()
    titles = graph.titles
    ops = [op.id for op in graph.ops if word in f"{op.name}\n{titles.ops[op.id]}".casefold()]
    maps = [fm.id for fm in graph.feature_maps if word == titles.maps[fm.id].casefold()]
    if len(maps) == 1:
        return reasons.AboutMap(maps[0])
    if len(ops) != 1:
        several = ", ".join(titles.ops[op] for op in ops[:_MOST])
        raise OptionError(
            f"'{about}' may be {several}" if ops else f"no operator or map is called '{about}'"
        )
    return reasons.AboutOp(ops[0])


def _difference(a: Schedule | Path, b: Schedule | Path, on: Target | None = None) -> Iterator[str]:
    found = compare(a, b, on, progress=False)
    yield found.headline
    changed = [each for each in found.figures if each.change]
    yield from (f"{each.name}: {each.before:,.0f} to {each.after:,.0f}" for each in changed)
    pairs = sorted(found.pairs, key=lambda each: -abs(each.after_cycles - each.before_cycles))
    lines = [
        f"{each.name}: {each.before_cycles:,.0f} to {each.after_cycles:,.0f} cycles"
        for each in pairs
        if each.after_cycles != each.before_cycles
    ]
    yield from _few(lines, "operator")


def _few(lines: Sequence[str], noun: str) -> Iterator[str]:
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"and {counted(len(lines) - _MOST, f'more {noun}')}"


def _text(lines: Sequence[str] | Iterator[str]) -> str:
    return terminal_text("\n".join(lines))
