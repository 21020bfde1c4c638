"""A format is recognised by how its files begin."""

from __future__ import annotations

import pytest

from core.base.forms import Form

BEGINNINGS = {
    Form.MODEL: (b"\x1c\0\0\0TFL3\0\0", b"\n\0\0\0TFL3"),
    Form.JSON: (b'{\n "a": 1}', b"[]", b" [1, 2]", b'[{"a": 1}]'),
    Form.CSV: (b"a,b\n1,2\n", b'"a,b",c\r\n1,2\r\n', b"a,b"),
    Form.PNG: (b"\x89PNG\r\n\x1a\n\0\0",),
    Form.SVG: (b'<?xml version="1.0"?>\n<svg width="1">', b"<svg>"),
    Form.HTML: (b"<!DOCTYPE html>\n<html>", b"<html lang='en'>"),
    Form.PDF: (b"%PDF-1.4\n",),
    Form.SESSION: (b'{\n"version": 3,\n"models": []',),
    Form.SWEEP: (b"SQLite format 3\0\x10\0",),
    Form.CONFIG: (b"; of a board\n\n[System_Config.Mine]\n", b"[Memory_Mode.Shared]\r\nx=1\r\n"),
    Form.MARKDOWN: (b"### Reefpoint: 3 limits met\n",),
    Form.JUNIT: (b'<?xml version="1.0"?>\n<testsuites name="x">',),
    Form.LOG: (b"# Reefpoint log of 0.1.0: schedule net.tflite\n",),
    Form.FAULTS: (b"Versions\n--------\nReefpoint 1",),
}
FOREIGN = (
    b"dear diary",
    b"one, two\nthree\n",
    b"[section]\nkey=1\n",
    b"\0\1,\2\n",
    b"<?xml version='1'?>",
)


@pytest.mark.parametrize("form", Form)
def test_files_of_a_format_are_taken_for_it_and_for_no_other(form: Form) -> None:
    for head in BEGINNINGS[form]:
        assert [other for other in Form if other.begins(head)] == [form]


@pytest.mark.parametrize("head", FOREIGN)
def test_what_has_none_of_the_formats_is_taken_for_none(head: bytes) -> None:
    assert [form for form in Form if form.begins(head)] == []
