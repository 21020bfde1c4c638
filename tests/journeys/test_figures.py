"""No digit of a figure is cut, in whatever is painted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QTabWidget

from gui.commands.panels import PANELS
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.shell.request import Request, Size
from gui.theme.tones import THEMES
from tests.gui.painted import texts_of
from tests.gui.running import Oracle
from tests.shared import need

MODEL = "regressions/trials/omv_hand_landmarks_full_224.tflite"
TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 409_600}
STEPS = 5
SELECTIONS = (Selection(op=31), NOTHING_SELECTED, Selection(fm=33))


def cut(app) -> set[str]:
    """What of the window is painted with a digit missing."""
    QApplication.processEvents()
    app.store.turns.finish()
    return {
        f"{type(text.part).__name__}: {text.text}"
        for text in texts_of(app.window)
        if text.cut_figures
    }


def cut_anywhere(app, selections) -> dict[str, set[str]]:
    """The same, with each view in front."""
    found = {}
    for selection in selections:
        app.store.select(selection)
        for panel in PANELS:
            app.panels.show_panel(panel.name)
            found[f"{panel.name}, {selection}"] = cut(app)
            for tabs in app._views[panel.name].findChildren(QTabWidget):
                for place in range(tabs.count()):
                    tabs.setCurrentIndex(place)
                    found[f"{panel.name}, {tabs.tabText(place)}"] = cut(app)
    return {where: texts for where, texts in found.items() if texts}


@pytest.mark.parametrize(
    ("theme", "selections"),
    [
        ("light", SELECTIONS[:1]),
        *(pytest.param(theme, SELECTIONS, marks=pytest.mark.slow) for theme in THEMES),
    ],
)
def test_no_figure_is_cut_at_the_smallest_size(open_app, theme, selections):
    request = Request(model=str(need(MODEL)), size=Size(1280, 800), theme=theme)
    app = open_app(request=request, make_runner=Oracle, **TIGHT)
    assert cut_anywhere(app, selections) == {}
    for _ in range(STEPS):
        app.actions.run("view.larger")
    assert cut_anywhere(app, selections) == {}
    # Nor does the window become larger than its screen.
    assert app.window.size() == QSize(1280, 800)
