"""Parts of looks are set before Qt has laid anything out."""

from __future__ import annotations

from PySide6.QtWidgets import QListWidget

from gui.widgets.look_parts import scroll_part


def test_a_list_is_scrolled_before_it_is_painted(qtbot):
    page = QListWidget()
    qtbot.addWidget(page)
    page.resize(200, 60)
    page.show()
    page.addItems([str(number) for number in range(50)])
    part = scroll_part(page)
    part.use(30)
    assert part.read() == page.verticalScrollBar().value() == 30
