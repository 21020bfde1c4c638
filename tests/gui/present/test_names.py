"""Names are shortened so that they still differ, and told whole in lines for tips."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.harmless import visible
from gui.present.names import abbreviated, whole_name


def test_what_is_cut_for_lack_of_room_still_differs():
    blocks = [f"block{number}/depthwise_conv_2d_{number}" for number in range(12)]
    for letters in (5, 3, 1):
        assert len({abbreviated(name, letters) for name in blocks}) == len(blocks)
    assert abbreviated("block3/conv_2d", 2) == "bl3/co_2d"


@given(st.text(st.sampled_from("ab12/;_ \n"), max_size=400))
def test_a_whole_name_is_all_there_in_lines_of_some_length(name):
    told = whole_name(name)
    assert told.replace("\n", "") == visible(name)
    assert all(len(line) <= 72 for line in told.split("\n"))
