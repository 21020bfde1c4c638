"""Each kind of edit reaches each engine: what a search would not have done, it does when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from core.api import networks
from core.base.frozen import replace
from core.base.geometry import Block
from core.edits.kind import Here
from core.edits.kinds import kind_of
from core.edits.names import Names
from core.ir.edits import (
    EdgeNamed,
    Edit,
    EditFate,
    Ground,
    Grouping,
    Living,
    OpNamed,
    OpsNamed,
    SpanNamed,
    Traversal,
    WeightsAsked,
    What,
)
from core.ir.options import Engine, Options, Search
from core.ir.scheduled import Scheduled
from core.pipeline.legal_values import free_of
from core.pipeline.scheduled import Workbench
from core.target.format import Format
from core.target.resolve import resolve

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
MODEL = EXAMPLES / "kws_dscnn.tflite"
CASCADED = EXAMPLES / "residual_tower.tflite"
"""With little memory, either engine has cascades in it."""
SHARED = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(48 << 10)
TARGETS = {"shared": SHARED, "dedicated": DEDICATED, "cascaded": DEDICATED}

Proposals = Callable[[Scheduled], Iterator[Edit]]


def regions(done: Scheduled) -> Iterator[Edit]:
    for fm in sorted({op.ofm.fm for op in done.graph.ops}):
        for living in Living:
            yield Edit(subject=Names.of(done.graph).maps[fm], what=What.REGION, value=living)


def formats(done: Scheduled) -> Iterator[Edit]:
    for fm in sorted({op.ofm.fm for op in done.graph.ops}):
        for order in Format:
            yield Edit(subject=Names.of(done.graph).maps[fm], what=What.FORMAT, value=order)


def cascades(done: Scheduled) -> Iterator[Edit]:
    names = Names.of(done.graph).ops
    for pair in pairwise(names):
        yield Edit(subject=OpsNamed(pair), what=What.CASCADE, value=Grouping.TOGETHER)


def cuts(done: Scheduled) -> Iterator[Edit]:
    for pair in pairwise(Names.of(done.graph).ops):
        yield Edit(subject=EdgeNamed(*pair), what=What.CASCADE, value=Grouping.APART)
        yield Edit(subject=OpsNamed(pair[1:]), what=What.CASCADE, value=Grouping.NEVER)


def addresses(done: Scheduled) -> Iterator[Edit]:
    for fm in sorted({op.ofm.fm for op in done.graph.ops}):
        for address in (0, 4096):
            yield Edit(subject=Names.of(done.graph).maps[fm], what=What.ADDRESS, value=address)


def orders(done: Scheduled) -> Iterator[Edit]:
    names = Names.of(done.graph).ops
    pairs = ((op.id, other) for op in done.graph.ops for other in sorted(free_of(done, op.id)))
    for one, other in pairs:
        for what in (What.BEFORE, What.AFTER):
            yield Edit(subject=names[one], what=what, value=names[other])


def of_ops(what: What, *values: object) -> Proposals:
    def proposals(done: Scheduled) -> Iterator[Edit]:
        for name in Names.of(done.graph).ops:
            for value in values:
                yield Edit(subject=name, what=what, value=value)

    return proposals


def rollings(done: Scheduled) -> Iterator[Edit]:
    for fm in sorted({op.ofm.fm for op in done.graph.ops}):
        yield Edit(subject=Names.of(done.graph).maps[fm], what=What.ROLLING, value=7)


def reserves(done: Scheduled) -> Iterator[Edit]:
    first, *_, last = Names.of(done.graph).ops
    yield Edit(subject=SpanNamed(first, last), what=What.RESERVE, value=512)


SWITCH = (True, False)
KINDS: dict[str, tuple[str, Proposals]] = {
    "region": ("dedicated", regions),
    "format": ("shared", formats),
    "together": ("shared", cascades),
    "apart and never": ("cascaded", cuts),
    "stripe": ("shared", of_ops(What.STRIPE, 3, 5)),
    "block": ("shared", of_ops(What.BLOCK, Block(4, 4, 16), Block(2, 8, 32))),
    "traversal": ("shared", of_ops(What.TRAVERSAL, *Traversal)),
    "rolling": ("dedicated", rollings),
    "buffers": ("dedicated", of_ops(What.WEIGHTS, *(WeightsAsked(buffers=n) for n in range(3)))),
    "slices": ("dedicated", of_ops(What.WEIGHTS, WeightsAsked(depths=(0, 16, 48, 64)))),
    "early": (
        "dedicated",
        of_ops(What.WEIGHTS, *(WeightsAsked(prefetch=b) for b in (True, False))),
    ),
    "reserve": ("shared", reserves),
    "address": ("shared", addresses),
    "order": ("cascaded", orders),
}


@cache
def bench(name: str) -> Workbench:
    model = CASCADED if name == "cascaded" else MODEL
    return Workbench(networks.run(model.read_bytes(), TARGETS[name], Options()))


def is_so(done: Scheduled, edit: Edit) -> bool:
    kind, here = kind_of(edit.what), Here(done.schedule, done.layout, Names.of(done.graph))
    return kind.holds(edit.value, kind.applied(here, edit))


@pytest.mark.long
@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize("kind", KINDS)
def test_what_would_not_have_been_done_is_done_when_asked(kind: str, engine: Engine):
    name, proposals = KINDS[kind]
    table, target, options = bench(name), TARGETS[name], Options(engine=engine)
    free = table.schedule(target, options)
    others = [edit for edit in proposals(free) if not is_so(free, edit)]
    assert others, "the target leaves nothing of this kind to be asked for"
    fates = set()
    for edit in others[:5]:
        (outcome,) = table.schedule(target, replace(options, edits=(edit,))).edits
        fates.add(outcome.fate)
        is_explained = all(
            reason.is_proved or reason.ground is Ground.NO_ROOM for reason in outcome.reasons
        )
        is_honoured = outcome.fate is EditFate.HONOURED
        assert is_honoured or is_explained or is_done_in_another_order(table, free, edit)
    assert EditFate.HONOURED in fates


def is_done_in_another_order(table: Workbench, free: Scheduled, edit: Edit) -> bool:
    """Whether what this order forbids is honoured where somebody else runs before its subject."""
    return any(
        all(outcome.fate is EditFate.HONOURED for outcome in done.edits)
        for order in orders(free)
        if (order.what, order.subject) == (What.AFTER, edit.subject)
        for done in [table.schedule(free.target, Options(edits=(order, edit)))]
    )


def test_every_kind_of_decision_is_among_them():
    tried = (
        proposals(bench(name).schedule(TARGETS[name], Options()))
        for name, proposals in KINDS.values()
    )
    # What runs an operator is no search's to find: `test_processors.py` has it.
    assert {edit.what for edits in tried for edit in edits} == {*What} - {What.PROCESSOR}


@pytest.mark.long
@pytest.mark.parametrize("search", Search)
def test_every_search_keeps_edits(search: Search):
    done = bench("dedicated")
    table = Workbench(networks.run(MODEL.read_bytes(), DEDICATED, Options(search=search)))
    edit = Edit(subject=OpNamed(done.run.graph.ops[2].name), what=What.BLOCK, value=Block(4, 4, 16))
    options = Options(search=search, edits=(edit,))
    for limit in (64, 24, 6):
        (outcome,) = table.schedule(DEDICATED.with_limit(limit << 10), options).edits
        assert outcome.fate is EditFate.HONOURED
