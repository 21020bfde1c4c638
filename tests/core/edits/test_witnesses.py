"""What is said to stand against an edit does: with it there is no room, without it there is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from core.api.networks import run
from core.base.frozen import replace
from core.edits.names import Names
from core.ir.edits import Edit, EditFate, Ground, Living, WeightsAsked, What
from core.ir.options import Options
from core.liveness.sizes import map_bytes
from core.pipeline.legal_values import legal_blocks
from core.pipeline.scheduled import Workbench
from core.target.format import Format
from core.target.resolve import resolve

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
MODEL, WORDS = EXAMPLES / "unet_128.tflite", EXAMPLES / "kws_dscnn.tflite"
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")


@cache
def bench() -> Workbench:
    return Workbench(run(MODEL.read_bytes(), DEDICATED, Options()))


def fates(edits: tuple[Edit, ...], kib: int) -> list[EditFate]:
    done = bench().schedule(DEDICATED.with_limit(kib << 10), Options(edits=edits))
    return [outcome.fate for outcome in done.edits]


@pytest.mark.parametrize("kib", [400, 480, 560])
def test_each_witness_is_checked_alone_and_none_is_idle(kib):
    graph = bench().run.graph
    names = Names.of(graph)
    edits = tuple(
        Edit(subject=names.maps[graph.ops[op].ofm.fm], what=What.REGION, value=Living.FAST)
        for op in range(12)
    )
    done = bench().schedule(DEDICATED.with_limit(kib << 10), Options(edits=edits))
    groups = set()
    for place, outcome in enumerate(done.edits):
        for reason in outcome.reasons:
            if reason.ground is Ground.NO_ROOM:
                groups.add(frozenset((place, *reason.edits)))
    assert groups
    for group in groups:
        members = tuple(edits[place] for place in sorted(group))
        # What is left out may be found all the same, but not all of it.
        assert EditFate.REFUSED in fates(members, kib)
        for member in members if len(members) > 1 else ():
            rest = tuple(edit for edit in members if edit is not member)
            assert set(fates(rest, kib)) == {EditFate.HONOURED}


def test_a_proof_names_what_is_live_and_how_much_that_is():
    graph = bench().run.graph
    names = Names.of(graph)
    # The first operator whose output no cascade hands on by rows.
    keep = Edit(subject=names.maps[graph.ops[15].ofm.fm], what=What.REGION, value=Living.FAST)
    done = bench().schedule(DEDICATED.with_limit(128 << 10), Options(edits=(keep,)))
    ((reason,),) = (outcome.reasons for outcome in done.edits)
    assert reason.is_proved
    assert reason.ops
    assert keep.subject in reason.maps
    assert reason.needed_bytes > reason.available_bytes
    sizes = {names.maps[fm.id]: map_bytes(fm, Format.LINEAR) for fm in graph.feature_maps}
    assert reason.needed_bytes >= sum(sizes[name] for name in reason.maps)


@cache
def words() -> Workbench:
    return Workbench(run(WORDS.read_bytes(), SHARED, Options()))


def weights_of(op: int, *, depths: tuple[int, ...] | None = None) -> Edit:
    subject = Names.of(words().run.graph).ops[op]
    return Edit(subject=subject, what=What.WEIGHTS, value=WeightsAsked(buffers=2, depths=depths))


@pytest.mark.long
def test_no_block_makes_room_for_buffers_of_which_that_is_proved():
    """Each that the hardware allows is asked for beside them, one by one."""
    edit, tight = weights_of(2, depths=(0, 32, 64)), SHARED.with_limit(18 << 10)
    done = words().schedule(tight, Options(edits=(edit,)))
    ((reason,),) = (outcome.reasons for outcome in done.edits)
    assert reason.ground is Ground.NO_ROOM
    assert reason.is_proved
    assert reason.needed_bytes > reason.available_bytes == tight.fast_limit_bytes
    offers = legal_blocks(done, 2)
    assert len(offers) > 10
    for offer in offers:
        block = replace(edit, what=What.BLOCK, value=offer.block)
        both = words().schedule(tight, Options(edits=(edit, block))).edits
        assert any(outcome.fate is not EditFate.HONOURED for outcome in both)
    # A little more than is proved to be needed is enough.
    enough = SHARED.with_limit(reason.needed_bytes + 256)
    (outcome,) = words().schedule(enough, Options(edits=(edit,))).edits
    assert outcome.fate is EditFate.HONOURED


@pytest.mark.parametrize("kib", [6, 10, 18])
def test_weights_come_through_two_buffers_in_slices_that_are_shallower_than_a_block(kib):
    target = DEDICATED.with_limit(kib << 10)
    table = Workbench(run(WORDS.read_bytes(), target, Options()))
    for op in (2, 4, 6, 8):
        (outcome,) = table.schedule(target, Options(edits=(weights_of(op),))).edits
        assert outcome.fate is EditFate.HONOURED
