"""The order of operators: smaller ones are found, executed equal, frozen; wrong ones are found."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, permutations
from types import SimpleNamespace

import pytest

from core.api import compiler, edits, networks, proof, reasons, schedules, targets
from core.base.frozen import replace
from core.base.progress import SILENT
from core.check.schedule import verify
from core.ir.decisions import Candidate
from core.ir.edits import Edit, EditFate, Ground, What
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.schedule import Schedule
from core.ir.scheduled import Scheduled
from core.ir.search_records import OrderTried
from core.liveness.order import needs_of
from core.pipeline.adoption import adopted
from core.schedule.island_search import better_order
from core.schedule.ordering import best_first
from core.schedule.ordering.best_first import smaller_orders
from core.schedule.question import Question
from core.schedule.solved import Solved
from core.synth.builder import Builder
from core.target.target import Area
from core.tflite import writer
from tests.core.edits.frozen import compiled
from tests.networks.detector import detector
from tests.shared import need

TARGET = targets.resolve_target("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
SPILLING = targets.resolve_target("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SIZE = Options(strategy=Strategy.SIZE)


@cache
def model() -> bytes:
    """Two branches: one makes much, and keeps it; the other makes more, and keeps little. As the
    graph is walked, the first of them runs first."""
    b = Builder(3)
    x = b.input((1, 64))
    kept = b.fully_connected(x, 2048)
    passing = b.fully_connected(b.fully_connected(x, 4096), 16)
    end = b.fully_connected(b.concat((kept, b.fully_connected(passing, 16)), 1), 16)
    return writer.write(b.build([end], "two_branches"))


@cache
def bench() -> schedules.Workbench:
    return schedules.Workbench(networks.run(model(), TARGET, Options()))


@cache
def smallest() -> Scheduled:
    return bench().schedule(TARGET, SIZE)


def order_of(scheduled: Scheduled) -> list[int]:
    return [plan.op for plan in scheduled.plans()]


def with_order(scheduled: Scheduled, order: list[int]) -> Schedule:
    """The schedule with operators in another order, each at the time of that place."""
    (island,) = scheduled.schedule.islands
    plans = {plan.op: plan for plan in island.ops}
    times = [plan.time for plan in island.ops]
    ops = tuple(replace(plans[op], time=time) for op, time in zip(order, times, strict=True))
    return replace(scheduled.schedule, islands=(replace(island, ops=ops),))


def test_less_is_live_in_another_order_and_why_says_so() -> None:
    found = smallest()
    before = bench().schedule(TARGET, replace(SIZE, search=Search.COMPATIBLE))
    assert order_of(found) != sorted(order_of(found))
    assert order_of(before) == sorted(order_of(before))
    (record,) = (d for d in found.schedule.decisions if isinstance(d, OrderTried))
    assert record.is_taken
    assert record.peak_bytes < record.peak_bytes_before


def test_an_operator_that_was_put_off_says_behind_which_and_what_that_saves() -> None:
    found = smallest()
    (record,) = (d for d in found.schedule.decisions if isinstance(d, OrderTried))
    order = order_of(found)
    for op in order:
        overtaking = [each for each in order[: order.index(op)] if each > op]
        told = why_of(found, op)
        assert len(told) == bool(overtaking) == (op in record.ops)
        for text in told:
            assert f"runs after operator {overtaking[-1]} " in text
            assert f"{record.peak_bytes:,} bytes in {round(record.cycles):,} cycles" in text
            assert f"{record.peak_bytes_before:,} bytes in" in text
    assert record.ops


def test_why_of_an_order_that_no_search_has_taken_gives_no_figures() -> None:
    found = smallest()
    frozen = edits.freeze(found.graph, found.schedule, found.target)
    again = bench().schedule(TARGET, replace(SIZE, edits=frozen))
    texts = [text for op in order_of(again) for text in why_of(again, op)]
    assert texts
    assert not any("bytes" in text for text in texts)


def why_of(scheduled: Scheduled, op: int) -> list[str]:
    """What Why says of an operator's place in the order."""
    analysis = schedules.analyse(scheduled)
    told = reasons.explain(scheduled, analysis, reasons.AboutOp(op))
    return [text for topic, text in told if topic == "order"]


def test_figures_of_the_file_stay_those_of_the_file_when_a_third_order_is_tried() -> None:
    in_file, other = (solved_with(peak) for peak in (900, 500))
    for third in (solved_with(400), solved_with(700)):
        best = better_order(other, third, in_file, 0, lambda each: float(each.now.peak_bytes))
        record = best.decisions[-1]
        assert isinstance(record, OrderTried)
        assert (record.peak_bytes_before, record.cycles_before) == (900, 900.0)
        assert record.is_taken == (third.now.peak_bytes < 500)


def solved_with(peak_bytes):
    """An island of which only the peak matters."""
    problem = bench()._searches.of(Question.of(TARGET, Options())).stored.problems[0]
    now = SimpleNamespace(peak_bytes=peak_bytes)
    return Solved(
        problem=problem, candidate=Candidate.WHOLE_MAPS, draft=None, now=now, limit_bytes=0
    )


@pytest.mark.parametrize("target", [TARGET, SPILLING], ids=["shared", "dedicated"])
def test_it_executes_equal(target) -> None:
    made = compiler.compile_model(schedules.schedule(model(), target, SIZE)).data
    found = proof.verify(made, model(), inputs=2)
    assert found.holds, found.sentences()
    assert all(output.is_equal for output in found.outputs)


def test_no_order_has_a_lower_peak_of_whole_maps() -> None:
    problem = bench()._searches.of(Question.of(TARGET, Options())).stored.problems[0]
    found = smaller_orders(problem, problem.needs, {}, SILENT)
    assert found
    ops = problem.island.ops
    needs = needs_of(problem.graph, ops).of
    assert len(ops) < 9, "too many orders to try each"
    peaks = {
        order: live_at_most(order, problem)
        for order in permutations(ops)
        if all(order.index(a) < order.index(b) for b in ops for a in needs[b])
    }
    assert min(peaks[order] for order in found) == min(peaks.values()) < peaks[ops]


def test_a_network_of_which_hundreds_of_operators_can_be_next_takes_no_longer(monkeypatch) -> None:
    """There were 45 million looks at operators of this one, which took 40 seconds."""
    spilling = targets.resolve_target("ethos-u65-512", "Ethos_U65_Mid_End", "Dedicated_Sram_256KB")
    network = need("models/keras_lstm_mnist_ptq.tflite").read_bytes()
    # The product of each gate with each step of the input can come first.
    by_gate = Options(search=Search.COMPATIBLE)
    wide = schedules.Workbench(networks.run(network, spilling, by_gate))
    prepared = wide._searches.of(Question.of(spilling, Options()))
    looks = [0]
    added = best_first._Memory.added

    def counted(self, at: int, done: int) -> tuple[int, int]:
        looks[0] += 1
        return added(self, at, done)

    monkeypatch.setattr(best_first._Memory, "added", counted)
    problem = prepared.stored.problems[0]
    smaller_orders(problem, problem.needs, {}, SILENT)
    assert 0 < looks[0] < 10_000


def live_at_most(order, problem) -> int:
    """The most bytes of whole maps, counted from scratch."""
    touched = {op: set(problem.nodes[problem.island.ops.index(op)].maps) for op in order}
    over = {op: problem.nodes[problem.island.ops.index(op)].overwrites for op in order}
    most = 0
    for at, op in enumerate(order):
        before = set().union(*(touched[each] for each in order[:at]), problem.beside.before)
        after = set().union(*(touched[each] for each in order[at + 1 :]), problem.beside.after)
        live = touched[op] | (before & after)
        made = problem.nodes[problem.island.ops.index(op)].ofm.fm
        given = [fm for fm in over[op] if fm not in after]
        saved = min(problem.sizes[made], problem.sizes[given[0]]) if given else 0
        most = max(most, sum(problem.sizes[fm] for fm in live) - saved)
    return most


def test_a_detector_takes_as_little_whichever_heads_its_file_has_last() -> None:
    """Maps that wait for heads behind a softmax are read first, if their heads make little."""
    taken = []
    for boxes_last in (False, True):
        data = writer.write(detector(boxes_last=boxes_last))
        taken.append(schedules.schedule(data, TARGET, SIZE).layout.used_bytes(Area.SRAM))
    # Without outputs over rows that nobody reads any more both take 38,400.
    assert max(taken) <= 38_400


def test_a_wrong_order_is_found_by_the_judge() -> None:
    found = smallest()
    graph = found.run.graph
    assert not verify(graph, TARGET, found.schedule)
    needs = needs_of(graph, graph.islands[0].ops)
    tried = 0
    order = order_of(found)
    for at, (one, other) in enumerate(pairwise(order)):
        if one in needs.of[other]:
            wrong = [*order[:at], other, one, *order[at + 2 :]]
            messages = [each.message for each in verify(graph, TARGET, with_order(found, wrong))]
            assert any("runs before" in message for message in messages)
            tried += 1
    assert tried > 1


@pytest.mark.parametrize("engine", Engine)
def test_what_is_frozen_is_found_again(engine: Engine) -> None:
    found = smallest()
    frozen = edits.freeze(found.graph, found.schedule, found.target)
    again = bench().schedule(TARGET, replace(SIZE, edits=frozen, engine=engine))
    assert {each.fate for each in again.edits} == {EditFate.HONOURED}
    assert order_of(again) == order_of(found)
    assert compiled(bench(), again) == compiled(bench(), found)


def test_the_order_of_a_file_that_we_compiled_is_adopted() -> None:
    """It has no names of what moved."""
    found = smallest()
    asked = adopted(compiler.compile_model(found).data, found.graph, TARGET)
    assert asked.matched == len(found.graph.ops)
    assert {edit.what for edit in asked.edits} & {What.BEFORE, What.AFTER}
    for options in (Options(), SIZE):
        again = bench().schedule(TARGET, replace(options, edits=asked.edits))
        assert {each.fate for each in again.edits} == {EditFate.HONOURED}
        assert order_of(again) == order_of(found)


def test_an_order_that_is_asked_for_is_kept_by_all_searches() -> None:
    free = bench().schedule(TARGET, Options())
    needs = needs_of(free.graph, free.graph.islands[0].ops)
    names = edits.Names.of(free.graph).ops
    order = order_of(free)
    one, other = next(
        (a, b) for at, b in enumerate(order) for a in order[:at] if not needs.path(a, b)
    )
    asked = (
        Edit(subject=names[other], what=What.BEFORE, value=names[one]),
        Edit(subject=names[one], what=What.AFTER, value=names[other]),
    )
    for edit in asked:
        for options in (Options(), SIZE, Options(engine=Engine.PARETO)):
            done = bench().schedule(TARGET, replace(options, edits=(edit,)))
            assert done.edits[0].fate is EditFate.HONOURED
            assert order_of(done).index(other) < order_of(done).index(one)


def test_an_order_that_cannot_be_names_what_is_needed() -> None:
    free = bench().schedule(TARGET, Options())
    names = edits.Names.of(free.graph).ops
    edit = Edit(subject=names[order_of(free)[-1]], what=What.BEFORE, value=names[order_of(free)[0]])
    (became,) = bench().schedule(TARGET, Options(edits=(edit,))).edits
    assert became.fate is EditFate.REFUSED
    assert became.reasons[0].ground is Ground.DEPENDS
    assert became.reasons[0].ops[0] == edit.value
    assert became.reasons[0].ops[-1] == edit.subject
    assert became.reasons[0].maps


def test_orders_that_contradict_each_other_both_lose() -> None:
    free = bench().schedule(TARGET, Options())
    needs = needs_of(free.graph, free.graph.islands[0].ops)
    names = edits.Names.of(free.graph).ops
    order = order_of(free)
    one, other = next(
        (a, b) for at, b in enumerate(order) for a in order[:at] if not needs.path(a, b)
    )
    asked = (
        Edit(subject=names[other], what=What.BEFORE, value=names[one]),
        Edit(subject=names[one], what=What.BEFORE, value=names[other]),
    )
    became = bench().schedule(TARGET, Options(edits=asked)).edits
    refused = [each for each in became if each.fate is EditFate.REFUSED]
    assert refused
    assert all(each.reasons[0].ground is Ground.CONTRADICTED for each in refused)
    assert [each.reasons[0].edits for each in refused]
