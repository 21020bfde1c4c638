"""Lists of values show of the one that is chosen what fits."""

from __future__ import annotations

import pytest

from core.ir.knob import Value
from gui.widgets.choice_box import ChoiceBox
from tests.gui.painted import texts_of

LONG = "NXP i.MX 93 under Linux, SRAM of the NPU, 384 KiB"


def painted(qtbot, text: str, width: int) -> list[str]:
    box = ChoiceBox("Board")
    qtbot.addWidget(box)
    box.show_choices([Value(text, "a", "")], "a")
    box.resize(width, box.sizeHint().height())
    box.show()
    found = list(texts_of(box))
    for each in found:
        assert each.cut_figures == []
        assert each.seen[0] <= each.left
        assert each.left + box.fontMetrics().horizontalAdvance(each.text) <= each.seen[1]
    return [each.text for each in found]


@pytest.mark.parametrize("width", [120, 200, 260, 320])
def test_a_text_that_does_not_fit_loses_letters_and_no_figure(qtbot, width):
    (shown,) = painted(qtbot, LONG, width)
    assert "\N{HORIZONTAL ELLIPSIS}" in shown
    assert "93" in shown


def test_a_text_that_fits_is_whole(qtbot):
    assert painted(qtbot, LONG, 600) == [LONG]
