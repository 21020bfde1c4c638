"""What was asked, what was applied, and which knobs have no effect; no Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.base.errors import OptionError
from core.base.frozen import Frozen, NamedTuple, replace
from core.ir import knobs
from core.ir.decisions import Candidate, CandidateSized
from core.ir.knob import Knob, Listed, Number, Size, Value
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.schedule import Schedule
from core.ir.settings import Settings
from core.target.config import Catalogue
from core.target.target import Target
from gui.document.answer import Answer
from gui.document.display import ByteUnit
from gui.document.document import Document
from gui.present.company import fast_memory
from gui.present.compiled import fixed_knobs, is_compiled
from gui.present.units import KIB, size

SizeText = Callable[[int], str]
"""How a number of bytes is written."""

NO_LIMIT = "no limit"


class Verdict(Frozen):
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
    """The verdict on an answer's fast storage, with all models that are in the device."""
    scheduled = answer.scheduled
    if (memory := fast_memory(answer)) is not None:
        return Verdict(required_bytes=memory.peak_bytes, limit_bytes=memory.limit_bytes)
    return Verdict(
        required_bytes=scheduled.fast_bytes,
        limit_bytes=own_limit(scheduled.target),
        is_told=not is_compiled(answer),
    )


def own_limit(target: Target) -> int | None:
    """The limit that a target sets; None where it is only what can be addressed."""
    limit = target.fast_limit_bytes
    return None if limit >= target.accelerator.max_address else limit


def limit_text(limit_bytes: int | None, unit: ByteUnit = ByteUnit.KIB) -> str:
    """A limit as it is shown."""
    return NO_LIMIT if limit_bytes is None else size(limit_bytes, unit)


def limit_field(limit_bytes: int | None) -> str:
    """A limit as the command line takes it."""
    if limit_bytes is None:
        return ""
    whole, rest = divmod(limit_bytes, KIB)
    return str(limit_bytes) if rest or not whole else f"{whole}K"


def asked(settings: Settings, target: Target, size_text: SizeText = size) -> Mapping[str, str]:
    """Each knob's value, the defaults filled in."""
    return _texts(settings, target, settings.options, size_text)


def applied(answer: Answer, size_text: SizeText = size) -> Mapping[str, str]:
    """What the compiler has worked with, knob by knob; of a compiled model, what is assumed."""
    scheduled = answer.scheduled
    found_by = scheduled.layout.allocator or scheduled.options.allocator
    options = replace(scheduled.options, allocator=found_by)
    texts = _texts(answer.document.settings, scheduled.target, options, size_text)
    fixed = fixed_knobs(answer.document, answer).keys() - {"accelerator"}
    return {name: text for name, text in texts.items() if name not in fixed}


def applied_title(answer: Answer | None, *, is_older: bool) -> str:
    """What stands above what the compiler has worked with."""
    if answer is None:
        return ""
    if is_older:
        return "Applied before"
    return "Assumed" if is_compiled(answer) else "Applied"


def _texts(
    settings: Settings, target: Target, options: Options, size_text: SizeText
) -> Mapping[str, str]:
    taken = replace(Settings.of(target, options), configs=settings.configs)
    texts = {knob.name: knob.text(knob.value(taken), size_text) for knob in knobs.KNOBS}
    limit = own_limit(target)
    return texts | {"limit_bytes": NO_LIMIT if limit is None else size_text(limit)}


def offered(
    knob: Knob,
    settings: Settings,
    answer: Answer | None,
    catalogue: Catalogue,
    size_text: SizeText = size,
) -> tuple[Value, ...]:
    """What a knob can be set to; where any number would do, what is asked and what makes sense."""
    asked_for = knob.value(settings)
    match knob.takes:
        case Number(offers=offers):
            numbers = sorted({*offers, asked_for})
            return tuple(Value(knob.text(number), number) for number in numbers)
        case Listed():
            kinds = ((kind,) for kind in _kinds(answer))
            words = dict.fromkeys((asked_for, *kinds)) if asked_for else kinds
            return (Value(knob.text(()), ()), *(Value(knob.text(each), each) for each in words))
        case Size():
            front = answer.scheduled.schedule.front if answer else ()
            sizes = sorted({asked_for, *(point.peak_bytes for point in front)} - {None})
            return tuple(Value(knob.text(most, size_text), most) for most in (None, *sizes))
        case _:
            return knob.choices(catalogue)


def _kinds(answer: Answer | None) -> list[str]:
    """The kinds of operators that the model has."""
    subgraphs = answer.scheduled.network.subgraphs if answer else ()
    return sorted({op.kind for subgraph in subgraphs for op in subgraph.operators})


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
    elif current and not current.scheduled.schedule.has_no_room:
        found["eviction"] = "nothing has to leave fast storage"
    if settings.options.engine is Engine.PARETO:
        found.update(_without_effect_on_fronts(settings))
    if not settings.options.is_best:
        found["effort"] = "only the best search grows a front"
    if settings.options.search is Search.COMPATIBLE:
        found["robust"] = "the compatible schedule is what others would be held against"
    else:
        found["as_first"] = "only the compatible search follows another compiler"
    if reason := _limit_without_effect(settings, target, current, unit):
        found["limit_bytes"] = reason
    if (
        current
        and settings.options.force_symmetric_int_weights
        and not current.scheduled.run.graph.warnings
    ):
        found["force_symmetric_int_weights"] = "all signed weights are symmetric"
    return found


def _without_effect_on_fronts(settings: Settings) -> Mapping[str, str]:
    """Why knobs change nothing for the Pareto engine."""
    found = {
        knob.name: f"a front {instead}"
        for knob in knobs.KNOBS
        if (instead := knob.needless(settings))
    }
    pareto = settings.options.pareto
    if pareto.most_bytes is not None:
        found["strategy"] = "a schedule of the front was adopted"
    elif pareto.weights.are_given:
        found["strategy"] = "the lowest weighted sum is taken"
    if pareto.cascading and not pareto.ifm_streaming:
        found["pareto.cascading"] = "cascades need IFM streaming"
    return found


def _limit_without_effect(
    settings: Settings, target: Target, answer: Answer | None, unit: ByteUnit
) -> str:
    """Why the schedule is the same for any limit, or for any higher one."""
    options = settings.options
    is_size = options.strategy is Strategy.SIZE and options.engine is Engine.CASCADING
    if is_size and not target.is_spilling:
        return "strategy Size takes the smallest schedule, whatever the limit"
    if answer is None or options.engine is Engine.PARETO:
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
