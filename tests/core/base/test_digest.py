"""Digests: equal for equal values wherever they are made, different for any difference."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.digest import digest, digest_bytes
from core.base.errors import InternalError
from core.base.geometry import Kernel, Shape4
from tests.core.base.values import VALUES, Leaf, Node, is_same, variants

ROOT = Path(__file__).parents[3]
IN_ANOTHER_PROCESS = """
from types import MappingProxyType
from core.base.digest import digest
from core.target.resolve import resolve
print(digest((MappingProxyType({"b": 1, "a": (2.5, None, b"x")}), resolve())))
"""


@given(VALUES, VALUES)
def test_digests_are_equal_exactly_when_values_are(a, b):
    assert (digest(a) == digest(b)) == is_same(a, b)


@given(VALUES)
def test_any_single_difference_changes_the_digest(value):
    assert digest(value) not in {digest(other) for other in variants(value)}


@given(VALUES)
def test_the_shape_of_nesting_counts(value):
    assert len({digest(value), digest((value,)), digest(((value,),)), digest((value, ()))}) == 4


def test_named_tuples_and_values_are_known_by_their_type():
    numbers = (1, 2, 3, 4)
    assert digest(Shape4(*numbers)) != digest(numbers)
    assert digest(Leaf(number=1)) != digest(Node(label=1))
    assert digest(Kernel(h=2)) != digest(Kernel(w=2))


def test_mappings_are_compared_by_content():
    forward, backward = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert digest(forward) == digest(MappingProxyType(backward))


def test_fields_that_do_not_compare_do_not_count():
    assert digest(Node(label=1, cache=2)) == digest(Node(label=1, cache=3))


@pytest.mark.parametrize("seed", ["1", "2"])
def test_another_process_finds_the_same_digest(seed):
    done = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    here: list[str] = []
    scope = {"print": here.append}
    exec(IN_ANOTHER_PROCESS, scope)
    assert done.stdout.split() == here


@given(st.binary(), st.binary())
def test_bytes_have_digests_of_their_own(a, b):
    assert (digest_bytes(a) == digest_bytes(b)) == (a == b)
    assert digest_bytes(a) == digest_bytes(memoryview(bytearray(a)))


@pytest.mark.parametrize("value", [[1], {1}, object(), bytearray(b"x")])
def test_what_can_change_has_no_digest(value):
    with pytest.raises(InternalError, match=f"{type(value).__name__} has no digest"):
        digest((value,))
