"""Five steps through the window; they can be left at any time."""

from __future__ import annotations

from typing import NamedTuple

from gui.commands.app import Panels, Problems
from gui.document.problem import Deed, Problem

KEY = "tour"


class Step(NamedTuple):
    """A view, and what is told of it."""

    view: str
    text: str


STEPS = (
    Step("timeline", "Timeline: what runs when. The wheel zooms, as W and S do; clicks select."),
    Step("memory", "Memory map: what lies where, and when. Home goes to the peak."),
    Step("controls", "Controls: drag the SRAM limit, and the schedule is made anew at once."),
    Step("why", "Why: the reasons for whatever is selected, with the numbers that decided."),
    Step("edits", "Edits: a right click anywhere decides otherwise; here is what became of it."),
)


class Tour:
    """Where the user is in it."""

    def __init__(self, panels: Panels, problems: Problems) -> None:
        self._panels = panels
        self._problems = problems
        self._at = 0

    @property
    def is_on(self) -> bool:
        """Whether a step is shown; who puts it away has left the tour."""
        return any(problem.key == KEY for problem in self._problems.problems)

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
            self._problems.take_back(KEY)

    def _show(self) -> None:
        step, is_last = STEPS[self._at], self._at == len(STEPS) - 1
        self._panels.show_panel(step.view)
        self._problems.add(
            Problem(
                key=KEY,
                message=f"{self._at + 1} of {len(STEPS)}. {step.text}",
                advice="F1 opens the help." if is_last else "",
                deeds=(Deed("help.next", "Done" if is_last else "Next"),),
                is_note=True,
            )
        )
