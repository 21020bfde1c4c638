"""What a file of JSON may be, and what it is refused for."""

from __future__ import annotations

import json

import pytest

from core.base.errors import InputError
from core.base.plain_json import read_json


@pytest.mark.parametrize(
    "value", [{}, [1, "a\u0000b", None], {"ä": "🪸", "\\ud8": "\\ud800"}, "名"]
)
@pytest.mark.parametrize("escapes", [True, False])
def test_what_json_says_is_read(value: object, escapes: bool) -> None:
    assert read_json(json.dumps(value, ensure_ascii=escapes).encode()) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "\\ud800"}',
        '["\\uDFFF b"]',
        '{"\\udcff": 1}',
        '["\\ud83e \\udeb8"]',
        "{" + '"a": {' * 40_000,
        "[" * 200_000,
        "[" + "9" * 5000 + "]",
        "",
        "{'a': 1}",
    ],
)
def test_what_is_none_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_json(text.encode())
    assert len(str(caught.value).splitlines()) == 1
    str(caught.value).encode()


def test_bytes_that_are_no_text_are_refused_in_one_line() -> None:
    with pytest.raises(InputError, match="is not JSON"):
        read_json(b'{"a": "\xff"}')
