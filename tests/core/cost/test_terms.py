"""Which term decides an operator: none takes longer than the operator, together they explain it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from core.api import compiler, listings, programs, schedules
from core.base.frozen import replace
from core.cost.island import schedule_cost
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.ir.cost import OperatorCost, Term
from core.ir.npugraph import OpKind
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.report.where import causes, term_text
from core.target.resolve import resolve
from core.target.target import Target

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
U55 = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
U65 = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
TARGETS = {"u55": U55, "u55 small": U55.with_limit(24 << 10), "u65": U65.with_limit(32 << 10)}
NAMES = ("kws_dscnn", "residual_tower", "mobilenet_v2_035_96")


@cache
def scheduled(name: str, target: Target) -> Scheduled:
    return schedules.schedule((EXAMPLES / f"{name}.tflite").read_bytes(), target, Options())


def decides(cost: OperatorCost) -> Term:
    return cost.ranked[0][0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", TARGETS)
def test_terms_explain_an_operator(name, target):
    done = scheduled(name, TARGETS[target])
    for op, cost in zip(done.graph.ops, done.costs, strict=True):
        # Whole cycles are counted command by command.
        slack = 0.01 * cost.total_cycles + 64
        assert max(cost.terms) <= cost.total_cycles + slack, op.name
        assert sum(cost.terms) >= cost.total_cycles - slack, op.name
        ranked = [cycles for _, cycles in cost.ranked]
        assert ranked == sorted(ranked, reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_what_decides_is_what_a_faster_port_helps(name):
    """With ports that are never waited for, those get faster that a port decides, and no others."""
    done = scheduled(name, U55)
    system = U55.system
    for place, term in (("axi0", Term.SRAM), ("axi1", Term.EXTERNAL)):
        memory = getattr(system, place)
        fast = replace(memory, clock_scale=memory.clock_scale * 50, max_reads=0, max_writes=0)
        model = CostModel(replace(U55, system=replace(system, **{place: fast})))
        costs, _ = schedule_cost(StripePrices(done.graph, model), done.schedule, done.layout)
        for op, cost, faster in zip(done.graph.ops, done.costs, costs, strict=True):
            if not cost.ranked or op.kind is OpKind.COPY:
                # What is copied before constants are read is a few bytes: they wait for an answer.
                continue
            gain = 1 - faster.total_cycles / cost.total_cycles
            if decides(cost) is term:
                # Those before it are faster too, and may not hide any more what comes meanwhile.
                brought = list(Term).index(Term.EXTERNAL)
                assert gain > 0 or faster.terms[brought] > cost.terms[brought], op.name
            elif gain > 0.1:
                # Its blocks begin sooner, or some of its stripes waited.
                assert cost.term_share(cost.terms[list(Term).index(term)]) > 0.1, op.name


def test_a_slower_port_decides_more():
    """The same network, with a port as slow as can be: then it is that port."""
    system = U55.system
    slow_sram = replace(system, axi0=replace(system.axi0, clock_scale=0.02))
    slow_flash = replace(system, axi1=replace(system.axi1, clock_scale=0.002))
    for slow, term in ((slow_sram, Term.SRAM), (slow_flash, Term.EXTERNAL)):
        done = scheduled("kws_dscnn", replace(U55, system=slow))
        assert causes(done)[0].term is term
        assert causes(done)[0].share > 0.8


def test_a_far_memory_decides_by_its_latency():
    far = replace(U65.system, axi1=replace(U65.system.axi1, read_latency=20_000))
    done = scheduled("kws_dscnn", replace(U65, system=far))
    near = scheduled("kws_dscnn", U65)
    waits = list(Term).index(Term.LATENCY)
    assert sum(cost.terms[waits] for cost in done.costs) > 2 * sum(
        cost.terms[waits] for cost in near.costs
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_compiled_model_is_slow_for_the_same(name):
    done = scheduled(name, U55)
    opened = programs.open_compiled(compiler.compile_model(done).data, lambda _: U55)
    assert opened is not None
    back = programs.read_back(opened).scheduled
    same = [
        decides(a) is decides(b)
        for a, b in zip(done.costs, back.costs, strict=True)
        if a.ranked and b.ranked
    ]
    assert sum(same) >= 0.95 * len(same)


@pytest.mark.parametrize("name", NAMES)
def test_causes_add_up_and_stand_in_every_form(name):
    done = scheduled(name, U55)
    plain = listings.describe_schedule("x", done)
    told = plain["where_time_goes"]
    assert sum(cause["cycles"] for cause in told) == pytest.approx(done.total.total_cycles)
    assert sum(cause["share"] for cause in told) == pytest.approx(1)
    cycles = [cause["cycles"] for cause in told]
    assert cycles == sorted(cycles, reverse=True)
    text = listings.render_schedule("x", done)
    assert text.index("Where the time goes") < text.index("Operators")
    for part in plain["schedules"]:
        for op in part["ops"]:
            terms = op["cost"]["terms"]
            cost = done.costs[op["number"]]
            assert list(terms.values()) == list(cost.terms)
            ranked = [term.name.lower() for term, _ in cost.ranked]
            assert [op["cost"]["decides"], op["cost"]["next"]] == [*ranked, None, None][:2]


def test_why_says_what_decides_and_what_is_next():
    cost = replace(
        scheduled("kws_dscnn", U55).costs[0],
        npu_cycles=100,
        own_cycles=100,
        sram_cycles=97.0,
        terms=(100.0, 97.0, 0.0, 10.0, 20.0, 5.0, 0.0),
    )
    cost = replace(cost, dram_cycles=0.0, on_chip_flash_cycles=0.0, off_chip_flash_cycles=0.0)
    assert term_text(cost) == (
        "What decides is the MAC units; next is the SRAM port, with 97% of its 100 cycles."
    )
