"""What a user can decide about a selection, and what is told of what became of it."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from core.ir.edits import (
    EdgeNamed,
    Edit,
    EditFate,
    EditOutcome,
    EditReason,
    Ground,
    Grouping,
    Living,
    MapNamed,
    OpNamed,
    OpsNamed,
    Processor,
    What,
)
from core.target.format import Format
from gui.document.decisions import FROM_FRONT, FROZEN, done, ops_named
from gui.document.document import ModelRef
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.edits import deeds, offers
from gui.present.edits.deeds import Asked, asked_of
from gui.present.edits.pins import pins_of
from gui.present.edits.rows import (
    State,
    edit_rows,
    shown_columns,
    table_rows,
    tally_of,
)
from gui.present.edits.subjects import (
    blocks_of,
    formats_of,
    heights_of,
    names_of,
    ops_of,
    order_of,
    places_about,
    selection_of,
)
from tests.gui.answers import answer_of

TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 128 << 10}


@pytest.fixture(scope="module")
def answer():
    return answer_of("unet_128", **TIGHT)


def about(answer, **picked) -> Asked:
    return Asked(answer.document, answer, Selection(**picked))


def only(deed) -> Edit:
    (edit,) = deed.new
    return edit


def test_a_map_or_what_an_operator_makes_is_kept(answer):
    graph = answer.scheduled.run.graph
    fm = graph.ops[3].ofm.fm
    name = names_of(answer).maps[fm]
    by_map = deeds.lives(about(answer, fm=fm), Living.FAST)
    assert by_map == deeds.lives(about(answer, op=3), Living.FAST)
    assert only(by_map) == Edit(subject=name, what=What.REGION, value=Living.FAST)
    title = graph.titles.map(fm)
    assert by_map.label == f"Keep {title} in fast storage"
    several = deeds.lives(about(answer, op=3, more_ops=(5, 6)), Living.SLOW)
    assert len(several.new) == 3


def test_what_stands_in_the_way_is_said(answer):
    nothing = about(answer)
    assert "selected" in deeds.lives(nothing, Living.FAST)
    one_memory = answer_of("kws_dscnn", memory_mode="Sram_Only")
    assert "one memory" in deeds.lives(about(one_memory, op=1), Living.FAST)
    assert "right before" in deeds.split_before(about(answer, op=0))
    assert asked_of(answer.document, None, NOTHING_SELECTED) == "there is no schedule yet"
    other = replace(answer.document, model=ModelRef(path="/other", digest="0"))
    assert isinstance(asked_of(other, answer, NOTHING_SELECTED), str)


def test_what_no_edit_brings_into_fast_storage_is_not_offered():
    """The judge of edits says of exactly these that they cannot be."""
    answer = answer_of("shuffle_with_cpu", **TIGHT)
    graph, names = answer.scheduled.run.graph, names_of(answer).maps
    maps = [fm.id for fm in graph.feature_maps if fm.data is None]
    told = [deeds.lives(about(answer, fm=fm), Living.FAST) for fm in maps]
    kept = [Edit(subject=names[fm], what=What.REGION, value=Living.FAST) for fm in maps]
    judged = answer_of("shuffle_with_cpu", **TIGHT, edits=tuple(kept)).scheduled.edits
    cannot = [
        any(reason.ground is Ground.NOT_LEGAL for reason in outcome.reasons) for outcome in judged
    ]
    assert [isinstance(each, str) for each in told] == cannot
    assert True in cannot
    assert False in cannot
    assert "stays where it is" in next(each for each in told if isinstance(each, str))


def test_cascades_are_split_and_merged_where_operators_run_one_after_the_other(answer):
    names = names_of(answer).ops
    cut = only(deeds.split_before(about(answer, op=2)))
    assert cut.subject == EdgeNamed(names[1], names[2])
    merged = only(deeds.merged(about(answer, op=2, more_ops=(4,))))
    assert merged.subject == OpsNamed(names[2:5])
    cascade = answer.scheduled.schedule.islands[0].cascades[0]
    beyond = only(deeds.merged(about(answer, op=cascade.ops[0])))
    assert {names[op] for op in cascade.ops} < set(beyond.subject.ops)
    assert only(deeds.kept_out(about(answer, op=2))).value is Grouping.NEVER


def test_formats_heights_and_blocks_are_those_that_are_legal(answer):
    scheduled = answer.scheduled
    for op in scheduled.run.graph.ops:
        plan = scheduled.schedule.ops[op.id]
        assert plan.stripe.ofm.h in heights_of(answer, op.id)
        blocks = [offer.block for offer in blocks_of(answer, op.id)]
        assert plan.block.ofm_block in blocks or not blocks
    for offered, plan in zip(formats_of(answer), scheduled.schedule.maps, strict=True):
        assert plan.format in [offer.format for offer in offered]
    only_rows = next(
        number
        for number, offered in enumerate(formats_of(answer))
        if len(offered) == 1 and scheduled.run.graph.feature_maps[number].data is None
    )
    assert "bricks" in deeds.stored(about(answer, fm=only_rows), Format.BRICKS)


def test_a_list_says_what_is_so_and_what_was_asked_for(answer):
    op = answer.scheduled.schedule.islands[0].cascades[0].ops[0]
    asked = about(answer, op=op)
    listed = offers.heights(asked)
    assert [offer.is_applied for offer in listed].count(True) == 1
    chosen = next(offer for offer in listed if not offer.is_applied)
    document = answer.document.with_edits(done((), chosen.deed, order_of(answer)))
    again = offers.heights(asked._replace(document=document))
    assert [offer.text for offer in again if offer.is_asked] == [chosen.text]
    blocks = offers.blocks(asked)
    assert [offer.is_applied for offer in blocks].count(True) == 1


def test_steps_of_a_stripe_go_on_from_what_is_asked_and_merge(answer):
    op = answer.scheduled.schedule.islands[0].cascades[0].ops[0]
    asked = about(answer, op=op)
    first = deeds.stripe_stepped(asked, 1)
    document = answer.document.with_edits(first.new)
    second = deeds.stripe_stepped(asked._replace(document=document), 1)
    assert second.merge_key == first.merge_key != ""
    assert only(second).value > only(first).value


def test_freezing_keeps_own_edits_and_thawing_takes_back_only_the_rest(answer):
    own = Edit(subject=names_of(answer).ops[3], what=What.STRIPE, value=2)
    # Frozen is what was found for this very document.
    edited = replace(answer, document=answer.document.with_edits((own,)))
    asked = Asked(edited.document, edited, NOTHING_SELECTED)
    deed = deeds.frozen(asked, only_selected=False)
    frozen = done(edited.document.edits, deed, order_of(answer))
    assert own in frozen
    assert len(frozen) > len(answer.scheduled.run.graph.ops)
    document = edited.document.with_edits(frozen)
    thawed = deeds.thawed(document)
    assert done(frozen, thawed, order_of(answer)) == (own,)
    stale = asked._replace(document=document)
    assert isinstance(deeds.frozen(stale, only_selected=False), str)


def test_only_what_is_selected_is_solved_anew(answer):
    deed = deeds.solved_alone(about(answer, op=4))
    alone = [edit for edit in deed.new if edit.value is not Grouping.TOGETHER]
    decided = {op for edit in alone for op in ops_named(edit.subject)}
    names = names_of(answer).ops
    # Others may be in a cascade with it, and stay so.
    assert names[4] not in decided
    assert set(names) - {names[4]} <= decided
    # What was frozen of it before is free again.
    whole = deeds.frozen(about(answer, op=4), only_selected=False)
    edits = tuple(replace(edit, note=FROZEN) for edit in deeds._frozen(about(answer, op=4), None))
    assert whole.new == edits
    held = replace(answer, document=answer.document.with_edits(edits))
    again = deeds.solved_alone(Asked(held.document, held, Selection(op=4)))
    assert again.gone == frozenset(places_about(held, edits, Selection(op=4)))
    assert isinstance(deeds.solved_alone(Asked(held.document, held, NOTHING_SELECTED)), str)


def test_the_operator_of_the_file_that_a_selection_does_the_work_of_is_put_on_the_cpu(answer):
    names = answer.scheduled.run.network.main.tensors
    source = answer.scheduled.run.network.operator(answer.scheduled.graph.ops[3].sources[0])
    asked = about(answer, op=3)
    deed = deeds.put_on_cpu(asked)
    name = OpNamed(names[source.outputs[0]].name)
    assert only(deed) == Edit(subject=name, what=What.PROCESSOR, value=Processor.CPU)
    assert deed.label.endswith("on the CPU")
    (offer,) = offers.processors(asked)
    assert (offer.text, offer.deed) == ("on the CPU", deed)
    assert "selected" in deeds.put_on_cpu(about(answer))


def test_let_decide_takes_back_what_is_about_the_selection(answer):
    deed = deeds.lives(about(answer, op=3), Living.FAST)
    other = deeds.lives(about(answer, op=5), Living.FAST)
    document = answer.document.with_edits((*deed.new, *other.new))
    found = deeds.let_decide(Asked(document, answer, Selection(op=3)))
    assert found.gone == {0}
    assert isinstance(deeds.let_decide(Asked(document, answer, Selection(op=3)), What.BLOCK), str)


# What became of them.


def outcome(edit, fate, *reasons, applied=None):
    return EditOutcome(edit=edit, fate=fate, applied=applied, reasons=reasons)


@pytest.fixture
def judged(answer):
    """A document with an edit of each fate, and its answer."""
    names = names_of(answer)
    edits = (
        Edit(
            subject=names.maps[answer.scheduled.run.graph.ops[3].ofm.fm],
            what=What.REGION,
            value=Living.FAST,
        ),
        Edit(subject=names.ops[2], what=What.STRIPE, value=3),
        Edit(
            subject=EdgeNamed(names.ops[4], names.ops[5]), what=What.CASCADE, value=Grouping.APART
        ),
        Edit(subject=MapNamed("gone"), what=What.FORMAT, value=Format.BRICKS),
        Edit(subject=names.ops[1], what=What.STRIPE, value=8, is_on=False),
    )
    room = EditReason(
        ground=Ground.NO_ROOM,
        is_proved=False,
        needed_bytes=116_032,
        available_bytes=108_544,
        edits=(0,),
        maps=(MapNamed("other"),),
    )
    fates = (
        outcome(edits[0], EditFate.HONOURED, applied=Living.FAST),
        outcome(edits[1], EditFate.CHANGED, applied=4),
        outcome(edits[2], EditFate.REFUSED, room, applied=Grouping.TOGETHER),
        outcome(
            edits[3],
            EditFate.ORPHAN,
            EditReason(ground=Ground.NO_SUBJECT, is_proved=True, maps=(MapNamed("gone"),)),
        ),
        outcome(edits[4], EditFate.OFF),
    )
    document = answer.document.with_edits(edits)
    scheduled = replace(answer.scheduled, edits=fates)
    return document, replace(answer, document=document, scheduled=scheduled)


def test_each_fate_has_a_word_and_a_shape(judged):
    rows = edit_rows(*judged)
    assert [row.state for row in rows] == [
        State.HONOURED,
        State.CHANGED,
        State.REFUSED,
        State.ORPHAN,
        State.OFF,
    ]
    assert len({row.fate[0] for row in rows}) == len(rows)
    assert rows[1].asked == "stripes of 3 rows"
    assert rows[1].applied == "stripes of 4 rows"
    assert rows[3].target is None
    assert tally_of(rows).text == (
        "5 edits: 1 honoured, 1 changed, 1 refused, 1 no such subject, 1 off"
    )
    assert tally_of(rows).worst is State.REFUSED


def test_a_whole_schedule_is_one_row_but_for_what_has_to_be_said(judged):
    document, judged_answer = judged
    marked = tuple(replace(edit, note=FROM_FRONT) for edit in document.edits)
    fates = [EditFate.HONOURED, *(each.fate for each in judged_answer.scheduled.edits[1:])]
    outcomes = tuple(
        replace(old, edit=edit, fate=fate)
        for old, edit, fate in zip(judged_answer.scheduled.edits, marked, fates, strict=True)
    )
    honoured = replace(outcomes[0], edit=replace(marked[0], subject=MapNamed("more")))
    edits = (*marked, honoured.edit)
    document = document.with_edits(edits)
    scheduled = replace(judged_answer.scheduled, edits=(*outcomes, honoured))
    told = replace(judged_answer, document=document, scheduled=scheduled)
    whole, *others = table_rows(document, told)
    assert whole.places == (0, 5)
    assert whole.subject == "2 decisions"
    assert [row.places for row in others] == [(1,), (2,), (3,), (4,)]
    assert tally_of(table_rows(document, told)) == tally_of(edit_rows(document, told))
    # Nobody has to read a pin for each of them; what is not as asked has its own.
    pins = pins_of(document, told)
    assert pins.maps[told.scheduled.run.graph.ops[3].ofm.fm] is State.HELD
    assert pins.ops[2] is State.CHANGED


def test_a_rule_is_one_row_with_what_has_to_be_said_behind_it(answer):
    names = names_of(answer).ops
    edits = tuple(
        Edit(subject=name, what=What.STRIPE, value=4, rule="kind=conv2d") for name in names[:4]
    )
    own = Edit(subject=names[5], what=What.STRIPE, value=2)
    fates = (EditFate.HONOURED, EditFate.REFUSED, EditFate.HONOURED, EditFate.CHANGED)
    outcomes = tuple(outcome(edit, fate) for edit, fate in zip(edits, fates, strict=True))
    document = answer.document.with_edits((*edits, own))
    told = replace(
        answer,
        document=document,
        scheduled=replace(answer.scheduled, edits=(*outcomes, outcome(own, EditFate.HONOURED))),
    )
    rule, *others = table_rows(document, told)
    assert (rule.subject, rule.asked) == ("kind=conv2d (4)", "stripes of 4 rows")
    assert rule.places == (0, 1, 2, 3)
    assert rule.target == Selection(op=0, more_ops=(1, 2, 3))
    assert rule.reason.startswith("2 of 4 are as asked")
    assert [row.places for row in others] == [(1,), (3,), (4,)]


def test_a_refusal_names_bytes_edits_and_maps_and_how_sure_it_is(judged):
    rows = edit_rows(*judged)
    for part in ("116,032", "108,544", f"edit {rows[0].number}", "other"):
        assert part in rows[2].reason
    assert rows[2].fate.endswith("not found")
    assert rows[2].reason in rows[2].tip.casefold()


def test_until_the_answer_to_this_very_document_nothing_is_said(judged, answer):
    document, judged_answer = judged
    later = document.with_edits(document.edits[:2])
    for old in (judged_answer, answer, None):
        rows = edit_rows(later, old)
        assert {row.state for row in rows} == {State.UNCHECKED}
        assert {row.applied for row in rows} == {""}
    assert tally_of(edit_rows(later, None)).text == "2 edits: 2 not checked yet"


def test_what_is_ignored_is_told_so(judged):
    rows = edit_rows(*judged)
    assert tally_of(rows, is_ignoring=True).text == "5 edits: ignored for now"
    assert tally_of(()).text == ""


def test_a_column_that_says_nothing_is_not_shown(judged):
    assert "note" not in shown_columns(edit_rows(*judged))


def test_subjects_are_selections_and_back(answer):
    names = names_of(answer)
    ops = OpsNamed(names.ops[2:5])
    assert ops_of(answer, selection_of(answer, ops)) == (2, 3, 4)
    assert selection_of(answer, EdgeNamed(names.ops[1], names.ops[2])).op == 2
    assert selection_of(answer, OpNamed("gone")) is None
