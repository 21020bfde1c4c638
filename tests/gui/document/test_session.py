"""The work as a text: all of it comes back, and what is no session is said to be none."""

from __future__ import annotations

import json
import types
import typing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.checked import Checked
from core.base.errors import InputError
from core.base.frozen import field_names, replace
from core.ir.options import Options, Strategy
from core.ir.settings import Settings
from core.ir.together import Calls
from gui.document.display import ByteUnit, Display, Span, ThemeChoice
from gui.document.document import Company, Document, ModelRef
from gui.document.history import MOST_ENTRIES, Entry, History
from gui.document.selection import NOTHING_SELECTED, BufferRef, CascadeRef, Selection
from gui.document.session import KeptRef, Session, decode, encode, still_there
from gui.document.session_versions import MIGRATIONS, VERSION, NewerSession
from tests.core.edits.strategies import EDITS, NOTES
from tests.gui.answers import answer_of
from tests.settings import settings_with

FIXTURES = Path(__file__).parent / "sessions"


def names(kind):
    return list(field_names(kind))


def of(hint: Any) -> st.SearchStrategy[Any]:
    """All that a field of what users make can hold: every one there is, and will be."""
    for bounds in getattr(hint, "__metadata__", ()):
        if bounds.is_power_of_two:
            return st.sampled_from([1 << bit for bit in range(40) if bounds.holds(1 << bit)])
        return st.integers(bounds.least, bounds.most)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return st.one_of(map(of, typing.get_args(hint)))
    if hint is Options:
        return checked(Options, edits=st.lists(EDITS, max_size=3).map(tuple))
    is_checked = isinstance(hint, type) and issubclass(hint, Checked)
    return checked(hint) if is_checked else st.from_type(hint)


def checked(kind: type[Checked], **given: Any) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return st.builds(kind, **({name: of(hints[name]) for name in names(kind)} | given))


# Paths come from the system, which has its own ideas of what is a letter.
texts = st.text(st.characters(exclude_categories=[]), max_size=8)
models = st.builds(ModelRef, path=texts, digest=texts)
documents = st.builds(
    Document,
    model=st.none() | models,
    settings=of(Settings),
    company=st.builds(
        Company,
        models=st.lists(models, max_size=2).map(tuple),
        calls=st.sampled_from(Calls),
    ),
)
notes = st.lists(NOTES, max_size=3).map(tuple)
entries = st.builds(Entry, documents, texts, texts, notes)
some = st.lists(entries, max_size=4).map(tuple)
selections = st.sampled_from(
    [
        NOTHING_SELECTED,
        Selection(op=3),
        Selection(fm=0),
        Selection(cpu_op=2),
        Selection(cascade=CascadeRef(0, 1)),
        Selection(buffer=BufferRef(5, 0)),
    ]
)
cycles = st.floats(allow_nan=False, allow_infinity=False)
sessions = st.builds(
    Session,
    history=st.builds(History, past=some, present=entries, future=some),
    selection=selections,
    span=st.none() | st.builds(Span, start_cycle=cycles, end_cycle=cycles),
    display=st.builds(Display, **dict.fromkeys(names(Display), ...)),
    measured=texts,
    swept=texts,
    layout=texts,
    looks=st.dictionaries(
        texts, st.dictionaries(texts, st.integers() | st.lists(texts)), max_size=2
    ),
    geometry=texts,
    kept=st.none() | st.builds(KeptRef, texts, st.none() | documents, texts),
)


@given(sessions)
def test_a_session_comes_back_whole_and_is_one_text(session):
    text = encode(session)
    again = decode(text)
    assert again == session
    assert encode(again) == text
    assert text.isascii()


def test_a_step_is_a_line():
    history = History()
    for number in range(5):
        history = history.edited(Document(settings=Settings(limit_bytes=number)), "limit")
    lines = encode(Session(history=history)).splitlines()
    assert sum('"label": "limit"' in line for line in lines) == 5


def test_what_steps_have_in_common_is_written_once():
    few, many = Settings(limit_bytes=1), Settings(limit_bytes=2)
    history = History(present=Entry(Document(settings=few)))
    for number in range(MOST_ENTRIES):
        history = history.edited(Document(settings=(many, few)[number % 2]), "limit")
    text = encode(Session(history=history))
    assert text.count("accelerator") == 2
    assert len(text) < 60 * MOST_ENTRIES


@pytest.mark.parametrize("file", sorted(FIXTURES.glob("*.json")), ids=lambda file: file.stem)
def test_sessions_of_older_versions_still_open(file):
    session = decode(file.read_text("utf-8"))
    model = ModelRef(path="models/net.tflite", digest="d1")
    first = Settings(accelerator="ethos-u65-256", memory_mode="Dedicated_Sram")
    limited = replace(first, limit_bytes=196_608)
    small = settings_with(limited, strategy=Strategy.SIZE)
    assert session == Session(
        history=History(
            past=(Entry(Document(model=model, settings=first)),),
            present=Entry(Document(model=model, settings=limited), "SRAM limit"),
            future=(Entry(Document(model=model, settings=small), "strategy"),),
        ),
        selection=Selection(op=4),
        span=Span(start_cycle=10.0, end_cycle=20.5),
        display=Display(byte_unit=ByteUnit.BYTES, theme=ThemeChoice.DARK),
        layout="AAAA",
        geometry="BBBB",
    )


def test_there_is_a_file_and_a_step_for_every_version():
    assert set(MIGRATIONS) == set(range(1, VERSION))
    assert {file.stem for file in FIXTURES.glob("*.json")} == {
        f"version-{version}" for version in range(1, VERSION + 1)
    }


def plain() -> dict:
    model = ModelRef(path="a.tflite", digest="1")
    return json.loads(encode(Session(history=History(present=Entry(Document(model=model))))))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": None}, "has no version"),
        ({"version": True}, "has no version"),
        ({"version": 0}, "has no version"),
        ({"past": {}}, "session.past: is not a list"),
        ({"present": {"settings": 7}}, "no number 7 in a list of 1"),
        ({"present": {"settings": 0, "model": -1}}, "no number -1"),
        ({"present": {}}, "session.present: has no settings"),
        ({"models": [{"path": 3, "digest": ""}]}, "session.models[0].path: 3 is not a text"),
        ({"settings": [{"options": {"strategy": "Best"}}]}, "'Best' is none of Performance, Size"),
        ({"settings": [{"limit_bytes": 1.5}]}, "limit_bytes: 1.5 is not a whole number"),
        ({"settings": [{"limit_bytes": True}]}, "True is not a whole number"),
        ({"settings": [7]}, "session.settings[0]: is not an object"),
        ({"span": {"start_cycle": "a", "end_cycle": 0}}, "start_cycle: 'a' is not a number"),
        ({"selection": {"cascade": {"island": 0}}}, "cascade: has no cascade"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change, said):
    with pytest.raises(InputError) as error:
        decode(json.dumps(plain() | change))
    assert said in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "[" * 100_000, '{"version": 1}', "NaN"])
def test_what_is_no_session_is_an_input_error(text):
    with pytest.raises(InputError):
        decode(text)


@given(st.data())
def test_a_spoiled_session_is_a_session_or_an_input_error(data):
    text = (FIXTURES / f"version-{data.draw(st.integers(1, VERSION))}.json").read_text("utf-8")
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 20))
    spoiled = text[:at] + data.draw(st.text(max_size=4)) + text[at + length :]
    try:
        session = decode(spoiled)
    except InputError:
        return
    assert decode(encode(session)) == session


def test_a_later_version_is_no_broken_one():
    with pytest.raises(NewerSession, match="is of version 99"):
        decode(json.dumps(plain() | {"version": 99}))


def test_what_another_version_has_more_or_less_does_not_matter():
    changed = plain() | {"colour": "red"}
    changed["settings"] = [{"limit_bytes": 5, "taste": "sweet"}]
    del changed["display"]
    session = decode(json.dumps(changed))
    assert session.history.present.document.settings == Settings(limit_bytes=5)
    assert session.display == Display()


def test_a_model_that_moved_is_moved_in_all_of_history():
    old, new = ModelRef(path="a", digest="1"), ModelRef(path="b", digest="2")
    other = ModelRef(path="c", digest="3")
    history = History(present=Entry(Document(model=other)))
    history = history.edited(Document(model=old), "one")
    history = history.edited(Document(model=old, settings=Settings(limit_bytes=1)), "two").undone()
    beside = history.present.document.with_company(Company(models=(old, other)))
    history = replace(history, present=history.present._replace(document=beside))
    found = history.moved("a", new)
    documents = [step.document for step in (*found.past, found.present, *found.future)]
    assert [document.model for document in documents] == [other, new, new]
    assert documents[2].settings == Settings(limit_bytes=1)
    assert [document.company.models for document in documents] == [(), (new, other), ()]
    assert found.redo_label == "two"


@pytest.mark.parametrize("limit", [200 << 10, None])
def test_only_what_an_answer_has_can_be_selected_in_it(limit):
    answer = answer_of("unet_128", limit_bytes=limit)
    graph, schedule = answer.scheduled.run.graph, answer.scheduled.schedule
    cascades = len(schedule.islands[0].cascades)
    buffers = {
        plan.op: len(plan.weights.buffer_bytes) if plan.weights else 0 for plan in schedule.ops
    }
    assert cascades or any(buffers.values())
    there = (
        NOTHING_SELECTED,
        Selection(op=len(graph.ops) - 1),
        Selection(fm=len(graph.feature_maps) - 1),
        *(Selection(cascade=CascadeRef(0, number)) for number in range(cascades)),
        *(Selection(buffer=BufferRef(op, at)) for op in buffers for at in range(buffers[op])),
    )
    absent = (
        Selection(op=len(graph.ops)),
        Selection(fm=len(graph.feature_maps)),
        Selection(fm=-1),
        Selection(cpu_op=len(graph.cpu_ops)),
        Selection(cascade=CascadeRef(0, cascades)),
        Selection(cascade=CascadeRef(len(schedule.islands), 0)),
        Selection(buffer=BufferRef(len(graph.ops), 0)),
        *(Selection(buffer=BufferRef(op, buffers[op])) for op in buffers),
    )
    assert [still_there(selection, answer) for selection in there] == [True] * len(there)
    assert [still_there(selection, answer) for selection in absent] == [False] * len(absent)
