"""Files of edits and schedules to adopt, damaged, through a search and its judges.

Whatever is asked for, the schedule is legal, and what is said to be honoured is so.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from core.api import edits, listings, networks, schedules, targets
from core.base.errors import InternalError
from core.base.frozen import replace
from core.edits.kind import Here
from core.edits.kinds import kind_of
from core.ir.edits import EditFate
from core.ir.options import Engine, Options, Search, Strategy
from tests.fuzz.damage import EDGES, damaged_json
from tests.fuzz.kind import Inconsistent, Kind

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
NAMES = ("kws_dscnn", "denoise_int16", "resnet8", "unet_128")
TARGETS = ("ethos-u55-128", "ethos-u65-256")
"""One with a memory for all maps, one with another for those that are used often."""
LIMITS = (6_000, 24_000, 96_000, 400_000)
MOST_EDITS = 30
OTHERS: dict[str, tuple[Any, ...]] = {
    "region": ("fast", "slow"),
    "format": ("bricks", "rows"),
    "traversal": ("depth first", "part kernel"),
    "block": ("2x2x8", "16x16x16", "1x64x64", "4x8x512"),
}


class Question(NamedTuple):
    """A network, and what it is scheduled for."""

    name: str
    accelerator: str
    limit_bytes: int


@functools.cache
def _bench(name: str, accelerator: str, search: Search) -> schedules.Workbench:
    data, target = (EXAMPLES / f"{name}.tflite").read_bytes(), targets.resolve_target(accelerator)
    return schedules.Workbench(networks.run(data, target, Options(search=search)))


def _scheduled(asked: Question, options: Options) -> schedules.Scheduled:
    target = targets.resolve_target(asked.accelerator).with_limit(asked.limit_bytes)
    return _bench(asked.name, asked.accelerator, options.search).schedule(target, options)


def _question(random: Random) -> Question:
    return Question(random.choice(NAMES), random.choice(TARGETS), random.choice(LIMITS))


class Base(NamedTuple):
    """What is asked, and a file that belongs to it."""

    asked: Question
    text: str


def _edits_base(random: Random) -> Base:
    """Some decisions of a schedule for one limit, asked for within another."""
    asked = _question(random)
    text = edits.decisions(_scheduled(asked, Options()))
    plain = json.loads(text)
    count = random.randint(1, MOST_EDITS)
    plain["edits"] = random.sample(plain["edits"], min(count, len(plain["edits"])))
    for edit in plain["edits"]:
        if random.random() < 0.3:
            edit["value"] = _other(edit["what"], edit["value"], random)
    plain["edits"] += _more(asked, random)
    return Base(asked._replace(limit_bytes=random.choice(LIMITS)), json.dumps(plain))


def _other(what: str, value: Any, random: Random) -> Any:
    """Another value of the kind that a decision has."""
    if what in OTHERS:
        return random.choice(OTHERS[what])
    if isinstance(value, int):
        return random.choice((*EDGES, value + 1, max(value - 1, 0), 2 * value))
    if isinstance(value, dict):
        return value | {
            "buffers": random.choice((0, 1, 2)),
            "prefetch": random.choice((True, False)),
        }
    return value


def _more(asked: Question, random: Random) -> list[Any]:
    """What no schedule decides by itself: groups, addresses and reserves."""
    graph = _bench(asked.name, asked.accelerator, Search.DIRECT).run.graph
    names = edits.Names.of(graph)
    at = random.randrange(len(names.ops))
    few = [{"operator": name.name, "ordinal": name.ordinal} for name in names.ops[at : at + 4]]
    some = random.choice(names.maps)
    possible = [
        {"subject": {"operators": few}, "what": "cascade", "value": "together"},
        {"subject": {"operators": few}, "what": "cascade", "value": "never"},
        {"subject": {"edge": [few[0], few[-1]]}, "what": "cascade", "value": "apart"},
        {
            "subject": {"map": some.name, "ordinal": some.ordinal},
            "what": "address",
            "value": random.choice((0, 16, 1000, 4096, *EDGES)),
        },
        {
            "subject": {"region": "fast", "from": few[0], "to": few[-1]},
            "what": "reserve",
            "value": random.choice((0, 1, 4096, *EDGES)),
        },
    ]
    return random.sample(possible, random.randint(0, 3))


def _adopted_base(random: Random) -> Base:
    asked = _question(random)
    done = _scheduled(asked, Options(search=random.choice((Search.COMPATIBLE, Search.DIRECT))))
    plain = listings.describe_schedule("model", done)
    kept = {name: plain[name] for name in ("schedules", "allocations")}
    return Base(asked._replace(limit_bytes=random.choice(LIMITS)), json.dumps(kept))


def _damaged(base: Base, random: Random) -> bytes:
    """Half of them are as they were: what is asked for is strange enough."""
    return base.text.encode() if random.random() < 0.5 else damaged_json(base.text, random)


def _options(random: Random) -> Options:
    return Options(
        search=random.choice((Search.DIRECT, Search.DIRECT, Search.COMPATIBLE)),
        strategy=random.choice(tuple(Strategy)),
        engine=random.choice((Engine.CASCADING, Engine.CASCADING, Engine.PARETO)),
    )


def _use_edits(base: Base, data: bytes, random: Random) -> None:
    file = edits.decode(data)
    if edits.decode(edits.encode(file).encode()) != file:
        raise Inconsistent("it is another file when it is written and read again")
    _judge(base.asked, _options(random), file.edits)


def _use_adopted(base: Base, data: bytes, random: Random) -> None:
    options = _options(random)
    target = targets.resolve_target(base.asked.accelerator).with_limit(base.asked.limit_bytes)
    graph = _bench(base.asked.name, base.asked.accelerator, options.search).run.graph
    found = edits.adopted(data, graph, target, with_addresses=random.random() < 0.5)
    _judge(base.asked, options, found.edits)


def _judge(asked: Question, options: Options, asked_edits: tuple[Any, ...]) -> None:
    """Schedule with edits; layouts and schedules have judges of their own."""
    try:
        done = _scheduled(asked, replace(options, edits=asked_edits))
    except InternalError as error:
        raise Inconsistent(f"a judge refuses what was found: {error}") from error
    if tuple(outcome.edit for outcome in done.edits) != asked_edits:
        raise Inconsistent("not each edit has its outcome")
    names = edits.Names.of(done.graph)
    for outcome in done.edits:
        is_on = outcome.edit.is_on
        if (outcome.fate is EditFate.OFF) is is_on:
            raise Inconsistent("an edit is off that is on")
        if outcome.fate is EditFate.HONOURED:
            kind = kind_of(outcome.edit.what)
            found = kind.applied(Here(done.schedule, done.layout, names), outcome.edit)
            if not kind.holds(outcome.edit.value, found):
                raise Inconsistent("an edit is honoured, and the schedule does not have it")
        elif outcome.fate is not EditFate.OFF and not outcome.reasons:
            raise Inconsistent("an edit is not honoured, and nobody says why")
        for text in map(edits.reason_text, outcome.reasons):
            if "\n" in text or not text:
                raise Inconsistent("a reason is not one line")


KIND = Kind("json", _edits_base, _damaged, _use_edits)
ADOPTED = Kind("json", _adopted_base, _damaged, _use_adopted)
