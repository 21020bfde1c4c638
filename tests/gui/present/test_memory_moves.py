"""What a drag over the memory map says beforehand is what the compiler says of it afterwards."""

from __future__ import annotations

import random

import pytest

from core.base.frozen import replace
from core.edits.names import Names
from core.ir.edits import Edit, EditFate, Living, What
from gui.document.answer import Answer
from gui.document.trial import Trial
from gui.present.memory.ahead import moved_between, moved_text, outlines_ahead
from gui.present.memory.differences import Clock
from gui.present.memory.ghosts import ghosts_of
from gui.present.memory.map import AreaMap, TimeScale, area_map, edges_of
from gui.present.memory.moves import Move, held_ghost, held_range, moved_in_or_out, moved_to
from tests.gui.answers import answer_of

UNET = {"accelerator": "ethos-u65-256", "limit_bytes": 160 << 10}


def drawn_of(answer: Answer) -> AreaMap:
    area = answer.scheduled.layout.fast_area
    return area_map(answer.scheduled, area, edges_of(answer, TimeScale.STEPS))


def fate_of(answer: Answer, fm: int, what: What, value: object) -> EditFate:
    edit = Edit(subject=Names.of(answer.scheduled.graph).maps[fm], what=what, value=value)
    (outcome,) = answer_of("unet_128", **UNET, edits=(edit,)).scheduled.edits
    return outcome.fate


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_an_address_that_reaches_above_the_limit_is_never_had(seed: int):
    answer, draws = answer_of("unet_128", **UNET), random.Random(seed)
    drawn = drawn_of(answer)
    held = [
        each
        for key in range(len(drawn.ranges))
        if (each := held_range(drawn, key, can_move_out=False)) is not None
    ]
    verdicts = set()
    for _ in range(3):
        one = draws.choice(held)
        room = drawn.limit_bytes - one.size_bytes
        for address in (draws.uniform(0, room), draws.uniform(room + 16, drawn.limit_bytes)):
            preview = moved_to(drawn, one, address)
            if preview.move is not Move.ADDRESS:
                continue
            fate = fate_of(answer, one.fm, What.ADDRESS, preview.address)
            is_above = "above the limit" in preview.hint
            assert is_above == (preview.address + one.size_bytes > drawn.limit_bytes)
            assert (fate is EditFate.HONOURED) == (not is_above)
            verdicts.add(is_above)
    assert verdicts == {True, False}


def test_what_has_room_beside_all_that_is_there_is_kept():
    """With more memory, by as much as a map needs that had found none."""
    answer = answer_of("unet_128", **UNET)
    drawn = drawn_of(answer)
    ghosts = ghosts_of(answer, drawn)
    assert ghosts
    for key, ghost in enumerate(ghosts):
        roomy = replace(drawn, limit_bytes=drawn.limit_bytes + ghost.evicted.size_bytes)
        preview = moved_in_or_out(roomy, held_ghost(ghosts, key, "map"), 0.0)
        assert preview.move is Move.KEEP
        assert "displace" not in preview.hint
        edit = Edit(
            subject=Names.of(answer.scheduled.graph).maps[ghost.evicted.fms[0]],
            what=What.REGION,
            value=Living.FAST,
        )
        more = UNET | {"limit_bytes": roomy.limit_bytes}
        (outcome,) = answer_of("unet_128", **more, edits=(edit,)).scheduled.edits
        assert outcome.fate is EditFate.HONOURED


def test_what_lies_elsewhere_is_counted_and_drawn_where_it_would_lie():
    now = answer_of("unet_128", **UNET).scheduled.layout
    assert moved_between(now, now) == ()
    assert moved_text(()) == "moves nothing"
    at = next(at for at, each in enumerate(now.fast_area.placements) if each.fms)
    one = now.fast_area.placements[at]
    lifted = replace(one, address=one.address + 4096)
    placements = (*now.fast_area.placements[:at], lifted, *now.fast_area.placements[at + 1 :])
    areas = tuple(
        replace(area, placements=placements) if area is now.fast_area else area
        for area in now.areas
    )
    moved = moved_between(now, replace(now, areas=areas))
    assert moved == (lifted,)
    assert moved_text(moved) == "moves 1 map"
    drawn = drawn_of(answer_of("unet_128", **UNET))
    trial = Trial(cycles=0.0, fast_bytes=0, is_within_limits=True, edits=(), moved=moved)
    (box,) = outlines_ahead(trial, drawn).ahead
    rects = drawn.rects
    assert box.tolist() == [
        rects.left[at],
        rects.bottom[at] + 4096,
        rects.right[at],
        rects.top[at] + 4096,
    ]
    assert not len(outlines_ahead(None, drawn).ahead)


def test_what_runs_at_once_in_the_other_layout_lives_from_its_first_to_its_last_here():
    clock = Clock.by([(0, 0), (0, 2), (2, 4), (4, 6)])
    assert [clock.start(time) for time in (0, 1, 2, 4)] == [0, 1, 4, 6]
    assert [clock.end(time) for time in (0, 1, 2, 4)] == [2, 3, 4, 6]
