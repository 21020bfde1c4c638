"""Sizes as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import OptionError
from core.base.size import parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("65536", 65536),
        ("64K", 65536),
        ("64k", 65536),
        ("64KB", 65536),
        ("64 KiB", 65536),
        ("0x10000", 65536),
        ("0X1B", 27),
        ("0x40K", 65536),
        ("1M", 1 << 20),
        (" 1g ", 1 << 30),
        ("010", 10),
    ],
)
def test_what_is_a_size(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "K", "-1", "+1", "1.5M", "64KK", "1_000", "0x", "1e6", "64T", "٣", "9" * 5000]
)
def test_what_is_not(text):
    with pytest.raises(OptionError, match="is not a size; sizes look like 65536, 64K"):
        parse_size(text)


@given(st.integers(0, 1 << 40))
def test_each_way_to_write_a_number_is_the_same(size):
    ways = [str(size), hex(size), f"{size}B"]
    if size % 1024 == 0:
        ways.append(f"{size // 1024}K")
    assert {parse_size(way) for way in ways} == {size}
