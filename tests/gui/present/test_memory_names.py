"""Short names lose what says nothing, and stay apart."""

from __future__ import annotations

import pytest

from gui.present.memory.names import short_names, without_role
from gui.present.names import abbreviated


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


def test_what_is_cut_for_lack_of_room_still_differs():
    blocks = [f"block{number}/depthwise_conv_2d_{number}" for number in range(12)]
    for letters in (5, 3, 1):
        assert len({abbreviated(name, letters) for name in blocks}) == len(blocks)
    assert abbreviated("block3/conv_2d", 2) == "bl3/co_2d"
