"""What was asked, what was applied, and which knobs have no effect; no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from core.base.errors import OptionError
from core.ir.decisions import Candidate, CandidateSized
from core.ir.options import (
    Allocator,
    Engine,
    EvictionPolicy,
    Options,
    ParetoMetric,
    Search,
    Strategy,
)
from core.ir.schedule import Schedule
from core.target.region import Region
from core.target.target import Target
from gui.document.answer import Answer
from gui.document.display import ByteUnit
from gui.document.document import Document
from gui.document.settings import Settings
from gui.present.compiled import fixed_knobs, is_compiled
from gui.present.units import KIB, size

KNOBS = (
    "accelerator",
    "system_config",
    "memory_mode",
    "strategy",
    "eviction",
    "search",
    "allocator",
    "limit_bytes",
    "configs",
    "force_symmetric_int_weights",
    "engine",
    "pareto.metric",
    "pareto.cascading",
    "pareto.overlap",
    "pareto.ifm_streaming",
    "pareto.most_bytes",
)
"""Fields of the settings, and parts of one."""

PARETO_KNOBS = tuple(knob for knob in KNOBS if knob.startswith("pareto."))
"""Knobs that only the Pareto engine has."""


_ASSUMED = ("accelerator", "system_config", "memory_mode", "configs")
"""What is needed to estimate the cycles of a compiled model."""

SIGNS = {False: "as in the file", True: "as symmetric"}
"""How signed weights are taken."""

PERMISSIONS: Mapping[str, Mapping[bool, str]] = {
    "pareto.cascading": {True: "allowed", False: "never"},
    "pareto.overlap": {True: "allowed", False: "never"},
    "pareto.ifm_streaming": {True: "allowed", False: "never"},
}
"""What the Pareto engine may do, in words for both ways."""

BY_STRATEGY = "by strategy"
"""Which schedule of the front is taken where none was adopted."""

MEANINGS: Mapping[object, str] = {
    Engine.CASCADING: "one schedule for one limit: whole maps, then cascades in high stripes",
    Engine.PARETO: "several schedules, from the smallest to the fastest: see the view Front",
    ParetoMetric.MEMORY: "partial schedules are compared by cost and memory",
    ParetoMetric.MEMORY_AND_HEIGHT: "and by the height of their last block",
    Strategy.PERFORMANCE: "as fast as the limit allows",
    Strategy.SIZE: "as little fast storage as possible",
    EvictionPolicy.COMPONENT: "what is read and written most stays in fast storage",
    EvictionPolicy.OVER_LIMIT: "in order of time, whatever stands above the limit goes",
    EvictionPolicy.LIFETIME: "what lives shortest moves in first, then the largest",
    Search.DIRECT: "schedules for this limit alone",
    Search.MONOTONE: "schedules for lower limits too; more memory never costs cycles",
    Allocator.LINEAR: "one behind the other, whenever they are live",
    Allocator.GREEDY: "in order of time, each into the tightest gap",
    Allocator.HILL_CLIMB: "tries other orders until everything fits or nothing helps",
    Allocator.OPTIMAL: "searches until it is proven that none is lower, or for long enough",
}
"""Of the values that have names of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether what has to be in fast storage is within the limit."""

    required_bytes: int
    limit_bytes: int | None
    """None where there is no limit but what can be addressed."""
    is_told: bool = True
    """A compiled model does not tell what it was to fit."""

    @property
    def excess_bytes(self) -> int:
        """Bytes above the limit."""
        return 0 if self.limit_bytes is None else max(self.required_bytes - self.limit_bytes, 0)

    @property
    def fits(self) -> bool:
        """Whether nothing is above the limit."""
        return self.excess_bytes == 0


def verdict_of(answer: Answer) -> Verdict:
    """The verdict on an answer's fast storage."""
    scheduled = answer.scheduled
    areas = [area for area in scheduled.layout.areas if Region.SCRATCH_FAST in area.regions]
    return Verdict(
        required_bytes=sum(area.height_bytes for area in areas),
        limit_bytes=own_limit(scheduled.target),
        is_told=not is_compiled(answer),
    )


def own_limit(target: Target) -> int | None:
    """The limit that a target sets; None where it is only what can be addressed."""
    limit = target.fast_limit_bytes
    return None if limit >= target.accelerator.max_address else limit


def limit_text(limit_bytes: int | None, unit: ByteUnit = ByteUnit.KIB) -> str:
    """A limit as it is shown."""
    return "no limit" if limit_bytes is None else size(limit_bytes, unit)


def limit_field(limit_bytes: int | None) -> str:
    """A limit as the command line takes it."""
    if limit_bytes is None:
        return ""
    whole, rest = divmod(limit_bytes, KIB)
    return str(limit_bytes) if rest or not whole else f"{whole}K"


def asked(settings: Settings, target: Target, unit: ByteUnit = ByteUnit.KIB) -> Mapping[str, str]:
    """Each knob's value, the defaults filled in."""
    return _texts(settings, target, settings.options, unit)


def applied(answer: Answer, unit: ByteUnit = ByteUnit.KIB) -> Mapping[str, str]:
    """What the compiler has worked with, knob by knob; of a compiled model, what is assumed."""
    scheduled = answer.scheduled
    texts = _texts(answer.document.settings, scheduled.target, scheduled.options, unit)
    if not is_compiled(answer):
        return texts
    return {knob: texts[knob] for knob in _ASSUMED}


def applied_title(answer: Answer | None, *, is_older: bool) -> str:
    """What stands above what the compiler has worked with."""
    if answer is None:
        return ""
    if is_older:
        return "Applied before"
    return "Assumed" if is_compiled(answer) else "Applied"


def _texts(
    settings: Settings, target: Target, options: Options, unit: ByteUnit
) -> Mapping[str, str]:
    return {
        "accelerator": target.accelerator.name,
        "system_config": target.system.name,
        "memory_mode": target.mode.name,
        "strategy": options.strategy.value,
        "eviction": options.eviction.value,
        "search": options.search.value,
        "allocator": options.allocator.value,
        "limit_bytes": limit_text(own_limit(target), unit),
        "configs": ", ".join(Path(path).name for path in settings.configs) or "none",
        "force_symmetric_int_weights": SIGNS[options.lowering.force_symmetric_int_weights],
        "engine": options.engine.value,
        "pareto.metric": options.pareto.metric.value,
        **{
            knob: texts[getattr(options.pareto, knob.partition(".")[2])]
            for knob, texts in PERMISSIONS.items()
        },
        "pareto.most_bytes": point_text(options.pareto.most_bytes, unit),
    }


def point_text(most_bytes: int | None, unit: ByteUnit = ByteUnit.KIB) -> str:
    """Which schedule of the front is taken."""
    return BY_STRATEGY if most_bytes is None else f"≤ {size(most_bytes, unit)}"


def point_choices(settings: Settings, answer: Answer | None) -> tuple[int | None, ...]:
    """What the schedule that is taken may need: anything, or as much as one that was found."""
    front = answer.scheduled.schedule.front if answer else ()
    sizes = {point.peak_bytes for point in front}
    if settings.pareto.most_bytes is not None:
        sizes.add(settings.pareto.most_bytes)
    return (None, *sorted(sizes))


class Resolved(NamedTuple):
    """Settings that name a target, and the knobs that had to be set back for that."""

    settings: Settings
    set_back: tuple[str, ...] = ()


def resolvable(settings: Settings) -> Resolved:
    """The settings, with as few knobs as possible set back to their defaults to name a target.

    An OptionError says what is wrong where that does not help.
    """
    try:
        settings.target()
    except OptionError:
        for fields in _SET_BACK:
            defaults: dict[str, Any] = dict.fromkeys(fields)
            other = replace(settings, **defaults)
            if other != settings and _names_a_target(other):
                return Resolved(other, fields)
        raise
    return Resolved(settings)


_SET_BACK = (
    ("system_config",),
    ("memory_mode",),
    ("system_config", "memory_mode"),
    ("system_config", "memory_mode", "limit_bytes"),
)


def _names_a_target(settings: Settings) -> bool:
    try:
        settings.target()
    except OptionError:
        return False
    return True


def without_effect(
    document: Document, target: Target, answer: Answer | None, unit: ByteUnit = ByteUnit.KIB
) -> Mapping[str, str]:
    """Why knobs have no effect, by knob; what only an answer can tell needs one to the document."""
    if fixed := fixed_knobs(document, answer):
        return fixed
    settings = document.settings
    found = {}
    current = answer if answer is not None and answer.document == document else None
    if not target.is_spilling:
        found["eviction"] = f"in {target.mode.name}, feature maps never leave fast storage"
    elif current and not any(island.evicted for island in current.scheduled.schedule.islands):
        found["eviction"] = "nothing has to leave fast storage"
    if settings.engine is Engine.PARETO:
        found.update(_without_effect_on_fronts(settings))
    elif settings.strategy is Strategy.SIZE:
        found["search"] = "strategy Size takes the smallest schedule"
    if reason := _limit_without_effect(settings, target, current, unit):
        found["limit_bytes"] = reason
    if (
        current
        and settings.force_symmetric_int_weights
        and not current.scheduled.run.graph.warnings
    ):
        found["force_symmetric_int_weights"] = "all signed weights are symmetric"
    return found


def _without_effect_on_fronts(settings: Settings) -> Mapping[str, str]:
    """Why knobs change nothing for the Pareto engine."""
    found = {"search": "a front has schedules for lower limits too"}
    if settings.pareto.most_bytes is not None:
        found["strategy"] = "a schedule of the front was adopted"
    if settings.pareto.cascading and not settings.pareto.ifm_streaming:
        found["pareto.cascading"] = "cascades need IFM streaming"
    return found


def _limit_without_effect(
    settings: Settings, target: Target, answer: Answer | None, unit: ByteUnit
) -> str:
    """Why the schedule is the same for any limit, or for any higher one."""
    is_size = settings.strategy is Strategy.SIZE and settings.engine is Engine.CASCADING
    if is_size and not target.is_spilling:
        return "strategy Size takes the smallest schedule, whatever the limit"
    if answer is None or settings.engine is Engine.PARETO:
        return ""
    if target.fast_limit_bytes >= answer.unlimited_bytes:
        return f"everything fits in {size(answer.unlimited_bytes, unit)}"
    if is_size and not _was_bound(answer.scheduled.schedule):
        taken = max((each.limit_bytes for each in answer.scheduled.schedule.islands), default=0)
        return f"strategy Size takes no more than {size(taken, unit)}"
    return ""


def _was_bound(schedule: Schedule) -> bool:
    """Whether the smallest stripes had to be tried again, because the limit was lower."""
    return any(
        isinstance(decision, CandidateSized)
        and decision.candidate is Candidate.SMALLEST_WITHIN_LIMIT
        for decision in schedule.decisions
    )
