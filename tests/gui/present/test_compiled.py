"""What a compiled model leaves open, in every presenter that would say more of a schedule."""

from __future__ import annotations

import pytest

from core.api import programs
from core.base.digest import digest_bytes
from core.base.frozen import replace
from core.ir.knobs import KNOBS
from core.target.resolve import resolve
from gui.document.answer import Answer
from gui.document.display import ByteUnit, Display
from gui.document.document import Document, ModelRef
from gui.document.job import JobState
from gui.document.selection import BufferRef, CascadeRef, Selection
from gui.present.cascades.why import why_none, why_not
from gui.present.compiled import fixed_knobs, is_compiled, origin, untold
from gui.present.controls import applied, applied_title, verdict_of, without_effect
from gui.present.edits.text import no_edits_text
from gui.present.headline import NOTHING, headline_of
from gui.present.limits import Trials
from gui.present.memory.text import verdict_in_full
from gui.present.runs.advice import cpu_text, state_text
from gui.present.runs.list import rows_of, settled
from gui.present.snippets import board_of
from gui.present.status import title_of
from gui.present.summary import Verdict, asked_rows, summary_of
from gui.present.why.text import explanation_of
from tests.core.pipeline.read_backs import CASES, compiled, read_back
from tests.gui.answers import answer_of
from tests.settings import settings_with
from tests.shared import need

DISPLAY = Display()
WITHOUT_CASCADES, WITH_CASCADES = CASES[0], CASES[2]


def answer_from(readback: programs.Readback, data: bytes, **settings: object) -> Answer:
    model = ModelRef(path="/somewhere/model.tflite", digest=digest_bytes(data))
    return Answer(
        number=1,
        document=Document(model=model, settings=settings_with(**settings)),
        scheduled=readback.scheduled,
        analysis=readback.analysis,
        seconds=0.0,
    )


def answer_to(case, **settings):
    return answer_from(read_back(case), compiled(case)[1], **settings)


@pytest.fixture
def answer():
    return answer_to(WITH_CASCADES)


def test_no_limit_is_told_anywhere(answer):
    verdict = verdict_of(answer)
    assert (verdict.is_told, verdict.limit_bytes, verdict.fits) == (False, None, True)
    summary = summary_of(answer, DISPLAY)
    assert summary.verdict is Verdict.UNTOLD
    assert {region.verdict for region in summary.regions} == {Verdict.UNTOLD}
    for text in (summary.headline, *(region.text for region in summary.regions)):
        assert "its limit is not told" in text
    for area in answer.scheduled.layout.areas:
        assert "not told" in verdict_in_full(answer.scheduled, area, ByteUnit.KIB)
    assert headline_of(answer.document, answer, DISPLAY, NOTHING, NOTHING).fit.large == (
        "compiled",
    )


def test_advice_is_what_a_program_shows_itself(answer):
    assert "nothing is tried" in state_text(answer, (), None, is_done=False)
    assert cpu_text(answer) == ""
    path = need("executorch/cpubetween_u65-256.pte")
    read = programs.read_program(path.read_bytes())
    opened = programs.study_program(read, lambda found: resolve(found.name))
    lines = cpu_text(answer_from(programs.read_back(opened), path.read_bytes())).splitlines()
    assert len(lines) == 1 + len(programs.advice(opened))
    assert "aten::sort.values" in lines[-1]


def test_before_its_first_trial_advice_says_what_it_is_doing():
    ordinary = answer_of("kws_dscnn")
    for nothing_yet in (None, (0, 1)):
        told = state_text(ordinary, (), nothing_yet, is_done=False)
        assert told == (
            "getting ready: what is shown is searched once more, to hold trials against it"
        )
    told = state_text(ordinary, (), (2, 9), is_done=False)
    assert told == "trying 3 of 9; nothing helps so far"


def test_an_ordinary_schedule_leaves_nothing_open():
    ordinary = answer_of("kws_dscnn")
    assert not is_compiled(ordinary)
    assert untold(ordinary) == summary_of(ordinary, DISPLAY).untold == ()
    assert fixed_knobs(ordinary.document, ordinary) == {}
    assert origin(ordinary) == "scheduled by Reefpoint"
    assert applied_title(ordinary, is_older=False) == "Applied"


def test_only_memories_can_be_assumed(answer):
    fixed = fixed_knobs(answer.document, answer)
    assert {"accelerator", "limit_bytes", "strategy", "eviction", "search", "allocator"} <= set(
        fixed
    )
    assert {knob.name for knob in KNOBS} - set(fixed) == {"system_config", "memory_mode", "configs"}
    assert set(applied(answer)) == {"accelerator", "system_config", "memory_mode", "configs"}
    assert applied_title(answer, is_older=False) == "Assumed"
    target = answer.document.settings.target()
    assert without_effect(answer.document, target, answer) == fixed
    assert [row.title for row in asked_rows(answer)] == [
        "accelerator",
        "system config",
        "memory mode",
    ]


def test_another_model_frees_the_knobs_at_once(answer):
    model = ModelRef(path="/somewhere/other.tflite", digest="0")
    assert fixed_knobs(replace(answer.document, model=model), answer) == {}


def test_the_title_names_the_accelerator_of_the_streams(answer):
    title = title_of(answer.document, JobState(), is_current=True, answer=answer)
    assert WITH_CASCADES.accelerator in title
    assert answer.document.settings.accelerator != WITH_CASCADES.accelerator


def test_no_trial_of_a_limit_is_noted(answer):
    trials = Trials()
    trials.note(answer)
    assert trials.tried(answer.document) == ()


def test_what_is_not_told_is_a_dash(answer):
    facts = {fact.title: fact for fact in summary_of(answer, DISPLAY).facts}
    assert facts["Evictions"].value == "-"
    run = settled(answer, "2026-11-26 10:00:00", "")
    assert run.evicted_bytes is None
    assert run.excess_bytes is None
    (row,) = rows_of((run,), answer.document, DISPLAY)
    assert row.texts[-1] == "limit not told"


def test_nobody_is_asked_to_decide_about_it(answer):
    assert "Right-click" not in no_edits_text(answer)
    assert "its compiler has decided" in no_edits_text(answer)
    assert "Right-click" in no_edits_text(None)


def test_why_there_is_no_cascade_is_not_invented():
    answer = answer_to(WITHOUT_CASCADES)
    first, *more = why_none(answer)
    assert "no cascade to be seen" in first
    assert set(untold(answer, programs.Matter.REASONS)) <= set(more)
    assert "does not take turns" in why_not(answer, answer.scheduled.run.graph.ops[0].id)


def test_everything_is_explained_with_what_cannot_be_told(answer):
    graph, schedule = answer.scheduled.run.graph, answer.scheduled.schedule
    island = schedule.islands[0]
    buffered = next(plan for plan in schedule.ops if plan.weights and plan.weights.buffer_bytes)
    subjects = [
        Selection(),
        *(Selection(op=op.id) for op in graph.ops),
        *(Selection(fm=fm.id) for fm in graph.feature_maps),
        *(Selection(cascade=CascadeRef(island.island, at)) for at in range(len(island.cascades))),
        Selection(buffer=BufferRef(buffered.op, 0)),
    ]
    for subject in subjects:
        told = explanation_of(answer, subject, DISPLAY)
        assert "What it cannot tell" in told.text, subject
        assert "search" not in told.text.replace("searched", ""), subject
    for position in range(len(answer_to(CASES[3]).scheduled.run.graph.cpu_ops)):
        told = explanation_of(answer_to(CASES[3]), Selection(cpu_op=position), DISPLAY)
        assert "no rule was asked" not in told.text


def test_sizes_say_who_has_made_them(answer):
    board = board_of(answer)
    assert "compiled by" in board.subject[0]
    assert not any("limit" in line for line in board.subject)
    assert board.sizes.fast_scratch_bytes == next(
        area.height_bytes for area in answer.scheduled.layout.areas
    )
