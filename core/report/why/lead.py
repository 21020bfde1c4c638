"""What is said first of a subject: one sentence, and at most three reasons with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from core.base.frozen import NamedTuple
from core.base.ids import FmId, IslandId, NpuOpId
from core.base.sentences import capitalised
from core.liveness.sizes import map_bytes
from core.report.why.facts import Facts, Sentence, in_bytes, in_cycles, share_text
from core.report.why.feature_map import home_text
from core.report.words import counted, seconds_text

MOST_REASONS = 3
OF_OPERATOR = ("eviction", "cascade", "stripe", "weights", "block", "bound")
OF_MAP = ("eviction", "memory", "cascade", "format")
OF_CASCADE = ("cascade", "memory", "weights", "stripe", "cost")
OF_BUFFER = ("weights", "memory")
OF_NETWORK = ("bound", "eviction", "cascade", "schedule", "memory")
"""Which topics have reasons, the most telling first."""


class Lead(NamedTuple):
    """The sentence, and the reasons among those that explain the subject."""

    headline: str
    reasons: tuple[Sentence, ...]


def reasons_of(told: Sequence[Sentence], topics: Iterable[str]) -> tuple[Sentence, ...]:
    """The first sentence with a number of each topic, as many as are read at a glance."""
    return tuple(islice(_firsts(told, topics), MOST_REASONS))


def _firsts(told: Sequence[Sentence], topics: Iterable[str]) -> Iterator[Sentence]:
    for topic in topics:
        numbered = (each for each in told if each.topic == topic and _has_number(each.text))
        if (found := next(numbered, None)) is not None:
            yield found


def _has_number(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def of_operator(facts: Facts, number: NpuOpId) -> str:
    """How much of the time it takes, and what that is for."""
    cost, total = facts.material.costs[number], facts.material.total.total_cycles
    if not round(cost.total_cycles):
        return "It takes no time."
    share = share_text(cost.total_cycles, total)
    decides = "" if cost.decides is None else f"; what decides: {cost.decides.value}"
    return f"It takes {in_cycles(cost.total_cycles)}, {share} of the inference{decides}."


def of_map(facts: Facts, number: FmId) -> str:
    """Where it is, and what that costs."""
    home, cost = home_text(facts, number), facts.eviction(number)
    if cost is None or round(cost.cycles) <= 0:
        return f"It is {home}."
    return f"It is {home}: that costs {in_cycles(cost.cycles)}."


def of_cascade(facts: Facts, number: IslandId, position: int) -> str:
    """What running stripe by stripe saves."""
    cascade = facts.material.schedule.islands[number].cascades[position]
    maps = facts.material.graph.feature_maps
    rolling = sum(buffer.size_bytes for buffer in cascade.buffers)
    whole = sum(
        map_bytes(maps[buffer.fm], facts.map_plan(buffer.fm).format) for buffer in cascade.buffers
    )
    count = counted(len(cascade.ops), "operator")
    if not cascade.buffers:
        return f"{count} run stripe by stripe."
    return (
        f"{count} run stripe by stripe, so that {in_bytes(rolling)} are enough between them,"
        f" instead of {in_bytes(whole)}."
    )


def of_network(facts: Facts) -> str:
    """How long it takes, and whether it fits."""
    material = facts.material
    need, limit = material.fast_bytes, material.target.fast_limit_bytes
    takes = f"An inference takes {seconds_text(material.total.seconds)}"
    if not material.total.total_cycles:
        return "The accelerator has nothing to do."
    if not facts.is_limit(limit):
        return f"{takes}, with {in_bytes(need)} of {facts.fast}; there is no limit."
    if need > limit:
        return f"{takes}, but needs {in_bytes(need - limit)} more {facts.fast} than it may use."
    return f"{takes}, and fits: {in_bytes(limit - need)} of {facts.fast} are left."


def first_of(told: Sequence[Sentence]) -> str:
    """The first sentence, where nothing shorter is known of a subject."""
    return capitalised(told[0].text) if told else ""
