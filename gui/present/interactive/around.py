"""The page of a schedule, with those of its front that lie around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.api import schedules
from core.ir.schedule import FrontPoint
from gui.document.answer import Answer
from gui.present.interactive.page import Contents, Rival, render
from gui.present.operators.rules import KeptRules

MOST_SCHEDULES = 9
"""Each makes the file larger; a slider with more is hard to put on one of them."""


def page(
    name: str,
    shown: Answer,
    bench: schedules.Workbench | None,
    rival: Rival | None = None,
    now: str = "",
    rules: KeptRules = (),
) -> str:
    """The file; without a workbench there is no front."""
    around = [] if bench is None else list(_around(shown, bench))
    answers = sorted([shown, *around], key=_place)
    return render(
        Contents(
            name=name,
            answers=tuple(answers),
            asked=answers.index(shown),
            rival=rival,
            rival_answer=_of_rival(rival),
            now=now,
            rules=rules,
        )
    )


def _of_rival(rival: Rival | None) -> Answer | None:
    scheduled = None if rival is None else rival.scheduled
    return None if scheduled is None else Answer.of(scheduled)


def _place(answer: Answer) -> tuple[int, float]:
    scheduled = answer.scheduled
    return scheduled.layout.fast_area.height_bytes, -scheduled.total.total_cycles


def _around(answer: Answer, bench: schedules.Workbench) -> Iterator[Answer]:
    """Schedules of the front, each as the answer to its own size."""
    scheduled = answer.scheduled
    taken = {_place(answer)}
    for point in spread(scheduled.schedule.front, MOST_SCHEDULES - 1):
        target = scheduled.target.with_limit(point.peak_bytes)
        found = Answer.of(bench.glance(target, scheduled.options))
        if _place(found) not in taken:
            taken.add(_place(found))
            yield found


def spread(front: Sequence[FrontPoint], most: int) -> Sequence[FrontPoint]:
    """The points that were not taken; where they are many, some from one end to the other."""
    points = [point for point in front if not point.is_taken]
    if len(points) <= most:
        return points
    return [points[round(at * (len(points) - 1) / (most - 1))] for at in range(most)]
