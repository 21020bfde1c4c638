"""The slider's scale reaches every whole KiB, and marks stand where cycles change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.ir.options import Search
from gui.present.limits import KIB, LOWEST_BYTES, STEPS, LimitScale, Mark, Trial, Trials, scale_for
from tests.gui.answers import answer_of
from tests.settings import settings_with

scales = st.integers(8, 1 << 16).map(lambda kib: LimitScale(highest_bytes=kib * KIB))


@given(scales)
def test_the_ends_of_the_slider_are_the_ends_of_the_scale(scale):
    assert scale.size_bytes(0) == scale.lowest_bytes
    assert scale.size_bytes(STEPS) == scale.highest_bytes
    assert scale.position(0) == 0
    assert scale.position(1 << 40) == STEPS


@given(scales, st.integers(0, STEPS))
def test_positions_stand_for_whole_kib_that_rise(scale, position):
    size = scale.size_bytes(position)
    assert size % KIB == 0
    assert size <= scale.size_bytes(position + 1)
    # Where positions are closer than KiB, several of them stand for the same limit.
    half_kib_positions = STEPS * KIB / size
    assert abs(scale.position(size) - position) <= half_kib_positions + 1


@given(scales, st.integers(0, 1 << 26), st.sampled_from([-1, 1]))
def test_every_step_moves_until_the_end(scale, size, direction):
    stepped = scale.stepped(size, direction)
    assert stepped % KIB == 0
    assert scale.lowest_bytes <= stepped <= scale.highest_bytes
    inside = min(max(size, scale.lowest_bytes), scale.highest_bytes)
    if direction > 0:
        assert stepped > inside or stepped == scale.highest_bytes
        assert stepped <= max(inside * 1.02, inside + KIB) or inside < scale.lowest_bytes
    else:
        assert stepped < inside or stepped == scale.lowest_bytes
        assert stepped >= min(inside * 0.98, inside - KIB)


@given(scales)
def test_all_the_scale_can_be_walked_by_keys(scale):
    size, steps = scale.lowest_bytes, 0
    while size < scale.highest_bytes:
        size, steps = scale.stepped(size, 1), steps + 1
    assert steps <= 16 * 64
    assert scale.stepped(scale.lowest_bytes, 2000) == scale.highest_bytes


def test_a_step_down_undoes_a_step_up():
    scale = LimitScale(highest_bytes=1 << 20)
    for size in (LOWEST_BYTES, 64 * KIB, 128 * KIB, 384 * KIB):
        assert scale.stepped(scale.stepped(size, 1), -1) == size


def test_the_scale_ends_where_everything_fits():
    answer = answer_of("unet_128", accelerator="ethos-u65-256")
    highest = scale_for(answer).highest_bytes
    assert 0 <= highest - answer.unlimited_bytes < KIB
    assert scale_for(None).highest_bytes == 1024 * KIB
    assert scale_for(replace(answer, unlimited_bytes=100)).highest_bytes == 2 * LOWEST_BYTES


def limited(kib):
    return answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=kib * KIB)


def test_marks_stand_where_the_cycles_of_answers_differ():
    trials = Trials()
    answers = [limited(kib) for kib in (256, 64, 2048, 128, 1536)]
    for answer in answers:
        trials.note(answer)
        trials.note(answer)
    document = answers[0].document
    cycles = {
        answer.document.settings.limit_bytes: answer.scheduled.total.total_cycles
        for answer in answers
    }
    assert trials.tried(document) == tuple(Trial(size, cycles[size]) for size in sorted(cycles))
    marks = trials.marks(document)
    # All fits in less than 1536 KiB, so that 2048 KiB change nothing.
    assert [mark.limit_bytes // KIB for mark in marks] == [128, 256, 1536]
    assert [mark.cycles for mark in marks] == [cycles[mark.limit_bytes] for mark in marks]
    assert [mark.below.limit_bytes // KIB for mark in marks] == [64, 128, 256]
    assert [mark.is_best for mark in marks] == [False, False, True]


def test_trials_are_told_apart_by_all_other_settings():
    trials = Trials()
    trials.note(limited(64))
    trials.note(limited(256))
    document = limited(64).document
    other = replace(document, settings=settings_with(document.settings, search=Search.BEST))
    assert trials.tried(other) == ()
    assert trials.marks(other) == ()
    assert len(trials.marks(document)) == 1


def test_a_mark_says_what_changes():
    mark = Mark(512 * KIB, 3488084.9, Trial(384 * KIB, 3506351.9), is_best=True)
    assert mark.text() == ("512 KiB: 3,488,085 cycles; the fewest so far (3,506,352 at 384 KiB)")
