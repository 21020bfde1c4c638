"""Explanations: never empty, with the compiler's words, its numbers, and links that lead there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.api import reasons
from core.base.frozen import replace
from core.base.ids import FmId, IslandId, NpuOpId
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.document.selection import NOTHING_SELECTED, BufferRef, CascadeRef, Selection
from gui.present import units
from gui.present.why.html import link_text, selection_of, to_html
from gui.present.why.subject import related, subject_of
from gui.present.why.text import Phrase, Stress, Topic, Writer, explanation_of
from gui.theme.tones import LIGHT
from tests.gui.answers import answer_of

MOST_REASONS = 3

TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 60_000}
BYTES = Display(byte_unit=ByteUnit.BYTES)
ANSWERS = [("unet_128", TIGHT), ("shuffle_with_cpu", {}), ("residual_tower", TIGHT)]


def everything(answer):
    """All that can be selected in an answer."""
    graph, schedule = answer.scheduled.run.graph, answer.scheduled.schedule
    yield NOTHING_SELECTED
    yield from (Selection(op=op.id) for op in graph.ops)
    yield from (Selection(fm=fm.id) for fm in graph.feature_maps)
    yield from (Selection(cpu_op=position) for position in range(len(graph.cpu_ops)))
    for island in schedule.islands:
        for position in range(len(island.cascades)):
            yield Selection(cascade=CascadeRef(island.island, position))
        for plan in island.ops:
            for buffer in range(len(plan.weights.buffer_bytes) if plan.weights else 0):
                yield Selection(buffer=BufferRef(plan.op, buffer))


def words(text):
    """Without what is written differently: case, units, and where lines begin."""
    return re.sub(r"\s+", " ", text).casefold()


@pytest.mark.parametrize(("name", "settings"), ANSWERS)
def test_there_is_an_explanation_for_everything(name, settings):
    answer = answer_of(name, **settings)
    for selection in everything(answer):
        told = explanation_of(answer, selection, BYTES)
        assert told.title
        assert told.headline
        assert len(told.reasons) <= MOST_REASONS
        assert all(topic.title and topic.sentences for topic in told.topics)
        assert "unknown" not in told.text


@pytest.mark.parametrize(("name", "settings"), ANSWERS)
def test_it_is_what_the_compiler_says_word_for_word(name, settings):
    answer = answer_of(name, **settings)
    for selection in everything(answer):
        subject = subject_of(answer, selection) or reasons.AboutNetwork()
        sentences = reasons.explain(answer.scheduled, answer.analysis, subject)
        told = words(explanation_of(answer, selection, BYTES).text)
        for sentence in sentences:
            text = sentence.text
            for title in answer.scheduled.graph.titles.maps:
                text = text.replace(f"'{title}'", title)
            assert words(text) in told


def test_links_lead_to_what_they_name():
    answer = answer_of("unet_128", **TIGHT)
    graph = answer.scheduled.run.graph
    links = 0
    for selection in everything(answer):
        told = explanation_of(answer, selection, BYTES)
        for topic in (Topic("", (told.headline, *told.reasons)), *told.topics):
            for piece in (piece for line in topic.sentences for piece in line):
                if piece.stress is not Stress.LINK:
                    continue
                links += 1
                if piece.target.op is not None:
                    assert int(piece.text) == piece.target.op < len(graph.ops)
                else:
                    assert graph.titles.map(piece.target.fm) == piece.text
    assert links > 100


def pieces(text, display=BYTES):
    return Writer(answer_of("unet_128", **TIGHT), display).pieces(text)


def links(text):
    return [piece.target for piece in pieces(text) if piece.stress is Stress.LINK]


def op(number):
    return Selection(op=NpuOpId(number))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("made by operators 2, 23; read by operator 24 (conv2d).", [op(2), op(23), op(24)]),
        ("the 2 operators 0-1 that run", [op(0), op(1)]),
        ("17 operators of 27 run in 7 cascades", []),
        ("GATHER is operator 8 of the model", []),
        ("which costs its operators 285 cycles and 16 bytes", []),
        ("which costs its operators 1,285 cycles", []),
        ("Operator 0 is a conv2d", [op(0)]),
        ("operator 9999 is not there", []),
        ("the schedule 'min' has a peak", []),
    ],
)
def test_numbers_of_operators_are_told_from_other_numbers(text, expected):
    assert links(text) == expected


@given(text=st.text(alphabet="operatos 0123456789,.-'xbyteclusm%()", max_size=60))
def test_no_letter_is_lost_or_added(text):
    assert "".join(piece.text for piece in pieces(text)) == text


def test_numbers_are_stressed():
    found = pieces("It makes 128 rows of 1x128x128x16 with 20.5% in 64 stripes, conv2d.")
    assert [piece.text for piece in found if piece.stress is Stress.NUMBER] == [
        "128",
        "1x128x128x16",
        "20.5%",
        "64",
    ]


def test_sizes_stay_exact_and_get_their_kib():
    found = pieces("the limit of 60,000 bytes; 576 bytes are live", Display())
    told = "".join(piece.text for piece in found)
    assert told == "the limit of 60,000 bytes (58.59 KiB); 576 bytes are live"
    assert Phrase(" (58.59 KiB)", Stress.FAINT) in found


def test_times_are_told_in_the_chosen_unit():
    micro = Display(time_unit=TimeUnit.MICROSECONDS)
    text = "It takes 135,168 cycles (135.17 µs), 4.1% of the 3,315,104 cycles."
    told = "".join(piece.text for piece in pieces(text, micro))
    clock = answer_of("unet_128", **TIGHT).scheduled.total.clock_hz
    first, whole = (
        units.time(cycles, TimeUnit.MICROSECONDS, clock) for cycles in (135_168, 3_315_104)
    )
    assert told == f"It takes {first}, 4.1% of the {whole}."


def test_the_whole_schedule_is_told_where_nothing_is_selected():
    answer = answer_of("unet_128", **TIGHT)
    told = explanation_of(answer, NOTHING_SELECTED, BYTES)
    (island,) = answer.scheduled.schedule.islands
    text = told.text
    assert told.title == "The whole schedule"
    assert units.count(answer.scheduled.total.total_cycles) in text
    assert f"{units.count(island.limit_bytes)} bytes" in text
    assert f"{len(island.cascades)} cascades" in text
    evicted = sum(group.size_bytes for group in island.evicted)
    assert f"{units.count(evicted)} bytes" in text


def test_an_eviction_is_told_with_its_numbers():
    answer = answer_of("unet_128", **TIGHT)
    for cost in answer.analysis.evictions:
        group = answer.scheduled.schedule.islands[cost.island].evicted[cost.position]
        text = explanation_of(answer, Selection(fm=group.fms[0]), BYTES).text
        assert units.count(cost.cycles) in text
        assert f"{units.count(cost.live_with_it_bytes)} bytes" in text


def test_what_a_newer_schedule_lacks_is_said_to_be_gone():
    answer = answer_of("kws_dscnn")
    for gone in (
        Selection(cascade=CascadeRef(IslandId(0), 3)),
        Selection(cascade=CascadeRef(IslandId(7), 0)),
        Selection(op=NpuOpId(9999)),
        Selection(fm=FmId(9999)),
        Selection(cpu_op=3),
    ):
        told = explanation_of(answer, gone, BYTES)
        assert told.title == "The whole schedule"
        assert "no part of this schedule" in told.text
    told = explanation_of(answer, Selection(buffer=BufferRef(NpuOpId(0), 9)), BYTES)
    assert told.title.startswith("0 conv2d · ")


@pytest.mark.parametrize(("name", "settings"), ANSWERS)
def test_addresses_of_links_lead_back(name, settings):
    for selection in everything(answer_of(name, **settings)):
        assert selection_of(link_text(selection)) == selection


def test_related_things_are_those_of_the_graph():
    answer = answer_of("unet_128", **TIGHT)
    graph, (island,) = answer.scheduled.run.graph, answer.scheduled.schedule.islands
    for number in graph.ops:
        targets = {link.target for link in related(answer, reasons.AboutOp(number.id))}
        assert {Selection(fm=view.fm) for view in number.views} <= targets
        cascades = {
            Selection(cascade=CascadeRef(island.island, at))
            for at, cascade in enumerate(island.cascades)
            if number.id in cascade.ops
        }
        assert {target for target in targets if target.cascade is not None} == cascades
    whole = related(answer, reasons.AboutNetwork())
    assert sum(link.group == "Cascades" for link in whole) == len(island.cascades)
    assert sum(link.group == "Evicted" for link in whole) == len(island.evicted)
    groups = [link.group for link in whole]
    assert groups == sorted(groups, key=groups.index)


def test_what_is_said_first_is_one_sentence_and_few_reasons_with_numbers():
    answer = answer_of("unet_128", **TIGHT)
    scheduled = answer.scheduled
    for selection in everything(answer):
        told = explanation_of(answer, selection, BYTES)
        headline = "".join(piece.text for piece in told.headline)
        assert headline.endswith(".")
        if selection.op is not None:
            cycles = scheduled.costs[selection.op].total_cycles
            assert f"{round(cycles):,} cycles" in headline
            reasons_told = ["".join(piece.text for piece in line) for line in told.reasons]
            assert all(re.search(r"\d", text) for text in reasons_told)
        folded = [line for topic in told.topics for line in topic.sentences]
        assert not [line for line in told.reasons if line in folded]


def test_many_links_are_a_count_with_a_list_behind_it():
    answer = answer_of("unet_128", **TIGHT)
    evicted = len(answer.scheduled.schedule.evicted)
    told = explanation_of(answer, NOTHING_SELECTED, BYTES)
    names = [link.text for link in told.related if link.group == "Evicted"]
    assert len(names) == evicted > 6
    closed, opened = to_html(told, LIGHT), to_html(told, LIGHT, {"Evicted"})
    assert f"Evicted: {evicted}" in closed
    assert f">{names[-1]}</a>" not in closed
    assert f">{names[-1]}</a>" in opened


def test_names_are_escaped():
    answer = answer_of("kws_dscnn")
    told = explanation_of(answer, NOTHING_SELECTED, BYTES)
    html = to_html(replace(told, title="<b>&'name'"), LIGHT)
    assert "&lt;b&gt;&amp;&#x27;name&#x27;" in html


def test_whole_names_are_kept_for_the_pointer():
    answer = answer_of("kws_dscnn")
    told = explanation_of(answer, NOTHING_SELECTED, BYTES)
    piece = Phrase("0 conv2d · stem", Stress.LINK, op(0), "stem/conv_2d;<bias>")
    topics = (replace_sentences(told.topics[0], (piece,)),)
    html = to_html(replace(told, topics=topics), LIGHT, {topics[0].title})
    assert 'title="stem/conv_2d;&lt;bias&gt;"' in html
    assert ">0 conv2d · stem</a>" in html


def replace_sentences(topic, line):
    return topic._replace(sentences=(line,))
