"""Queries: a text asks what plain Python does; whatever is typed is answered or refused."""

from __future__ import annotations

import json
import operator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import cli
from core.api.queries import FIELDS, TAGS, Tagged, query_of, render_matches, things_of
from core.base.errors import OptionError
from core.base.query import meant
from core.report.query import told
from tests.gui.answers import EXAMPLES, answer_of

TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 60_000}
SIGNS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS = sorted(field for field, kind in FIELDS.items() if kind is float)


def scheduled():
    return answer_of("shuffle_with_cpu", **TIGHT).scheduled


def things():
    return [found.thing for found in things_of(scheduled())]


def met(text: str) -> list[int]:
    test = query_of(text).test
    return [place for place, thing in enumerate(things()) if test(thing)]


@given(
    field=st.sampled_from(NUMBERS),
    sign=st.sampled_from(sorted(SIGNS)),
    number=st.integers(0, 1 << 20),
)
def test_a_comparison_is_that_of_the_numbers(field, sign, number):
    expected = [
        place
        for place, thing in enumerate(things())
        # What has no such number, as a map has no cycles, meets no comparison.
        if thing.values.get(field, float("nan")) == thing.values.get(field, float("nan"))
        and SIGNS[sign](thing.values[field], number)
        if field in thing.values
    ]
    assert met(f"{field} {sign} {number}") == met(f"{field}{sign}{number}") == expected


TERMS = [
    "kind=conv2d",
    "cycles>1000",
    "is=evicted",
    "head",
    '"pool"',
    "/conv.*/",
    "share>1%",
    "is=map",
]


@st.composite
def formulas(draw, depth=3):
    """A text, and the same as a function of the places that terms are met at."""
    kind = draw(
        st.sampled_from(["term", "not", "and", "or", "side by side"] if depth else ["term"])
    )
    if kind == "term":
        term = draw(st.sampled_from(TERMS))
        return term, lambda: set(met(term))
    left, of_left = draw(formulas(depth=depth - 1))
    if kind == "not":
        return f"not ({left})", lambda: set(range(len(things()))) - of_left()
    right, of_right = draw(formulas(depth=depth - 1))
    if kind == "or":
        return f"({left} OR {right})", lambda: of_left() | of_right()
    between = " and " if kind == "and" else " "
    return f"(({left}){between}({right}))", lambda: of_left() & of_right()


@given(formula=formulas())
def test_and_or_and_not_are_those_of_sets(formula):
    text, expected = formula
    assert set(met(text)) == expected()


def test_or_binds_less_than_and():
    assert met("head or is=map cycles>0") == met("head or (is=map and cycles>0)")
    assert met("not head pool") == met("(not head) and pool")


@given(text=st.text(alphabet='abk 1.%()<>=!~"/\\x', max_size=20) | st.text(max_size=12))
def test_whatever_is_typed_asks_something_or_is_refused(text):
    try:
        query = query_of(text)
    except OptionError:
        return
    for thing in things():
        assert query.test(thing) in (True, False)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("bytes>=4K", "bytes>=4096"),
        ("bytes >= 4KiB", "bytes>=0x1000"),
        ("macs>2k", "macs>2000"),
        ("macs>2,000", "macs>2000"),
        ("share>5%", "share>0.05"),
        ("KIND=Conv2D", "kind=conv2d"),
    ],
)
def test_numbers_are_typed_as_people_write_them(text, same):
    assert met(text) == met(same)
    assert met(text)


def test_a_word_of_a_kind_is_enough_and_a_part_of_one_is_not():
    depthwise = [
        place
        for place, thing in enumerate(things())
        if "depthwise" in str(thing.values["kind"]).split()
    ]
    assert depthwise
    assert met("kind=depthwise") == depthwise == met("kind~depthw") == met("kind=/^DEPTHW/")
    assert not met("kind=depthw")


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("cycels>3", "cycles"),
        ("cycles>", "missing"),
        ("cycles>many", "number"),
        ("kind>3", "no number"),
        ("cycles>1%", "no share"),
        ("(head", "not closed"),
        ("head)", "before it"),
        (">3", "before it"),
        ("head or", "missing"),
        ("and", "'and' has nothing before it to join; in quotes it is looked for"),
        ("head and OR tail", "'OR' has nothing before it"),
        ("not and", "'and' has nothing before it"),
        ("/(/", "regular expression"),
        ("(" * 500, "brackets"),
    ],
)
def test_what_is_wrong_is_told(text, told_of):
    with pytest.raises(OptionError, match=told_of):
        query_of(text)


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("kind=depthwice", "no kind is 'depthwice'; did you mean 'depthwise'?"),
        ("dephtwise and share>1%", "nothing has 'dephtwise'; did you mean 'depthwise'?"),
        ("is=opertor", "nothing is 'opertor'; did you mean 'operator'?"),
        ("memory=flsh cycles>1", "no memory is 'flsh'; there is dram, sram"),
        ("waits for weights", "'waits' is compared, such as waits=..."),
        ("share>99%", ""),
        ("kind=conv2d cycles<0", ""),
    ],
)
def test_what_finds_nothing_says_what_may_have_been_meant(text, told_of):
    assert not met(text)
    assert meant(query_of(text), things()) == told_of
    assert render_matches(scheduled(), [query_of(text)]).rstrip().endswith(told_of)


def test_tags_are_what_the_schedule_says():
    run = scheduled()
    evicted = {
        fm for island in run.schedule.islands for group in island.evicted for fm in group.fms
    }
    found = list(things_of(run, Tagged(ops={"edited": frozenset({3})})))
    for part in found:
        tags = part.thing.values["is"]
        assert tags <= TAGS.keys()
        assert ("map" in tags) == (part.fm is not None)
        assert ("cpu" in tags) == (part.cpu_op is not None)
        assert ("edited" in tags) == (part.op == 3)
        if part.fm is not None:
            assert ("evicted" in tags) == (part.fm in evicted)
    assert [part.op for part in found if part.op is not None] == sorted(
        range(len(run.graph.ops)), key=lambda op: run.layout.op_times[op]
    )


def test_the_answer_tells_each_match_once():
    query = query_of("is=operator")
    text = told.render(query, told.matches(scheduled(), query))
    count = len(scheduled().graph.ops) + len(scheduled().graph.cpu_ops)
    assert text.startswith(f"is=operator: {count} operators and 0 maps")
    assert len(text.split("\n\n")[1].splitlines()) == count + 2
    (described,) = told.describe([(query, told.matches(scheduled(), query))])["queries"]
    assert described["where"] == "is=operator"
    assert len(described["matches"]) == count


def test_inspect_tells_what_is_so(capsys, tmp_path):
    model = str(EXAMPLES / "kws_dscnn.tflite")
    assert cli.main(["inspect", model, "--where", "kind=depthwise is=npu"]) == 0
    text = capsys.readouterr().out
    assert "depthwise conv2d" in text
    assert cli.main(["compile", model, "-o", str(tmp_path / "made.tflite")]) == 0
    capsys.readouterr()
    assert cli.main(["inspect", str(tmp_path / "made.tflite"), "--where", "is=operator"]) == 0
    assert "operators and 0 maps" in capsys.readouterr().out
    assert cli.main(["inspect", model, "--where", "knid=3"]) == 2
    assert "kind" in capsys.readouterr().err


def test_several_queries_have_an_answer_each_in_the_order_of_the_line(capsys, tmp_path):
    model, path = str(EXAMPLES / "kws_dscnn.tflite"), tmp_path / "found.json"
    asked = ("kind=depthwise is=npu", "share>=5%", "kind=unheard_of")
    words = [word for text in asked for word in ("--where", text)]
    assert cli.main(["inspect", model, *words]) == 0
    text = capsys.readouterr().out
    heads = [line for line in text.splitlines() if line.startswith(asked)]
    assert [line.split(": ")[0] for line in heads] == list(asked)
    assert heads[-1].startswith(f"{asked[-1]}: 0 operators and 0 maps")
    assert cli.main(["inspect", model, *words, "--json", str(path)]) == 0
    found = json.loads(path.read_text("utf-8"))["queries"]
    assert [each["where"] for each in found] == list(asked)
    # What several find is told in the answer to each.
    alone = [cli_found(model, query, path) for query in asked]
    assert [each["matches"] for each in found] == alone
    assert cli.main(["inspect", model, "--where", "is=map", "--where", "knid=3"]) == 2


def cli_found(model: str, query: str, path: Path) -> list[object]:
    assert cli.main(["inspect", model, "--where", query, "--json", str(path), "--force"]) == 0
    (found,) = json.loads(path.read_text("utf-8"))["queries"]
    return found["matches"]
