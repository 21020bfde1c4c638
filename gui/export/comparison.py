"""Pictures of two schedules in one: B as views show it, with what they tell of A; no Qt."""

from __future__ import annotations

from collections.abc import Mapping

from core.api.comparisons import Comparison, Pictures
from core.api.schedules import Scheduled
from core.base.forms import Form
from core.base.progress import Progress
from gui.document.answer import Answer
from gui.document.kept import Kept
from gui.document.look import Look
from gui.export.make import REPORT_WIDTH, Studio, drawn
from gui.export.orders import Against, PictureRequest, Scene
from gui.theme.tones import DARK, LIGHT

_LOOKS: Mapping[str, Look] = {"network": {"overlay": "difference to A"}}
_NO_TIMES = "B is a schedule as JSON, which has no times to draw"


def pictures(
    studio: Studio,
    found: Comparison,
    before: Scheduled | None,
    shown: Scheduled | None,
    progress: Progress,
) -> Pictures:
    """What the page of a comparison has, in light and in dark."""
    if shown is None:
        return Pictures(obstacle=_NO_TIMES)
    answer = Answer.of(shown)
    kept = Kept(title=found.a.title, scheduled=before)
    against = Against(kept, found, None if before is None else Answer.of(before))
    scene = Scene(answer, against=against)
    views = studio.views(answer.document.settings, answer)
    of_two = {name: view for name, view in views.items() if view.shows_a}
    light, dark = (
        drawn(
            studio,
            scene,
            PictureRequest(view="", width=REPORT_WIDTH, height=0, theme=theme.name, form=Form.SVG),
            of_two,
            _LOOKS,
            progress,
        )
        for theme in (LIGHT, DARK)
    )
    return Pictures(light=light, dark=dark)
