"""The worker without its process: what it says, when it stops, and what it remembers."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import Pipe
from pathlib import Path

import pytest

from core.api import edits, networks, schedules
from core.base.frozen import replace
from core.base.memo import Memo
from core.base.progress import Cancelled
from core.ir.options import Engine, ParetoOptions
from gui.document.document import Document
from gui.jobs import worker
from gui.jobs.desk import MOST_BENCHES, Desk
from gui.jobs.messages import (
    Advanced,
    Cancel,
    Done,
    Failed,
    Price,
    Quit,
    Ranged,
    Request,
    RunMade,
    Stopped,
)
from gui.jobs.recent import MOST_ANSWERS, MOST_RUNS, Answers
from gui.jobs.wire import pack, unpack
from gui.present.units import KIB
from tests.gui.answers import answer_of, document_of, model_ref
from tests.gui.models import one_operator
from tests.settings import settings_with

ROOT = Path(__file__).parents[3]


@pytest.fixture
def ends():
    app, far = Pipe()
    yield app, worker.Line(far)
    app.close()


def heard(app, known=None):
    found = []
    while app.poll():
        found.append(unpack(app.recv_bytes(), known))
    return found


def test_what_will_be_asked_first_is_worked_out_before_and_told_when_it_is_asked(ends, monkeypatch):
    app, line = ends
    document, expected = document_of("kws_dscnn"), answer_of("kws_dscnn").scheduled
    desk = Desk()
    worker.foresee(desk, replace(document, model=None))
    worker.foresee(desk, document)
    assert not app.poll()
    monkeypatch.setattr(networks, "run", None)
    bench = desk.bench(document)
    request = Request(number=1, document=document, known_runs=frozenset({bench.key}))
    worker.answer(desk, request, line)
    *_, done = heard(app, {bench.key: bench.run})
    assert done.scheduled.schedule == expected.schedule


def test_the_worker_does_not_load_qt():
    code = "import sys, gui.jobs.worker; sys.exit(any('PySide' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="threads give way by themselves on Linux")
def test_what_comes_after_an_answer_is_behind_all_others_and_questions_do_not_wait_behind(ends):
    app, line = ends
    niceness = []

    class Growing(Desk):
        def spread(self, *_, progress):
            del progress
            niceness.append(os.nice(0))

        def improved(self, document, progress):
            del document, progress
            niceness.append(os.nice(0))
            raise worker.HungUp
            yield

        def make_ready(self, document, progress):
            del document, progress
            niceness.append(os.nice(0))

        make_ground = make_ready

    document = document_of("kws_dscnn")
    with pytest.raises(worker.HungUp):
        worker.go_on(Growing(), Price(number=1, document=document), line)
    worker.go_on(Growing(), Price(number=1, document=document, grows=False), line)
    assert len(niceness) == 6
    assert min(niceness) > os.nice(0)
    assert heard(app) == [Ranged(number=1, spread=None)] * 2


def test_nothing_is_made_ready_where_somebody_asks(ends):
    app, line = ends
    app.send_bytes(pack(Cancel()))

    class Hurried(Desk):
        def spread(self, *_, **__):
            raise AssertionError

        make_ready = spread

    worker.go_on(Hurried(), Price(number=1, document=document_of("kws_dscnn"), grows=False), line)


def test_limits_are_made_ready_once_nobody_asks_for_a_while_and_not_beside_edits_of_what_is_shown(
    ends, monkeypatch
):
    _, line = ends
    ready, pauses = [], []

    class Ready(Desk):
        def spread(self, *_, **__):
            return None

        anew = make_ground = spread

        def prices(self, *_, **__):
            return iter(())

        def make_ready(self, document, progress):
            del progress
            ready.append(document)

    monkeypatch.setattr(line, "has_more", lambda within_s=0.0: pauses.append(within_s))
    shown = edits.shown_of(answer_of("kws_dscnn").scheduled)
    plain = document_of("kws_dscnn")
    edited = replace(plain, around=shown).with_edits(shown.decisions[:1])
    for document in (plain, edited):
        worker.go_on(Ready(), Price(number=1, document=document, grows=False), line)
    assert ready == [plain]
    assert max(pauses) == worker.IDLE_PAUSE_S


def test_an_answer_refers_to_the_run_that_was_sent_before(ends):
    app, line = ends
    document = document_of("kws_dscnn")
    desk = Desk()
    # Pipes are short; whoever reads is in another process otherwise.
    worker.answer(desk, Request(number=7, document=replace(document, model=None)), line)
    assert heard(app) == [Failed(number=7, message="no model is open")]
    run = desk.bench(document).workbench.run
    key = desk.bench(document).key
    request = Request(number=8, document=document, known_runs=frozenset({key}))
    worker.answer(desk, request, line)
    *reports, done = heard(app, {key: run})
    assert all(isinstance(report, Advanced) for report in reports)
    assert isinstance(done, Done)
    assert done.scheduled.run is run
    assert done.scheduled.schedule == answer_of("kws_dscnn").scheduled.schedule


def test_a_run_that_is_not_known_is_sent(ends, tmp_path):
    app, line = ends
    document = Document(model=model_ref(one_operator(tmp_path)))
    worker.answer(Desk(), Request(number=1, document=document), line)
    news = [unpack(app.recv_bytes()) for _ in range(1)]
    while not isinstance(news[-1], RunMade):
        news.append(unpack(app.recv_bytes()))
    assert len(news[-1].run.graph.ops) == 1


def test_whatever_comes_next_stops_what_runs(ends):
    app, line = ends
    app.send_bytes(pack(Cancel()))
    worker.answer(Desk(), Request(number=3, document=document_of("kws_dscnn")), line)
    assert heard(app)[-1] == Stopped(number=3)


def test_reports_are_rare_and_looks_are_not(ends):
    app, line = ends
    now = 0.0
    watch = worker.Watch(1, line, lambda: now)
    for step in range(1000):
        now = step / 1000
        watch.advance("work", step, 1000)
    reports = heard(app)
    assert 15 <= len(reports) <= 20
    assert reports[0] == Advanced(number=1, stage="work", done=0, total=1000)
    app.send_bytes(pack(Cancel()))
    watch.advance("work", 0, 1)
    now += worker.LOOK_PAUSE_S
    with pytest.raises(Cancelled):
        watch.advance("work", 0, 1)


def test_a_worker_whose_app_is_gone_ends(ends):
    app, line = ends
    app.send_bytes(pack(Cancel()))
    app.send_bytes(pack(Request(number=1, document=document_of("kws_dscnn"))))
    app.close()
    with pytest.raises(worker.HungUp):
        worker.serve(Desk(), line)


def test_a_worker_quits_when_told_to(ends):
    app, line = ends
    app.send_bytes(pack(Quit()))
    worker.serve(Desk(), line)


def test_benches_are_kept_for_what_lowering_depends_on(tmp_path):
    desk = Desk()
    document = Document(model=model_ref(one_operator(tmp_path)))

    def bench(**settings):
        return desk.bench(replace(document, settings=settings_with(document.settings, **settings)))

    first = bench()
    assert bench(limit_bytes=1 << 16) is first
    assert bench(memory_mode="Sram_Only") is first
    assert bench(force_symmetric_int_weights=True) is not first
    others = ["ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u65-256"]
    for accelerator in others[: MOST_BENCHES - 2]:
        bench(accelerator=accelerator)
    assert bench() is first
    for accelerator in others:
        bench(accelerator=accelerator)
    assert bench() is not first


@pytest.mark.parametrize(
    ("example", "settings"),
    [
        ("kws_dscnn", {}),
        ("unet_128", {"accelerator": "ethos-u65-256"}),
        ("shuffle_with_cpu", {"memory_mode": "Sram_Only"}),
        ("resnet8", {"engine": Engine.PARETO}),
        ("kws_dscnn", {"engine": Engine.PARETO, "accelerator": "ethos-u65-256"}),
    ],
)
def test_what_is_taken_without_a_limit_is_enough(example, settings):
    answer = answer_of(example, **settings)
    within = answer_of(example, **settings, limit_bytes=answer.unlimited_bytes)
    free = answer_of(example, **settings, limit_bytes=answer.unlimited_bytes << 10)
    assert within.scheduled.layout.is_within_limits
    assert within.unlimited_bytes == answer.unlimited_bytes
    assert within.scheduled.total.total_cycles == free.scheduled.total.total_cycles
    fast = free.scheduled.layout.fast_area
    assert answer.unlimited_bytes == fast.height_bytes


def test_what_is_taken_without_a_limit_is_asked_of_the_engine_in_use_once(monkeypatch):
    asked = []
    schedule = schedules.Workbench.schedule

    def counted(self, target, options, progress):
        asked.append((options.engine, options.pareto.most_bytes, target.fast_limit_bytes))
        return schedule(self, target, options, progress)

    monkeypatch.setattr(schedules.Workbench, "schedule", counted)
    desk, document = Desk(), document_of("kws_dscnn", engine=Engine.PARETO)

    def ends(**settings):
        changed = replace(document, settings=settings_with(document.settings, **settings))
        return desk.solve(changed).unlimited_bytes

    moves = [64 * KIB, 32 * KIB, 16 * KIB]
    adopted = ParetoOptions(most_bytes=20_000)
    found = {*(ends(limit_bytes=limit) for limit in moves), ends(pareto=adopted)}
    assert len(asked) == len(moves) + 2
    assert {engine for engine, *_ in asked} == {Engine.PARETO}
    assert found != {ends(engine=Engine.CASCADING)}
    assert len(found) == 1


def test_a_table_forgets_what_was_not_used_for_longest():
    table: Memo[str, int] = Memo(2)
    table.keep("a", 1)
    table.keep("b", 2)
    assert table.find("a") == 1
    table.keep("c", 3)
    assert table.find("b") is None
    assert table.questions() == {"a", "c"}
    assert [key for key, _ in table.items()] == ["a", "c"]
    table.forget("a")
    table.forget("a")
    assert len(table) == 1
    assert table["c"] == 3


def test_few_answers_and_fewer_networks_are_remembered():
    answer = answer_of("kws_dscnn")
    answers = Answers()

    def put(limit, scheduled=answer.scheduled):
        settings = replace(answer.document.settings, limit_bytes=limit)
        document = replace(answer.document, settings=settings)
        answers.put(replace(answer, document=document, scheduled=scheduled))
        return document

    documents = [put(limit) for limit in range(MOST_ANSWERS + 1)]
    assert answers.find(documents[0]) is None
    assert answers.find(documents[1]) is not None
    for limit in range(MOST_RUNS):
        run = replace(answer.scheduled.run)
        put(1000 + limit, replace(answer.scheduled, run=run))
    assert answers.find(documents[-1]) is None
