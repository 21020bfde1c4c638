"""Questions go to the worker and answers come back: debounced, in order, and never stale."""

from __future__ import annotations

import signal
from functools import partial

import pytest
from PySide6.QtWidgets import QApplication

from core.api import schedules
from core.base.frozen import replace
from core.ir.edits import Edit, Grouping, OpNamed, OpsNamed, What
from core.ir.options import Engine, Search
from core.ir.settings import Settings
from gui.document.changes import Part
from gui.document.document import Document, ModelRef
from gui.document.job import JobPhase
from gui.jobs.desk import SHOWN_PAUSE_S
from gui.present.runs.best import front_answered, is_growing
from gui.present.runs.front import finding
from gui.state.store import Store
from tests.gui import models
from tests.gui.answers import answer_of, document_of, model_ref
from tests.gui.jobs import entries
from tests.processes import kill
from tests.settings import settings_with

PATIENCE_MS = 30_000
SHOWN_PAUSE_MS = round(1500 * SHOWN_PAUSE_S)


def changed(document, **settings):
    return replace(document, settings=settings_with(document.settings, **settings))


def limited(document, kib):
    return changed(document, limit_bytes=kib << 10)


@pytest.fixture
def kws():
    return document_of("kws_dscnn")


@pytest.fixture
def wait(qtbot):
    def until(condition):
        qtbot.waitUntil(condition, timeout=PATIENCE_MS)

    return until


class Record:
    """What a store announced: answers and job states, in their order."""

    def __init__(self, store):
        self.store = store
        self.answers, self.jobs, self.stale = [], [], 0
        store.changed.connect(self.note)

    def note(self, change):
        if change.has(Part.ANSWER):
            self.answers.append(self.store.answer)
            self.stale += not self.store.is_current
        if change.has(Part.JOB):
            self.jobs.append(self.store.job)

    @property
    def phases(self):
        return [job.phase for job in self.jobs]


def test_an_open_model_is_answered_like_in_one_process(start_runner, wait, kws):
    store = Store(kws)
    record = Record(store)
    start_runner(store)
    wait(lambda: store.is_current)
    expected = answer_of("kws_dscnn")
    found = store.answer.scheduled
    assert found.schedule == expected.scheduled.schedule
    assert found.layout == expected.scheduled.layout
    assert found.costs == expected.scheduled.costs
    assert found.run == expected.scheduled.run
    assert found.target.accelerator is expected.scheduled.target.accelerator
    assert store.answer.unlimited_bytes == expected.unlimited_bytes
    assert store.answer.analysis.trace.count == expected.analysis.trace.count
    assert store.job.phase is JobPhase.IDLE
    assert record.phases[0] is JobPhase.RUNNING
    assert record.phases[-1] is JobPhase.IDLE


def test_nothing_is_asked_without_a_model(start_runner, tmp_path, qtbot):
    store = Store()
    record = Record(store)
    start_runner(store, entry=partial(entries.counting, tmp_path))
    store.edit(Document(settings=Settings(limit_bytes=1 << 16)), "limit")
    qtbot.wait(300)
    assert record.jobs == []
    assert not (tmp_path / "requests").exists()


def test_of_a_burst_of_edits_the_first_and_the_last_are_asked(start_runner, wait, kws, tmp_path):
    store = Store(kws)
    start_runner(store, entry=partial(entries.counting, tmp_path))
    wait(lambda: store.is_current)
    for step in range(30):
        store.edit(limited(kws, 20 + step), "limit", merge_key="limit")
        # Nobody waits for more where nothing is on its way.
        assert store.job.phase is (JobPhase.WAITING if step else JobPhase.RUNNING)
        QApplication.processEvents()
    wait(lambda: store.is_current)
    assert store.answer.document.settings.limit_bytes == 49 << 10
    assert (tmp_path / "requests").read_text().split() == ["1", "2", "3"]


def test_the_network_is_sent_once(start_runner, wait, kws):
    store = Store(kws)
    start_runner(store)
    wait(lambda: store.is_current)
    first = store.answer.scheduled.run
    store.edit(limited(kws, 16), "limit")
    wait(lambda: store.is_current)
    assert store.answer.scheduled.run is first
    store.edit(changed(kws, accelerator="ethos-u55-64"), "accelerator")
    wait(lambda: store.is_current)
    assert store.answer.scheduled.run is not first


def test_a_stale_answer_is_never_shown(start_runner, wait, qtbot, kws, tmp_path):
    store = Store(kws)
    record = Record(store)
    start_runner(store, entry=partial(entries.stubborn, tmp_path))
    wait((tmp_path / "started-1").exists)
    other = limited(kws, 24)
    store.edit(other, "limit")
    qtbot.wait(250)
    assert store.job.phase is JobPhase.RUNNING
    assert not (tmp_path / "started-2").exists()
    (tmp_path / "go").touch()
    wait(lambda: store.is_current)
    assert [answer.document for answer in record.answers] == [other]
    assert record.stale == 0
    # It was complete all the same, so that going back to it takes no time.
    store.undo()
    assert store.is_current
    assert store.answer.document == kws


def test_an_answer_that_was_given_is_given_again_at_once(start_runner, wait, kws, tmp_path):
    store = Store(kws)
    start_runner(store, entry=partial(entries.counting, tmp_path))
    wait(lambda: store.is_current)
    first = store.answer
    store.edit(limited(kws, 16), "limit")
    wait(lambda: store.is_current)
    second = store.answer
    store.undo()
    assert store.is_current
    assert store.answer.scheduled is first.scheduled
    store.redo()
    assert store.answer.scheduled is second.scheduled
    assert store.answer.number > second.number
    assert store.job.phase is JobPhase.IDLE
    assert (tmp_path / "requests").read_text().split() == ["1", "2"]


def test_the_range_follows_an_answer_and_nothing_is_drawn_anew_for_it(start_runner, wait, kws):
    store = Store(kws)
    start_runner(store)
    wait(lambda: store.is_current)
    first, changes = store.answer, []
    assert first.awaits_spread
    store.changed.connect(lambda change: changes.append(change.parts))
    # The one that was not waited for comes when its answer is shown again.
    store.edit(limited(kws, 16), "limit")
    store.undo()
    wait(lambda: not store.answer.awaits_spread)
    assert store.answer.spread == schedules.spread_of(first.scheduled)
    assert store.answer.scheduled is first.scheduled
    assert changes[-1] == {Part.PRICES}
    store.redo()
    wait(lambda: store.is_current and not store.answer.awaits_spread)
    assert store.answer.spread == schedules.spread_of(store.answer.scheduled)


@pytest.mark.long
def test_what_is_better_comes_with_its_range(start_runner, wait):
    document = document_of("resnet8", search=Search.BEST, effort=6, limit_bytes=36 << 10)
    store = Store(document)
    start_runner(store)
    wait(lambda: store.is_current and not store.answer.awaits_spread)
    store.changed.connect(lambda _: ranged.append(not store.answer.awaits_spread))
    ranged = []
    wait(lambda: not is_growing(store.answer))
    assert all(ranged)
    assert store.answer.spread == schedules.spread_of(store.answer.scheduled)


def decided(document):
    """The same with a decision, which can be tried without."""
    name = answer_of("kws_dscnn").scheduled.graph.ops[2].name
    never = Edit(subject=OpsNamed((OpNamed(name),)), what=What.CASCADE, value=Grouping.NEVER)
    return document.with_edits((never,))


def test_the_worker_begins_with_a_decision_before_views_show_it(start_runner, wait, kws):
    store, phases = Store(kws), []
    store.changed.connect(
        lambda change: phases.append(store.job.phase) if change.has(Part.DOCUMENT) else None
    )
    start_runner(store)
    wait(lambda: store.is_current)
    store.edit(decided(kws), "decide")
    assert phases == [JobPhase.RUNNING]
    wait(lambda: store.is_current)


def test_what_edits_cost_is_asked_again_where_an_undo_came_before_it(start_runner, wait, kws):
    store = Store(decided(kws))
    start_runner(store)
    wait(lambda: store.is_current)
    store.edit(kws, "remove")
    wait(lambda: store.is_current)
    store.undo()
    assert store.is_current
    wait(lambda: store.answer.scheduled.edits[0].price is not None)
    store.redo()
    store.undo()
    assert store.answer.scheduled.edits[0].price is not None


def test_prices_that_come_while_something_else_is_shown_are_kept(start_runner, wait, kws):
    store = Store(kws)
    start_runner(store)
    wait(lambda: store.is_current)
    store.edit(decided(kws), "decide")
    wait(lambda: store.is_current)
    # Nothing is asked for this, so that the worker goes on.
    store.undo()
    assert store.is_current
    store.redo()
    wait(lambda: store.answer.scheduled.edits[0].price is not None)
    assert store.is_current


@pytest.mark.long
def test_better_schedules_come_while_the_answer_is_shown(start_runner, wait):
    document = document_of("resnet8", search=Search.BEST, effort=6, limit_bytes=36 << 10)
    store = Store(document)
    record = Record(store)
    start_runner(store)
    wait(lambda: store.is_current)
    direct = answer_of("resnet8", search=Search.DIRECT, limit_bytes=36 << 10)
    assert record.answers[0].scheduled.schedule.islands == direct.scheduled.schedule.islands
    assert is_growing(store.answer)
    wait(lambda: not is_growing(store.answer))
    assert store.job.phase is JobPhase.IDLE
    cycles = [each.scheduled.total.total_cycles for each in record.answers]
    assert cycles == sorted(cycles, reverse=True)
    fronts = [each.scheduled.schedule.front for each in record.answers]
    assert len(fronts[-1]) > len(fronts[0])
    assert len({each.number for each in record.answers}) == 1


@pytest.mark.long
def test_a_front_goes_on_growing_where_it_was_left(start_runner, wait):
    document = document_of("resnet8", search=Search.BEST, effort=12)
    store = Store(document)
    start_runner(store)
    wait(lambda: store.is_current)
    store.edit(limited(document, 40), "limit")
    wait(lambda: store.is_current)
    store.undo()
    assert store.is_current
    wait(lambda: not is_growing(store.answer))
    store.redo()
    wait(lambda: not is_growing(store.answer))


@pytest.mark.long
def test_a_search_is_stopped_and_goes_on_where_it_was(start_runner, wait, qtbot):
    document = document_of("resnet8", search=Search.BEST, effort=40)
    store = Store(document)
    start_runner(store)
    wait(lambda: store.is_current and front_answered(store.answer).searches > 1)
    store.growth.switch()
    # What is on its way when it is stopped is of no use.
    qtbot.wait(SHOWN_PAUSE_MS)
    found = store.answer
    qtbot.wait(SHOWN_PAUSE_MS)
    assert store.answer.scheduled is found.scheduled
    assert is_growing(found)

    # What is asked now is answered, and no more than that.
    store.edit(limited(document, 40), "limit")
    wait(lambda: store.is_current)
    found = store.answer
    qtbot.wait(SHOWN_PAUSE_MS)
    assert store.answer.scheduled is found.scheduled

    store.growth.switch()
    wait(lambda: front_answered(store.answer).searches > front_answered(found).searches)
    assert store.answer.seconds > found.seconds


def test_a_search_that_is_stopped_before_its_answer_came_goes_no_further(start_runner, wait, qtbot):
    store = Store(document_of("resnet8", search=Search.BEST, effort=40))
    start_runner(store)
    assert store.job.phase is JobPhase.RUNNING
    store.growth.switch()
    wait(lambda: store.is_current)
    qtbot.wait(SHOWN_PAUSE_MS)
    assert front_answered(store.answer).searches <= 1


def test_what_is_adopted_is_one_change_and_answered_with_it(start_runner, wait, kws):
    document = changed(kws, engine=Engine.PARETO)
    store = Store(document)
    record = Record(store)
    runner = start_runner(store)
    wait(lambda: store.is_current)
    points = store.answer.scheduled.schedule.front
    runner.adopt(finding(document, points[0]), "Adopt")
    assert store.document == document
    wait(lambda: store.document != document)
    assert store.is_current
    assert store.job.phase is JobPhase.IDLE
    assert store.answer.scheduled.schedule.front[0].is_taken
    assert store.history.undo_label == "Adopt"
    adopted = store.document
    store.undo()
    assert store.document == document
    # Whatever else is asked meanwhile is what is wanted now.
    runner.adopt(finding(document, points[0]), "Adopt")
    store.edit(limited(document, 64), "limit")
    wait(lambda: store.is_current)
    assert store.document == limited(document, 64)
    assert adopted not in [answer.document for answer in record.answers[2:]]


def test_what_is_gone_back_from_is_dropped(start_runner, wait, qtbot, kws, tmp_path):
    store = Store(kws)
    start_runner(store, entry=partial(entries.counting, tmp_path))
    wait(lambda: store.is_current)
    store.edit(limited(kws, 16), "limit")
    store.undo()
    assert store.job.phase is JobPhase.IDLE
    qtbot.wait(250)
    assert store.is_current
    assert (tmp_path / "requests").read_text().split() == ["1", "2"]


def test_progress_names_its_stage(start_runner, wait, kws):
    store = Store(kws)
    start_runner(store, entry=entries.endless)
    wait(lambda: store.job.stage == "thinking")
    assert (store.job.phase, store.job.done, store.job.total) == (JobPhase.RUNNING, 1, 2)


def test_a_new_question_ends_the_running_one(start_runner, wait, kws):
    store = Store(kws)
    runner = start_runner(store, entry=entries.endless)
    wait(lambda: store.job.stage == "thinking")
    store.edit(limited(kws, 16), "limit")
    assert store.job.stage == ""
    wait(lambda: store.job.stage == "thinking")
    assert runner.worker_pid


def test_the_user_can_stop_it(start_runner, wait, qtbot, kws):
    store = Store(kws)
    runner = start_runner(store, entry=entries.endless)
    wait(lambda: store.job.stage == "thinking")
    runner.cancel()
    assert store.job.phase is JobPhase.FAILED
    assert store.job.failure.message.startswith("stopped on request")
    qtbot.wait(250)
    assert store.job.phase is JobPhase.FAILED
    runner.cancel()
    runner.rerun()
    wait(lambda: store.job.stage == "thinking")


def test_asking_again_reads_the_files_again(start_runner, wait, tmp_path):
    config = tmp_path / "more.ini"
    config.write_text(
        "[Memory_Mode.Small]\ninherit = Memory_Mode.Dedicated_Sram\narena_cache_size = 65536\n"
    )
    document = document_of(
        "unet_128", accelerator="ethos-u65-256", memory_mode="Small", configs=(str(config),)
    )
    store = Store(document)
    runner = start_runner(store)
    wait(lambda: store.is_current)
    config.write_text(config.read_text().replace("65536", "131072"))
    runner.rerun()
    wait(lambda: store.answer.scheduled.target.fast_limit_bytes == 131072)


def test_a_killed_worker_is_told_of_and_started_again(start_runner, wait):
    document = document_of("unet_128", accelerator="ethos-u65-256")
    store = Store(document)
    runner = start_runner(store, entry=entries.endless)
    wait(lambda: store.job.stage == "thinking")
    runner._entry = entries.worker.main
    killed = runner.worker_pid
    kill(killed)
    wait(lambda: store.job.phase is JobPhase.FAILED)
    assert store.job.failure.message == (
        "the compiler process ended (signal 9, SIGKILL); it was started again"
    )
    assert runner.worker_pid not in (0, killed)
    store.edit(limited(document, 64), "limit")
    assert store.job.failure, "the message stays until something succeeds"
    wait(lambda: store.is_current)
    assert store.job.failure is None


@pytest.mark.long
def test_a_worker_killed_in_mid_compile_does_not_matter_to_the_next_run(start_runner, wait):
    document = document_of("mobilenet_v2_035_96", accelerator="ethos-u65-256")
    store = Store(document)
    runner = start_runner(store)
    wait(lambda: store.job.stage != "")
    kill(runner.worker_pid)
    wait(lambda: store.job.phase is JobPhase.FAILED)
    runner.rerun()
    wait(lambda: store.is_current)


def test_a_worker_that_dies_idle_is_replaced_without_a_word(start_runner, wait, kws):
    store = Store(kws)
    runner = start_runner(store)
    wait(lambda: store.is_current)
    record = Record(store)
    killed = runner.worker_pid
    kill(killed, signal.SIGTERM)
    wait(lambda: runner.worker_pid not in (0, killed))
    assert record.jobs == []
    store.edit(limited(kws, 16), "limit")
    wait(lambda: store.is_current)


def test_a_worker_that_dies_of_every_question_is_not_started_forever(
    start_runner, wait, qtbot, kws
):
    store = Store(kws)
    record = Record(store)
    start_runner(store, entry=entries.crashing)
    wait(lambda: store.job.phase is JobPhase.FAILED)
    assert "exit status 3" in store.job.failure.message
    qtbot.wait(300)
    assert record.phases.count(JobPhase.RUNNING) == 1
    store.edit(limited(kws, 16), "limit")
    wait(lambda: record.phases.count(JobPhase.FAILED) == 2)


def test_a_worker_that_cannot_start_is_given_up(start_runner, wait, kws):
    store = Store(kws)
    runner = start_runner(store, entry=entries.stillborn)
    wait(lambda: store.job.failure is not None and runner.worker_pid == 0)
    assert store.job.failure.message == (
        "the compiler process ended (exit status 4); the next change starts it again"
    )
    runner._entry = entries.worker.main
    store.edit(limited(kws, 16), "limit")
    wait(lambda: store.is_current)


def test_a_bug_is_told_in_one_line_and_the_worker_lives_on(start_runner, wait, kws):
    store = Store(changed(kws, accelerator="ethos-u55-32"))
    runner = start_runner(store, entry=entries.buggy)
    wait(lambda: store.job.phase is JobPhase.FAILED)
    message = store.job.failure.message
    assert message.startswith("internal error: ZeroDivisionError: one two (entries.py:")
    before = runner.worker_pid
    store.edit(kws, "accelerator")
    wait(lambda: store.is_current)
    assert runner.worker_pid == before


def test_a_broken_file_is_told_of(start_runner, wait, tmp_path, kws):
    broken = tmp_path / "broken.tflite"
    broken.write_bytes(b"not a model at all" * 10)
    empty = tmp_path / "empty.tflite"
    empty.write_bytes(b"")
    store = Store(Document(model=model_ref(broken)))
    start_runner(store)
    for file in (broken, empty):
        store.edit(Document(model=model_ref(file)), "open")
        wait(
            lambda file=file: (
                store.job.phase is JobPhase.FAILED
                and store.job.failure.message.startswith(f"{file.name}: ")
            )
        )
        assert store.answer is None
        assert "\n" not in store.job.failure.message
    store.edit(kws, "open")
    wait(lambda: store.is_current)


def test_a_file_that_has_changed_or_gone_is_told_of(start_runner, wait, tmp_path):
    file = tmp_path / "a.tflite"
    file.write_bytes(b"one")
    document = Document(model=ModelRef(path=str(file), digest="0" * 32))
    store = Store(document)
    start_runner(store)
    wait(lambda: store.job.phase is JobPhase.FAILED)
    assert store.job.failure.message == ("a.tflite: changed on disk since it was opened; reload it")
    file.unlink()
    store.edit(limited(document, 64), "limit")
    wait(lambda: "No such file" in store.job.failure.message)


def test_a_wrong_name_is_told_of(start_runner, wait, kws):
    store = Store(changed(kws, memory_mode="Shared_Ram"))
    start_runner(store)
    wait(lambda: store.job.phase is JobPhase.FAILED)
    assert "did you mean 'Shared_Sram'" in store.job.failure.message


def test_unusual_models_are_answered(start_runner, wait, tmp_path):
    store = Store()
    start_runner(store, delay_ms=0)
    for make, npu_ops, cpu_ops in (
        (models.cpu_only, 0, 1),
        (models.one_operator, 1, 0),
        (lambda folder: models.many_outputs(folder, 300), 300, 0),
        (models.zero_size, 0, 1),
    ):
        store.open(Document(model=model_ref(make(tmp_path))))
        wait(lambda: store.is_current)
        graph = store.answer.scheduled.run.graph
        assert (len(graph.ops), len(graph.cpu_ops)) == (npu_ops, cpu_ops)
