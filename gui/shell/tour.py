"""Seven steps through the window; they can be left at any time."""

from __future__ import annotations

from core.base.frozen import NamedTuple
from gui.document.problem import Deed, Problem
from gui.shell.banner import Banner
from gui.shell.panels import Panels
from gui.shell.spotlight import Spotlight

KEY = "tour"


class Step(NamedTuple):
    """A view, and what is told of it."""

    view: str
    text: str


STEPS = (
    Step("timeline", "Timeline: what runs when. The wheel zooms, as W and S do; clicks select."),
    Step("memory", "Memory map: what lies where, over the same cycles. Home goes to the peak."),
    Step("controls", "Controls: drag the SRAM limit, and the schedule is made anew at once."),
    Step("why", "Why: the reasons for whatever is selected, with the numbers that decided."),
    Step("operators", "Operators: filter by 'share>5%'; Rules colour what they find."),
    Step(
        "edits",
        "Edits: right-click anything, or drag what shows a handle, to decide it yourself.",
    ),
    Step("compare", "Compare: keep this as A, change something, and see what differs."),
)


class Tour:
    """Where the user is in it."""

    def __init__(self, panels: Panels, banner: Banner) -> None:
        self._panels = panels
        self._banner = banner
        self._at = 0
        self.spotlight = Spotlight(panels)
        banner.changed.connect(self._point)

    @property
    def is_on(self) -> bool:
        """Whether a step is shown; who puts it away has left the tour."""
        return any(problem.key == KEY for problem in self._banner.problems)

    def start(self) -> None:
        """Begin with the first step."""
        self._at = 0
        self._show()

    def go_on(self) -> None:
        """Turn to the next step; after the last one there is nothing more."""
        self._at += 1
        if self._at < len(STEPS):
            self._show()
        else:
            self._banner.take_back(KEY)

    def _show(self) -> None:
        step, is_last = STEPS[self._at], self._at == len(STEPS) - 1
        self._panels.show_panel(step.view)
        self._banner.add(
            Problem(
                key=KEY,
                message=f"{self._at + 1} of {len(STEPS)}. {step.text}",
                advice="F1 opens the help." if is_last else "",
                deeds=(Deed("help.next", "Done" if is_last else "Next"),),
                is_note=True,
            )
        )
        self._point()

    def _point(self) -> None:
        """Light what is told of, and nothing once the tour is left."""
        is_told = self.is_on and self._at < len(STEPS)
        self.spotlight.point_at(self._panels.dock(STEPS[self._at].view) if is_told else None)
