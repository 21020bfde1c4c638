"""Short names lose what says nothing, and stay apart."""

from __future__ import annotations

import pytest

from gui.present.memory_names import short_names, without_role


@pytest.mark.parametrize(
    ("names", "short"),
    [
        ([], []),
        (["net/a"], ["net/a"]),
        (["net/a/x", "net/b/x"], ["a/x", "b/x"]),
        (["net/a/x", "net/a/y", "input"], ["x", "y", "input"]),
        (["net/a", "other/a"], ["net/a", "other/a"]),
        (["net/a;net/b;net/c", "net/d"], ["a", "d"]),
        (["net/a;net/b: weight buffer 2", "net/d: weights"], ["a: weight buffer 2", "d: weights"]),
        (["network/a", "net/a"], ["network/a", "net/a"]),
        ([";", "a;"], [";", "a"]),
    ],
)
def test_names_lose_common_folders_and_what_was_fused(names, short):
    assert short_names(names) == short


def test_roles_can_be_left_out():
    assert without_role("a/b: weight buffer 2") == "a/b"
    assert without_role("a/b") == "a/b"
