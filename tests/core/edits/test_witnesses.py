"""What is said to stand against an edit does: with it there is no room, without it there is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from core.api.networks import run
from core.edits.names import Names
from core.ir.edits import Edit, EditFate, Ground, Living, What
from core.ir.options import Options
from core.liveness.sizes import map_bytes
from core.pipeline.scheduled import Workbench
from core.target.format import Format
from core.target.resolve import resolve

MODEL = Path(__file__).parents[3] / "resources" / "examples" / "unet_128.tflite"
TARGET = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")


@cache
def bench() -> Workbench:
    return Workbench(run(MODEL.read_bytes(), TARGET, Options()))


def fates(edits: tuple[Edit, ...], kib: int) -> list[EditFate]:
    done = bench().schedule(TARGET.with_limit(kib << 10), Options(edits=edits))
    return [outcome.fate for outcome in done.edits]


@pytest.mark.parametrize("kib", [400, 480, 560])
def test_each_witness_is_checked_alone_and_none_is_idle(kib):
    graph = bench().run.graph
    names = Names.of(graph)
    edits = tuple(
        Edit(subject=names.maps[graph.ops[op].ofm.fm], what=What.REGION, value=Living.FAST)
        for op in range(12)
    )
    done = bench().schedule(TARGET.with_limit(kib << 10), Options(edits=edits))
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
    done = bench().schedule(TARGET.with_limit(128 << 10), Options(edits=(keep,)))
    ((reason,),) = (outcome.reasons for outcome in done.edits)
    assert reason.is_proved
    assert reason.ops
    assert keep.subject in reason.maps
    assert reason.needed_bytes > reason.available_bytes
    sizes = {names.maps[fm.id]: map_bytes(fm, Format.LINEAR) for fm in graph.feature_maps}
    assert reason.needed_bytes >= sum(sizes[name] for name in reason.maps)
