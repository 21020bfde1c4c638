"""Measured cycles: every format is read alike, and what cannot be matched is listed."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InputError
from core.report import schedule_csv
from core.report.measured import match as measured
from core.report.measured.rows import read_rows
from tests.core.report.real import NAMES, real


@pytest.fixture(scope="module")
def material():
    return real("kws_dscnn")[0]


def cycles_for(material):
    return {op.id: 100.0 + 3 * op.id for op in material.graph.ops}


def csv_of(rows, delimiter=","):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode()


def by_name(material):
    names = [op.name for op in material.graph.ops]
    return {op.id: op.name for op in material.graph.ops if names.count(op.name) == 1}


@pytest.mark.parametrize("heading", ["cycles", "Cycles", "NPU cycles", "npu_active", "Op Cycles"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_by_name(material, heading, delimiter):
    names, cycles = by_name(material), cycles_for(material)
    rows = [["Layer", "other", heading], *([names[op], "x", cycles[op]] for op in names)]
    found = measured.read(csv_of(rows, delimiter), material)
    assert found.cycles_of == {op: cycles[op] for op in names}
    assert found.unmatched == ()
    assert set(found.missing) == {op.id for op in material.graph.ops} - names.keys()


def test_json_in_all_its_forms_says_the_same(material):
    names, cycles = by_name(material), cycles_for(material)
    plain = {names[op]: cycles[op] for op in names}
    rows = [{"name": name, "cycles": number} for name, number in plain.items()]
    numbered = [{"id": op, "npu_cycles": cycles[op]} for op in names]
    trace = [{"ph": "X", "name": r["name"], "args": {"cycles": r["cycles"]}} for r in rows]
    other = [{"ph": "M", "name": "process_name", "args": {"name": "NPU"}}]
    nested = {name: {"cycles": number} for name, number in plain.items()}
    forms = (plain, rows, numbered, {"layers": rows}, {"traceEvents": other + trace}, nested)
    found = [measured.read(json.dumps(form).encode(), material) for form in forms]
    for one in found:
        assert one.cycles_of == {op: cycles[op] for op in names}
        assert one.unmatched == ()


@pytest.mark.long
@pytest.mark.parametrize("example", NAMES)
def test_the_layers_of_our_own_report_can_be_read_back(example):
    material, _ = real(example)
    found = measured.read(schedule_csv.render_operators(material).encode(), material)
    assert found.cycles_of.keys() | set(found.missing) == {op.id for op in material.graph.ops}
    for op, cycles in found.cycles_of.items():
        assert cycles == material.costs[op].total_cycles
    assert all("ambiguous" in row.reason for row in found.unmatched)
    assert found.total_cycles == sum(found.cycles_of.values())


def test_a_number_alone_is_enough(material):
    found = measured.read(b"index,cycles\n0,10\n2,30\n", material)
    assert found.cycles_of == {0: 10.0, 2: 30.0}
    found = measured.read(b"operator;cycles\n1;7\n", material)
    assert found.cycles_of == {1: 7.0}


def test_the_end_of_a_name_is_enough_where_there_is_one(material):
    name = next(op.name for op in material.graph.ops if "/" in op.name)
    ending = name.rsplit("/", 1)[1]
    endings = [op for op in material.graph.ops if op.name.endswith(("/" + ending, ";" + ending))]
    found = measured.read(csv_of([["name", "cycles"], [ending, 5]]), material)
    if len(endings) == 1:
        assert found.cycles_of == {endings[0].id: 5.0}
    else:
        assert "ambiguous" in found.unmatched[0].reason
    inside = ending[1:]
    found = measured.read(csv_of([["name", "cycles"], [inside, 5]]), material)
    assert found.rows == ()


def test_unmatched_rows_say_why(material):
    name = material.graph.ops[1].name
    rows = [
        ["id", "name", "cycles"],
        ["", "nobody", 5],
        [0, "", 5],
        [0, "", 6],
        [2, "", "n/a"],
        [999, "", 5],
        [3, name, 5],
        ["", "", 5],
    ]
    found = measured.read(csv_of(rows), material)
    assert found.cycles_of == {0: 5.0}
    reasons = {row.line: row.reason for row in found.unmatched}
    assert list(reasons) == [2, 4, 5, 6, 7, 8]
    assert "no operator has this name" in reasons[2]
    assert "line 3 already" in reasons[4]
    assert "'n/a' is no number" in reasons[5]
    assert "there is no operator 999" in reasons[6]
    assert "has number 3, and the name of operator 1" in reasons[7]
    assert "neither a name nor a number" in reasons[8]


@pytest.mark.long
def test_one_name_of_two_operators_is_ambiguous():
    material, _ = real("mobilenet_v2_035_96")
    ending = "conv_2d"
    assert sum(op.name.endswith(f"/{ending}") for op in material.graph.ops) > 1
    found = measured.read(csv_of([["name", "cycles"], [ending, 5]]), material)
    assert found.rows == ()
    assert found.unmatched[0].reason.startswith("ambiguous")


@pytest.mark.parametrize(
    ("cell", "cycles"),
    [
        ("12", 12),
        ("1,234,567", 1234567),
        ("1'234", 1234),
        (" 5.5 ", 5.5),
        ("0x1F", 31),
        ("1e3", 1000),
    ],
)
def test_numbers_as_people_write_them(cell, cycles):
    (row,) = read_rows(csv_of([["name", "cycles"], ["a", cell]]))
    assert row.cycles == cycles


@pytest.mark.parametrize("cell", ["-1", "nan", "inf", "", "1,2", "9" * 400, "0x" + "f" * 400])
def test_what_is_no_number_of_cycles(cell):
    (row,) = read_rows(csv_of([["name", "cycles"], ["a", cell]]))
    assert row.cycles is None


@pytest.mark.parametrize(
    ("data", "where", "what"),
    [
        (b"", "", "empty"),
        (b" \n", "", "empty"),
        (b"name,cycles\na\xff,1\n", "line 2", "UTF-8"),
        (b"\n\nname,seconds\na,1\n", "line 3", "headings"),
        (b"name,cycles\na,1\nb;c,2,3\n", "line 3", "3 cells where 2"),
        (b'[{"name": "a",\n "cycles": }]', "line 2", "JSON"),
        (b'[{"name": "a"}]', "entry 1", "no cycles"),
        (b'[{"cycles": 3}]', "entry 1", "no name"),
        (b"[3]", "entry 1", "no object"),
        (b"[]", "", "no measurement"),
        (b"name,cycles\n", "", "no measurement"),
        (b"[" * 100_000, "", ""),
        (b'{"a": ' + b"9" * 5000 + b"}", "", "digits"),
    ],
)
def test_files_that_are_none_say_where(data, where, what):
    with pytest.raises(InputError) as caught:
        read_rows(data)
    assert where in caught.value.where
    assert what in caught.value.message


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(data):
    with suppress(InputError):
        read_rows(data)


@given(st.text(alphabet="[]{},;:\"'ncyles0123 \n\r\tame", max_size=120))
def test_nearly_right_files_are_read_or_refused(text):
    with suppress(InputError):
        read_rows(b"name,cycles\n" + text.encode())
