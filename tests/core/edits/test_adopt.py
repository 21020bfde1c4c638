"""What another schedule decides becomes edits that are honoured, and what is not is counted."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from core.api import compiler, listings
from core.api.networks import run
from core.base.errors import InputError
from core.base.frozen import replace
from core.base.progress import SILENT
from core.edits.adopt import Unadopted, adopt
from core.edits.freeze import freeze
from core.edits.names import Names
from core.edits.told import ToldOp, told_ops
from core.edits.whole import whole
from core.executorch.beside import nothing_beside
from core.ir.edits import EditFate, What
from core.ir.options import Options, Search
from core.ir.scheduled import Scheduled
from core.pipeline.adoption import adopted, told_by
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from tests.core.edits.told_by_peer import adoption_of
from tests.peer import FINISHED, SAMPLE, name_of
from tests.remembered import remembered

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(48 << 10)
SHARED = resolve("ethos-u55-128").with_limit(64 << 10)
MOST_RATIO = 1.01


@cache
def bench(name: str, target: Target, search: Search) -> Workbench:
    options = Options(search=search)
    return Workbench(run((EXAMPLES / f"{name}.tflite").read_bytes(), target, options))


@remembered
def own(name: str, target: Target, search: Search = Search.DIRECT) -> Scheduled:
    return bench(name, target, search).schedule(target, Options(search=search))


def as_json(done: Scheduled) -> dict:
    return json.loads(json.dumps(listings.describe_schedule("model", done)))


@pytest.mark.parametrize("name", ["kws_dscnn", "mobilenet_v2_035_96", "unet_128"])
@pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=["shared", "dedicated"])
def test_all_of_our_own_schedule_is_adopted(name, target):
    done = own(name, target)
    found = adopt(done.graph, told_ops(as_json(done)), has_two=target.is_spilling)
    assert found.matched == len(done.graph.ops)
    assert found.unadopted == ()
    frozen = freeze(done.graph, done.schedule, done.target)
    missing = {edit.what for edit in frozen if edit not in found.edits}
    # The order of weights is only asked for where there are any, and buffers of cascades are
    # filled when their first operator's are.
    assert missing <= {What.TRAVERSAL, What.WEIGHTS}
    options = replace(done.options, edits=found.edits)
    again = bench(name, target, Search.DIRECT).schedule(target, options)
    assert {outcome.fate for outcome in again.edits} == {EditFate.HONOURED}
    assert again.total.total_cycles == done.total.total_cycles


def test_blocks_are_not_adopted_of_operators_that_read_through_another_window():
    """They were weighed for other work; all else of such operators is asked for."""
    done = own("kws_dscnn", SHARED)
    first, *others = told_ops(as_json(done))
    assert first.block is not None
    wider = (first.sign.kernel[0] + 1, *first.sign.kernel[1:])
    told = (replace(first, sign=replace(first.sign, kernel=wider)), *others)
    found = adopt(done.graph, told, has_two=False)
    assert found.unadopted == ((Unadopted.OTHER_KERNEL, 1),)
    same = adopt(done.graph, told_ops(as_json(done)), has_two=False)
    about_blocks = (What.BLOCK, What.TRAVERSAL)
    left_out = [edit for edit in same.edits if edit not in found.edits]
    assert [edit.what for edit in left_out] == [*about_blocks]
    assert {edit.subject for edit in left_out} == {Names.of(done.graph).ops[done.graph.ops[0].id]}


def test_addresses_are_adopted_where_they_are_asked_for():
    done = own("kws_dscnn", SHARED)
    told = told_ops(as_json(done))
    found = adopt(done.graph, told, has_two=False, with_addresses=True)
    options = replace(done.options, edits=found.edits)
    again = bench("kws_dscnn", SHARED, Search.DIRECT).schedule(SHARED, options)
    assert any(edit.what is What.ADDRESS for edit in found.edits)
    assert {outcome.fate for outcome in again.edits} == {EditFate.HONOURED}


@pytest.mark.parametrize("name", ["kws_dscnn", "resnet8"])
def test_what_we_compiled_is_adopted_from_the_file(name):
    done = own(name, DEDICATED)
    data = compiler.compile_model(done).data
    found = adopted(data, done.graph, DEDICATED)
    assert found.matched >= 0.9 * len(done.graph.ops)
    options = replace(done.options, edits=found.edits)
    again = bench(name, DEDICATED, Search.DIRECT).schedule(DEDICATED, options)
    assert again.total.total_cycles <= MOST_RATIO * done.total.total_cycles


def test_operators_that_are_not_there_are_counted():
    done = own("kws_dscnn", SHARED)
    plain = as_json(done)
    del plain["schedules"][0]["ops"][3]
    plain["schedules"][0]["cascades"] = []
    found = adopt(done.graph, told_ops(plain), has_two=False)
    assert found.matched == len(done.graph.ops) - 1
    assert dict(found.unadopted)[Unadopted.NOT_THERE] == 1


def test_operators_that_read_through_another_window_are_counted():
    done = own("kws_dscnn", SHARED)
    plain = as_json(done)
    plain["schedules"][0]["ops"][3]["kernel"][0] += 1
    found = adopt(done.graph, told_ops(plain), has_two=False)
    assert found.unadopted == ((Unadopted.OTHER_KERNEL, 1),)


def test_another_network_has_hardly_anything_to_adopt():
    done, other = own("kws_dscnn", SHARED), own("unet_128", SHARED)
    found = adopt(done.graph, told_ops(as_json(other)), has_two=False)
    assert found.matched < len(done.graph.ops) / 2
    assert dict(found.unadopted)[Unadopted.NOT_HERE] > 0


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"TFL3", b"{}", b'{"schedules": 3}', b'{"schedules": [['),
        b'{"schedules": [{"ops": [{}]}]}',
    ],
)
def test_what_is_no_schedule_is_refused_in_one_line(data):
    with pytest.raises(InputError) as found:
        told_by(data, SHARED, SILENT, nothing_beside)
    assert "\n" not in str(found.value)


def test_a_file_of_something_else_is_told_by_its_own_words():
    with pytest.raises(InputError, match="is no schedule: it calls itself 'edits'"):
        told_by(b'{"reefpoint": "edits", "edits": []}', SHARED, SILENT, nothing_beside)


def check_peer(path: Path) -> None:
    """All that the other compiler decides is honoured, but for rings higher than their map."""
    found, done = adoption_of(path)
    assert found.matched == len(done.graph.ops)
    assert {kind for kind, _ in found.unadopted} <= {Unadopted.HIGHER}
    assert [outcome for outcome in done.edits if outcome.fate is not EditFate.HONOURED] == []


@pytest.mark.parametrize(
    "path", [path for path in FINISHED if name_of(path) in SAMPLE], ids=name_of
)
def test_all_that_the_other_compiler_decides_is_honoured(path):
    check_peer(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [path for path in FINISHED if name_of(path) not in SAMPLE], ids=name_of
)
def test_all_that_the_other_compiler_decides_is_honoured_everywhere(path):
    check_peer(path)


def test_rows_that_a_stream_makes_apart_belong_to_their_operator():
    """The last of them, where fewer are left than a stripe has."""
    target = SHARED.with_limit(48 << 10)
    told = told_ops(as_json(own("mobilenet_v2_035_96", target)))
    first = next(at for at, op in enumerate(told) if op.cascade is not None)
    op = told[first]
    ofm, ifm = op.sign.ofm[0], op.sign.ifm[0]

    def with_rows(made: int, read: int) -> ToldOp:
        shapes = (ofm.with_hw(made, ofm.w),), (ifm.with_hw(read, ifm.w),)
        return replace(op, sign=replace(op.sign, ofm=shapes[0], ifm=shapes[1]))

    parts = with_rows(ofm.h - 1, ifm.h - 1), replace(with_rows(1, 1), cascade=None)
    split = [*told[:first], parts[0], told[first + 1], parts[1], *told[first + 2 :]]
    assert whole(split) == told
    assert whole(told) == told
