"""The page about a schedule's JSON has every key that is written, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.api import edits, listings, networks, together
from core.base.frozen import replace
from core.edits.names import Names
from core.ir.edits import Edit, Living, What
from core.ir.notes import Note
from core.ir.options import Engine, Options, Search
from core.pipeline.scheduled import Workbench
from core.report.json_forms.forms import SCHEDULE
from core.report.json_forms.key import ANY
from core.report.json_forms.schedule import keys
from core.target.resolve import resolve
from tests.core.report.json_forms.validated import demand_as

ROOT = Path(__file__).parents[4]
MODEL = (ROOT / "resources" / "examples" / "shuffle_with_cpu.tflite").read_bytes()
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(16 << 10)
SHARED = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram").with_limit(16 << 10)
OPEN = ("sram_limit", "summary", "schedules[].cascades[].buffers")
OPEN += ("schedules[].cascades[].buffer_bytes", "schedules[].cascades[].buffer_addresses")
WHOLE = ("decisions", "edits[].asked", "edits[].applied", "edits[].reasons", "edits[].ways_out")
WHOLE += ("notes[].subject", "around.anew", "around.followed[].subject")
WHOLE += ("around.followed[].before", "around.followed[].now")
"""What is told as a whole; decisions have a table of their own."""


def paths(plain: Any, path: str) -> Iterator[str]:
    """The keys of a report, those of lists for all of their elements."""
    if path in WHOLE:
        yield path
    elif isinstance(plain, dict):
        for name, part in plain.items():
            yield from paths(part, f"{path}.{ANY if path in OPEN else name}".lstrip("."))
    else:
        yield path
        if isinstance(plain, list):
            for part in plain:
                yield from paths(part, f"{path}[]") if isinstance(part, dict) else ()


@pytest.fixture(scope="module")
def reports() -> list[dict[str, Any]]:
    """Schedules that have between them whatever is told of one."""
    run = networks.run(MODEL, DEDICATED, Options())
    fast = Edit(
        subject=Names.of(run.graph).maps[run.graph.ops[0].ofm.fm],
        what=What.REGION,
        value=Living.FAST,
    )
    asked = (
        Options(edits=(fast,)),
        Options(engine=Engine.PARETO, search=Search.COMPATIBLE),
        Options(search=Search.BEST, effort=4),
    )
    bench = Workbench(run)
    notes = (Note(subject=fast.subject, text="x"),)
    answers = [
        bench.schedule(DEDICATED.with_limit(limit), options)
        for options in asked
        for limit in (8 << 10, 64 << 10)
    ]
    shown = edits.shown_of(answers[0])
    far = Edit(subject=fast.subject, what=What.REGION, value=Living.SLOW)
    apart = replace(asked[0], edits=(far, *asked[0].edits)[:1])
    around = bench.around(shown, DEDICATED.with_limit(8 << 10), apart)
    answers.append(edits.tried(bench, around))
    whole = networks.run(MODEL, SHARED, Options())
    answers.append(Workbench(whole).schedule(SHARED, Options()))  # its cascades have overlays
    found = [
        listings.describe_schedule("x", replace(scheduled, notes=notes)) for scheduled in answers
    ]
    models = [together.Model(name="x", within=lambda _: answers[-1])]
    beside = together.scheduled(models, together.Calls.IN_TURN, None)[1]
    return [*found, {**found[-1], "together": together.describe(beside)}]


@pytest.fixture(scope="module")
def written(reports: list[dict[str, Any]]) -> set[str]:
    return {path for report in reports for path in paths(report, "")} - {"reefpoint", "version"}


def told() -> set[str]:
    """Keys that have values of their own, and not keys below them alone."""
    return {key.path for key in keys() if key.kind.strip("~?") != "object"}


@pytest.mark.long
def test_every_key_that_is_written_is_told(written: set[str]) -> None:
    assert written - told() == set()


def test_every_key_that_is_told_is_written(written: set[str]) -> None:
    assert told() - written == set()
    assert len({key.path for key in keys()}) == len(keys())


def test_schedules_are_as_the_schema_says(reports: list[dict[str, Any]]) -> None:
    demand_as(SCHEDULE, *reports)
